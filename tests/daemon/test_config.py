"""The configuration file: what it may say, and how a mistake in it is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daemon.config import Config, ConfigInvalid, parse_config, read_config

if TYPE_CHECKING:
    from pathlib import Path


def test_an_absent_and_an_empty_file_are_the_defaults(tmp_path: Path) -> None:
    assert read_config(tmp_path / "config.toml") == Config()
    (tmp_path / "config.toml").touch()
    assert read_config(tmp_path / "config.toml") == Config(1800, (), 30)


def test_every_key_is_read() -> None:
    text = """
    [daemon]
    idle_exit_s = 5
    [policy]
    origins = ["HTTPS://A.example:443"]
    [evidence]
    retention_days = 7
    """
    assert parse_config(text, "c") == Config(5, ("https://a.example",), 7)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[deamon]\nidle_exit_s = 5", ["c, line 1", "'deamon'", "daemon"]),
        ("\n[policy]\norigin = []", ["c, line 3", "'policy.origin'", "origins"]),
        ("idle_exit_s = 5", ["c, line 1", "'idle_exit_s'"]),
        ("[daemon]\nidle_exit_s = 0", ["c, line 2", "1 to"]),
        ("[daemon]\nidle_exit_s = true", ["c, line 2", "whole number"]),
        ("[daemon]\nidle_exit_s = 1.5", ["c, line 2", "whole number"]),
        ("[daemon]\nidle_exit_s = '5'", ["c, line 2", "whole number"]),
        ("[policy]\norigins = 'https://a.example'", ["c, line 2", "list of texts"]),
        ("[policy]\norigins = ['ftp://a.example']", ["c, line 2", "policy.origins"]),
        ("[policy]\norigins = [1]", ["c, line 2", "list of texts"]),
        ("[evidence]\nretention_days = -1", ["c, line 2", "1 to"]),
        ("[daemon\n", ["c:", "not TOML", "line 1"]),
        ("daemon = 1", ["c, line 1", "'daemon'"]),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, named: list[str]) -> None:
    with pytest.raises(ConfigInvalid) as invalid:
        parse_config(text, "c")
    for word in named:
        assert word in invalid.value.message


def test_a_link_to_nothing_is_not_no_configuration(tmp_path: Path) -> None:
    link = tmp_path / "config.toml"
    link.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(ConfigInvalid, match="link to a file that is not there"):
        read_config(link)
    (tmp_path / "elsewhere.toml").write_text("[daemon]\nidle_exit_s = 7\n")
    assert read_config(link).idle_exit_s == 7


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigInvalid, match="UTF-8"):
        read_config(tmp_path / "config.toml")
