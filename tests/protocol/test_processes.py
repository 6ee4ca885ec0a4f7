"""A process is named so that a stranger with its number is not taken for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.processes import encode_holder, is_daemon, parse_holder, parse_start_time


def stat_line(name: bytes) -> bytes:
    fields = [str(number).encode() for number in range(3, 40)]
    return b"17 (" + name + b") " + b" ".join(fields)


@given(st.binary(max_size=15))
def test_a_name_cannot_shift_the_fields(name: bytes) -> None:
    assert parse_start_time(stat_line(name)) == "22"


def test_a_real_process_has_one() -> None:
    assert parse_start_time(Path(f"/proc/{os.getpid()}/stat").read_bytes()).isdigit()


@pytest.mark.parametrize("stat", [b"", b"17 (x)", b"1 2 3 4", stat_line(b"x")[:20]])
def test_what_is_no_stat_has_none(stat: bytes) -> None:
    assert parse_start_time(stat) == ""


@given(st.integers(2, 2**31), st.integers(0, 2**40))
def test_a_holder_and_its_record_are_inverses(pid: int, started: int) -> None:
    assert parse_holder(encode_holder(pid, str(started))) == (pid, str(started))


@pytest.mark.parametrize(
    "data",
    [b"", b"nonsense", b"17\n", b"17 \n", b"1 1\n", b"0 1\n", b"-5 1\n", b"17 x\n", b"17 1 1\n",
     b"9" * 64 + b" 1"],
)  # fmt: skip
def test_what_is_no_record_names_nobody(data: bytes) -> None:
    assert parse_holder(data) is None


def test_a_daemon_is_known_by_a_whole_word() -> None:
    assert is_daemon(b"/x/python\0-P\0-c\0...\0/root\0understudyd\0--ready-fd\0003\0")
    assert is_daemon(b"/usr/bin/python3\0/usr/bin/understudyd\0")
    for other in (b"", b"sleep\x00600\0", b"vim\0understudyd.py\0", b"/understudyd/x\0"):
        assert not is_daemon(other)
