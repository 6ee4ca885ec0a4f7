"""The log: a plain file of its own, bounded, and never another file by way of a link."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from daemon import logs
from daemon.logs import LOGGER, close_log, open_log
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def to_a_file(path: Path) -> None:
    path.symlink_to(path.with_name("letter"))


def to_nothing(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


def read_pipe(path: Path) -> None:
    os.mkfifo(path)
    os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # until the tests end


ODD: tuple[Callable[[Path], object], ...] = (to_a_file, to_nothing, os.mkfifo, read_pipe)


@pytest.mark.parametrize("make", ODD)
def test_what_is_no_plain_file_is_refused(tmp_path: Path, make: Callable[[Path], object]) -> None:
    letter, log = tmp_path / "letter", tmp_path / "daemon.log"
    letter.write_text("mine")
    make(log)
    with pytest.raises(Failure, match="is not a plain file") as refused:
        open_log(log)
    assert refused.value.code == "state_untrusted"
    assert letter.read_text() == "mine"
    assert not (tmp_path / "nothing").exists()


def test_a_log_is_added_to_and_kept_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FILE_LIMIT", 200)
    log = tmp_path / "daemon.log"
    for word in ("first", "second"):
        handler = open_log(log)
        LOGGER.info(word)
        close_log(handler)
    assert [line.split()[-1] for line in log.read_text().splitlines()] == ["first", "second"]
    handler = open_log(log)
    for number in range(40):
        LOGGER.info("line %d", number)
    close_log(handler)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "daemon.log", "daemon.log.1", "daemon.log.2",
    ]  # fmt: skip
    assert all(path.stat().st_size <= 200 for path in tmp_path.iterdir())
    assert log.stat().st_mode & 0o077 == 0
