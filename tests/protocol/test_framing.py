"""Frames survive any chunking, and nothing else passes for one."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import framing
from protocol.framing import Command, Decoder, FrameInvalid

FRAMES = st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=200)), max_size=8)
# What a shell can pass: any bytes but NUL, seen as surrogate-escaped text.
ARGUMENTS = st.binary(max_size=40).map(framing.parse_text)


def command(**changes: object) -> Command:
    facts: dict[str, object] = {
        "command_id": "0123456789abcdef" * 2,
        "argv": ["session", "status"],
        "cwd": "/",
        "variables": {"TERM": "xterm"},
    }
    return Command(**(facts | changes))  # type: ignore[arg-type]


def facts_of(one: Command) -> dict[str, object]:
    return {name: getattr(one, name) for name in Command.__slots__}


@given(FRAMES, st.data())
def test_any_chunking_gives_the_same_frames(
    frames: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    stream = b"".join(framing.encode_frame(kind, payload) for kind, payload in frames)
    decoder, seen = Decoder(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        seen += decoder.feed(stream[:size])
        stream = stream[size:]
    assert seen == frames


@pytest.mark.parametrize(
    "head", [b"GET / HTTP/1.1\r\n", b"POST ", b"\0\0\0\0", b"\xff\xff\xff\xff"]
)
def test_what_is_no_frame_is_refused_at_its_length(head: bytes) -> None:
    with pytest.raises(FrameInvalid):
        Decoder().feed(head)


def test_the_limit_is_exact() -> None:
    decoder = Decoder(limit=8)
    assert decoder.feed(b"\0\0\0\x08" + b"x" * 8) == [(ord("x"), b"x" * 7)]
    with pytest.raises(FrameInvalid):
        decoder.feed(b"\0\0\0\x09")
    framing.encode_frame(framing.OUT, bytes(framing.FRAME_LIMIT - 1))
    with pytest.raises(FrameInvalid):
        framing.encode_frame(framing.OUT, bytes(framing.FRAME_LIMIT))


@given(st.lists(st.binary(max_size=50)))
def test_fields_and_their_payload_are_inverses(fields: list[bytes]) -> None:
    assert framing.parse_fields(framing.encode_fields(fields)) == fields


@given(st.lists(st.binary(max_size=20), min_size=1), st.data())
def test_a_cut_payload_never_gives_all_fields(fields: list[bytes], data: st.DataObject) -> None:
    payload = framing.encode_fields(fields)
    cut = payload[: data.draw(st.integers(1, len(payload) - 1))]
    with suppress(FrameInvalid):
        assert len(framing.parse_fields(cut)) < len(fields)


@given(st.lists(ARGUMENTS), ARGUMENTS, st.dictionaries(ARGUMENTS, ARGUMENTS, max_size=4))
def test_a_command_arrives_as_it_was_sent(
    argv: list[str], cwd: str, variables: dict[str, str]
) -> None:
    sent = command(argv=argv, cwd=cwd, variables=variables, ttys=(True, False, True), width=132)
    ((kind, payload),) = Decoder().feed(framing.encode_command(sent))
    assert kind == framing.ARGV
    assert facts_of(framing.parse_command(payload)) == facts_of(sent)
    assert framing.parse_wire_version(payload) == framing.WIRE_VERSION


@pytest.mark.parametrize("command_id", ["", "0" * 31, "0" * 33, "A" * 32, "../" + "0" * 29])
def test_a_command_id_that_is_none_is_refused(command_id: str) -> None:
    payload = framing.encode_command(command(command_id=command_id))[5:]
    with pytest.raises(FrameInvalid):
        framing.parse_command(payload)


@pytest.mark.parametrize("keep", range(8))
def test_a_command_that_lacks_a_field_is_refused(keep: int) -> None:
    fields = framing.parse_fields(framing.encode_command(command(argv=[], variables={}))[5:])
    with pytest.raises(FrameInvalid):
        framing.parse_command(framing.encode_fields(fields[:keep]))


@pytest.mark.parametrize("count", [b"-1", b"1", b"9" * 11, b"x", b""])
def test_a_wrong_count_of_variables_is_refused(count: bytes) -> None:
    fields = framing.parse_fields(framing.encode_command(command(argv=[], variables={}))[5:])
    fields[7] = count
    with pytest.raises(FrameInvalid):
        framing.parse_command(framing.encode_fields(fields))


@given(st.binary(max_size=300))
def test_garbage_never_raises_anything_else(payload: bytes) -> None:
    with suppress(FrameInvalid):
        framing.parse_command(payload)
