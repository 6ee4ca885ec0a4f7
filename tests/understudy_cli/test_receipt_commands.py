"""``receipt verify`` and ``receipt show``: facts, exits, and strangers' files."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from protocol.errors import Failure
from tests.fakes.receipts import with_first_frame
from tests.fakes.recording_host import RecordingHost
from understudy_cli.app import parse

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "receipt-v2.json").read_text())
CASES = VECTORS["cases"]
GOOD = next(case for case in CASES if case["expect"] == "consistent")


def raw_of(case):
    return case["raw"].encode() if "raw" in case else json.dumps(case["receipt"]).encode()


async def run(host, *argv):
    return await parse(["receipt", *argv], width=80).run(host)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
async def test_every_vector_gets_its_class_and_its_exit(case):
    files = {"r.json": raw_of(case), "frames/.": b""}
    argv = ["verify", "r.json", "--allow-unsigned", "--json"]
    if "frames" in case:
        argv += ["--frames", "frames"]
        files |= {f"frames/{sha}.png": base64.b64decode(png) for sha, png in case["frames"].items()}
    host = Directory(files=files)
    exit_code = await run(host, *argv)
    answer = json.loads(host.stdout)
    finding = answer["files"][0]["finding"]
    assert (finding["class"] if finding else "consistent") == case["expect"]
    assert exit_code == (0 if finding is None else 12)
    assert answer["ok"] is (finding is None)
    assert host.stderr == b""


class Directory(RecordingHost):
    """A host whose paths that end in ``/.`` are directories."""

    async def read(self, path, limit):
        if path.endswith("/.") and path in self.files:
            raise Failure("is_directory", f"{path} is a directory", "")
        return await super().read(path, limit)


async def test_consistency_is_not_enough_unless_the_caller_says_so():
    files = {"r.json": raw_of(GOOD)}
    host = RecordingHost(files=files)
    assert await run(host, "verify", "r.json") == 12
    assert b"--allow-unsigned" in host.stderr
    text = host.stdout.decode()
    assert text.startswith("r.json: consistent\n")
    for fact in ("signed", "timestamped", "frames", "log"):
        assert [line for line in text.splitlines() if line.split()[:3] == [fact, "not", "checked"]]
    host = RecordingHost(files=files)
    assert await run(host, "verify", "r.json", "--allow-unsigned") == 0
    assert (host.stdout.decode(), host.stderr) == (text, b"")


async def test_the_class_and_the_first_bad_place_are_named():
    case = next(case for case in CASES if case["expect"] == "transcript-digest")
    host = RecordingHost(files={"r.json": raw_of(case)})
    assert await run(host, "verify", "r.json", "--allow-unsigned") == 12
    assert host.stdout.startswith(b"r.json: does not verify: transcript-digest at transcriptSha256")


async def test_each_file_is_judged_and_the_worst_decides():
    bad = next(case for case in CASES if case["expect"] == "receipt-id")
    host = RecordingHost(files={"good": raw_of(GOOD), "bad": raw_of(bad)})
    assert await run(host, "verify", "good", "bad", "absent", "--allow-unsigned") == 12
    told = [line.split(":")[0:2] for line in host.stdout.decode().splitlines() if line[0] != " "]
    assert told == [["good", " consistent"], ["bad", " does not verify"], ["absent", " not read"]]
    assert b"1 of 3" in host.stderr
    assert await run(RecordingHost(files={"good": raw_of(GOOD)}), "verify", "good", "absent") == 2


async def test_frames_that_are_missing_are_not_checked_and_wrong_ones_fail():
    receipt = raw_of(GOOD)
    named = {event["detail"]["frameSha256"] for event in GOOD["receipt"]["transcript"]}
    host = Directory(files={"r": receipt, "d/.": b""})
    assert await run(host, "verify", "r", "--frames", "d", "--allow-unsigned") == 12
    assert f"0 of {len(named)} match, {len(named)} missing and not checked" in host.stdout.decode()
    assert b"--frames d holds none of the frames that r names" in host.stderr
    host = Directory(files={"r": receipt, "d/.": b"", f"d/{min(named)}.png": b"another"})
    assert await run(host, "verify", "r", "--frames", "d", "--allow-unsigned") == 12
    assert b"does not verify: frame" in host.stdout


async def test_a_frame_that_is_larger_than_any_picture_is_another_one():
    named = min(event["detail"]["frameSha256"] for event in GOOD["receipt"]["transcript"])
    frames = {"d/.": b"", f"d/{named}.png": bytes((16 << 20) + 1)}
    host = Directory(files={"r": raw_of(GOOD), **frames})
    assert await run(host, "verify", "r", "--frames", "d", "--allow-unsigned") == 12
    assert b"does not verify: frame" in host.stdout


@pytest.mark.parametrize("name", ["../private/secret", "a\0b", "f" * 5000, "A" * 64])
async def test_what_a_receipt_names_becomes_a_path_only_if_it_is_a_digest(name):
    receipt = json.dumps(with_first_frame(GOOD["receipt"], name)).encode()
    host = Directory(files={"r": receipt, "d/.": b"", f"d/{name}.png": b"secret"})
    assert await run(host, "verify", "r", "--frames", "d", "--allow-unsigned") == 12
    assert host.stdout.startswith(b"r: does not verify: frame at transcript[0].detail.frameSha256")
    assert host.did == [("read", "r")]


async def test_a_frame_that_cannot_be_read_hides_no_other_verdict():
    class Barred(Directory):
        async def resolve(self, path: str) -> str:
            raise Failure("unreadable_file", f"{path} cannot be read", "")

    host = Barred(files={"bad": b"{", "r": raw_of(GOOD), "d/.": b""})
    assert await run(host, "verify", "r", "bad", "--frames", "d", "--allow-unsigned") == 12
    assert b"r: not read: d/" in host.stdout
    assert b"bad: does not verify: json" in host.stdout
    host = Barred(files={"r": raw_of(GOOD), "d/.": b""})
    assert await run(host, "verify", "r", "--frames", "d", "--allow-unsigned") == 2


async def test_a_directory_of_frames_that_is_not_there_is_refused():
    host = Directory(files={"r": raw_of(GOOD)})
    assert await run(host, "verify", "r", "--frames", "nowhere", "--allow-unsigned") == 2
    assert host.stdout == b""
    assert b"nowhere" in host.stderr


async def test_a_file_that_is_too_large_is_no_receipt():
    host = RecordingHost(files={"r": b" " * ((64 << 20) + 1)})
    assert await run(host, "verify", "r", "--allow-unsigned") == 12
    assert b"does not verify: json" in host.stdout


async def test_a_file_s_name_cannot_move_the_cursor():
    host = RecordingHost(files={"\x1b[2J\n": raw_of(GOOD)})
    await run(host, "verify", "--allow-unsigned", "\x1b[2J\n")
    assert host.stdout.startswith(rb"\x1b[2J\x0a: consistent")


async def test_show_is_a_timeline_with_the_claims_and_their_worth():
    host = RecordingHost(files={"r": raw_of(GOOD)})
    assert await run(host, "show", "r") == 0
    text = host.stdout.decode()
    assert GOOD["receipt"]["receiptId"] in text
    kinds = [line.split() for line in text.partition("TIME")[2].splitlines()[1:]]
    assert len(kinds) == len(GOOD["receipt"]["transcript"])
    assert "consistent; signature, frames and log not checked" in text


async def test_show_says_when_a_receipt_does_not_hold():
    case = next(case for case in CASES if case["expect"] == "receipt-id")
    host = RecordingHost(files={"r": raw_of(case)})
    assert await run(host, "show", "r") == 0
    assert b"NO: receipt-id at receiptId" in host.stdout


async def test_show_refuses_what_is_no_receipt():
    host = RecordingHost(files={"r": b'{"url":"http://127.0.0.1/"}'})
    assert await run(host, "show", "r") == 12
    assert (host.stdout, b"understudy: r: This reader knows" in host.stderr) == (b"", True)
    host = RecordingHost(files={"r": b"PK\x03\x04"})
    assert await run(host, "show", "r") == 12
    assert (host.stdout, b"understudy: r: " in host.stderr) == (b"", True)
