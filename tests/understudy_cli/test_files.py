"""File work where files are not what they seem."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from protocol.errors import Failure
from understudy_cli.files import prepare, read_pieces

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_lone_hyphen_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Failure, match="names none") as caught:
        prepare("-")
    assert caught.value.code == "usage"
    prepare("./-")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_that_nobody_writes_to_is_given_up(pipe: Path) -> None:
    with pytest.raises(Failure, match=r"cannot be read: nothing was written") as caught:
        list(read_pieces(str(pipe), 100, pipe_s=0.05))
    assert caught.value.code == "unreadable_file"


def test_a_pipe_whose_writer_is_slow_is_read_to_its_end(pipe: Path) -> None:
    began, ended = threading.Event(), threading.Event()

    def write() -> None:
        with pipe.open("wb", buffering=0) as stream:
            stream.write(b"one")
            assert began.wait(20)
            stream.write(b"two")
        ended.set()

    threading.Thread(target=write).start()
    pieces = read_pieces(str(pipe), 100, pipe_s=20)
    assert next(pieces) == b"one"
    began.set()
    assert b"".join(pieces) == b"two"
    assert ended.wait(20)


def test_a_pipe_that_is_closed_unwritten_is_an_empty_file(pipe: Path) -> None:
    writer = threading.Thread(target=lambda: pipe.open("wb").close())
    writer.start()
    assert list(read_pieces(str(pipe), 100, pipe_s=20)) == []
    writer.join(20)
