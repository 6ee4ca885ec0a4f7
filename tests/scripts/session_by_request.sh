#!/usr/bin/env bash
# One evidence session by raw requests and single fields only. URL names a page.
set -euo pipefail

request() { # verb, request, field
    printf '%s' "$2" | understudy session "$1" --request - --get "$3"
}
fails() { # expected exit code, command...
    local wanted=$1 status=0
    shift
    "$@" >/dev/null 2>&1 || status=$?
    [[ $status == "$wanted" ]] || { echo "exit $status, not $wanted: $*" >&2; exit 1; }
}

job=$(printf 'do it' | sha256sum | cut -d' ' -f1)
proof=$(request begin "{\"op\":\"begin\",\"attempt_id\":\"by-request\",\"job_sha256\":\"$job\",\"url\":\"$URL\"}" proofId)

fails 3 request freeze "{\"op\":\"freeze\",\"proof_id\":\"$proof\",\"sequence\":7}" sequence
fails 3 request close "{\"op\":\"close\",\"proof_id\":\"$proof\",\"sequence\":0}" sequence
fails 2 request freeze "{\"op\":\"abort\",\"proof_id\":\"$proof\",\"sequence\":0}" sequence
fails 2 request freeze "{\"op\":\"freeze\",\"proof_id\":\"$proof\",\"sequence\":0,\"x\":1}" sequence
fails 10 request status '{"op":"status","proof_id":"ecup-00000000000000000000000000000000"}' phase
fails 2 request status "{\"op\":\"status\",\"proof_id\":\"$proof\"}" no.such.field

actions='[{\"type\":\"click\",\"x\":5,\"y\":5},{\"type\":\"wait\",\"ms\":1}]'
sequence=$(request actions "{\"op\":\"actions\",\"proof_id\":\"$proof\",\"sequence\":0,\"actions_json\":\"$actions\"}" sequence)
sequence=$(request freeze "{\"op\":\"freeze\",\"proof_id\":\"$proof\",\"sequence\":$sequence}" sequence)
fails 3 request actions "{\"op\":\"actions\",\"proof_id\":\"$proof\",\"sequence\":$sequence,\"actions_json\":\"$actions\"}" sequence
seen=$(request observe "{\"op\":\"observe\",\"proof_id\":\"$proof\",\"sequence\":$sequence,\"pre_observation_sha256\":\"$job\"}" frame.sha256)
sequence=$((sequence + 1))
finish="{\"op\":\"finish\",\"proof_id\":\"$proof\",\"sequence\":$sequence,\"observation_sha256\":\"$seen\",\"claims_json\":\"{}\"}"
printf '%s' "$finish" | understudy session finish --request - --receipt receipt.json --get receipt.receiptId
understudy session close "$proof" --sequence $((sequence + 1)) --get closed
fails 7 understudy session status "$proof"
understudy receipt verify receipt.json --allow-unsigned --get files.0.consistent
