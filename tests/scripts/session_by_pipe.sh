#!/usr/bin/env bash
# One evidence session by one pipe: a request a line in, a reply a line out. URL names a page.
set -euo pipefail

coproc PIPE { understudy session pipe; }
pipe=$PIPE_PID
ask() { # request; the reply is in $reply
    printf '%s\n' "$1" >&"${PIPE[1]}"
    IFS= read -r reply <&"${PIPE[0]}"
}
field() { # name; the first text or number of that name in $reply
    [[ $reply =~ \"$1\":\"?([^\",}]+) ]] && printf '%s' "${BASH_REMATCH[1]}"
}

job=$(printf 'do it' | sha256sum | cut -d' ' -f1)
ask "{\"op\":\"begin\",\"attempt_id\":\"by-pipe\",\"job_sha256\":\"$job\",\"url\":\"$URL\"}"
proof=$(field proofId)
at="\"proof_id\":\"$proof\",\"sequence\""
ask "this is no request"
[[ $(field code) == external-proof-json ]]
ask "{\"op\":\"actions\",$at:0,\"actions_json\":\"[{\\\"type\\\":\\\"click\\\",\\\"x\\\":5,\\\"y\\\":5}]\"}"
ask "{\"op\":\"freeze\",$at:1}"
ask "{\"op\":\"observe\",$at:2,\"pre_observation_sha256\":\"$job\"}"
seen=${reply#*\"frame\":}
[[ $seen =~ \"sha256\":\"([0-9a-f]+) ]]
ask "{\"op\":\"finish\",$at:3,\"observation_sha256\":\"${BASH_REMATCH[1]}\",\"claims_json\":\"{}\"}"
field receiptId
echo
ask "{\"op\":\"close\",$at:4}"
field closed
echo

# the one bad line decides the exit code, and stopped nothing
exec {PIPE[1]}>&-
status=0
wait "$pipe" || status=$?
[[ $status == 2 ]]
