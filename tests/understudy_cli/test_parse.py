"""Parsing: what is a command, what is refused, and in which words."""

from __future__ import annotations

import os
import shlex
from importlib.metadata import version

import pytest

from protocol.commandline import Text
from understudy_cli import client, main
from understudy_cli.app import command_tree, parse

WIDTH = 80


def commands(tree, path=()):
    yield path, tree
    for name, command in getattr(tree, "commands", {}).items():
        yield from commands(command, (*path, name))


PATHS = [path for path, _ in commands(command_tree())]


def refused(*argv):
    answer = parse(argv, width=WIDTH)
    assert isinstance(answer, Text), argv
    assert (answer.out, answer.exit) == ("", 2), argv
    lines = answer.err.splitlines()
    assert lines[0].startswith("understudy: "), lines
    assert [line.split(":")[0] for line in lines[1:]] == ["hint"], lines
    return answer.err


@pytest.mark.parametrize(
    ("argv", "unknown", "nearest"),
    [
        (["sesion"], "sesion", "understudy session"),
        (["frobnicate"], "frobnicate", 'hint: "understudy --help" lists them all'),
        (["version"], "version", "understudy --version"),
        (["session", "begin", "-h"], "-h", "--help"),
        (["session", "statu"], "statu", "understudy session status"),
        (["session", "open"], "open", 'did you mean "understudy open"?'),
        (["daemon", "goto"], "goto", 'did you mean "understudy open"?'),
        (["workspace", "display"], "display", 'hint: "understudy workspace --help" lists'),
        (["display", "remove"], "remove", "understudy display create"),
        (["session", "freeze", "--sequenc", "1"], "--sequenc", "--sequence"),
        (["session", "freeze", "--sesion=x"], "--sesion", "--session"),
        (["session", "status", "-z"], "-z", "--"),
        (["--versoin"], "--versoin", "--version"),
        (["receipt", "verify", "f", "--allow-unsinged"], "--allow-unsinged", "--allow-unsigned"),
    ],
)
def test_an_unknown_word_is_named_with_the_nearest_known_one(argv, unknown, nearest):
    text = refused(*argv)
    assert unknown in text.splitlines()[0]
    assert nearest in text.splitlines()[1]


@pytest.mark.parametrize("argv", [["--json", "session", "list"], ["session", "--json", "list"]])
def test_an_option_before_the_verb_is_told_its_place(argv):
    assert "has no option --json" in refused(*argv)
    assert "options come last" in refused(*argv)


@pytest.mark.parametrize("argv", [[], ["session"], ["display"]])
def test_a_noun_alone_says_which_commands_it_has(argv):
    assert "needs a command" in refused(*argv)


@pytest.mark.parametrize("value", ["--help", "-1", "--", "", "@e1", "$(id)", "a\nb", "-", "--json"])
def test_a_value_arrives_literally_whatever_it_looks_like(value):
    argv = ["session", "begin", "--job", "0" * 64, "--attempt", value]
    assert parse(argv, width=WIDTH).options.attempt == value
    argv = ["session", "begin", "--job", "0" * 64, f"--attempt={value}"]
    assert parse(argv, width=WIDTH).options.attempt == value
    argv = ["client", "add", "--", value]
    assert parse(argv, width=WIDTH).options.name == value


@pytest.mark.parametrize(
    "value", ["-1", "1.0", "1_0", " 1", "+1", "0x1", "", "9" * 5000, "٣", "1e3"]
)
def test_a_sequence_is_plain_decimal(value):
    assert "--sequence" in refused("session", "freeze", "ecup", f"--sequence={value}")


def test_a_value_that_is_missing_leads_to_the_command_s_own_help():
    assert '"understudy session begin --help"' in refused("session", "begin", "--job-file")


@pytest.mark.parametrize("path", [["session"], ["workspace"], []])
def test_a_noun_s_help_tells_each_command_s_line_whole(path):
    text = parse([*path, "--help"], width=WIDTH).out.partition("Examples:")[0]
    assert "..." not in text.replace("[ARGS]...", "")


def test_arguments_are_shown_by_their_names_alone():
    text = parse(["session", "status", "--help"], width=WIDTH).out
    assert text.startswith("Usage: understudy session status [OPTIONS] [SESSION_ID]\n")
    assert "<" not in text
    text = parse(["receipt", "verify", "--help"], width=WIDTH).out
    assert text.startswith("Usage: understudy receipt verify [OPTIONS] FILE...\n")


def test_nothing_guesses_a_sequence():
    for verb in ("freeze", "close", "abort"):
        assert "--sequence is missing" in refused("session", verb, "ecup")
    assert "--sequence is missing" in refused("session", "observe", "ecup")
    assert "--sequence is missing" in refused("session", "actions", "ecup", "--actions", "[]")
    assert "--sequence is missing" in refused("session", "finish", "ecup", "--observation", "a")


def test_a_session_of_one_kind_has_no_flag_of_the_other():
    for flag in (["--attempt", "a"], ["--frame", "f"], ["--headed"], ["--profile", "p"]):
        text = refused("session", "begin", "--url", "https://a.example", *flag)
        assert f"without a job has no {flag[0]}" in text
    for flag in (["--key", "k"], ["--on-dialog", "ask"], ["--downloads"]):
        assert f"with a job has no {flag[0]}" in refused("session", "begin", "--job", "a", *flag)
        assert flag[0] in refused("session", "begin", "--request", "{}", *flag)


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["session", "begin", "--job", "a", "--job-file", "b"], "twice"),
        (
            ["session", "begin", "--job", "a", "--workspace", "w"],
            "--display, --generation, --attempt",
        ),
        (["session", "begin", "--request", "{}", "--job", "a"], "--job"),
        (["session", "begin", "--request", "{}", "--headed"], "--headed"),
        (["session", "freeze", "x", "--request", "{}"], "SESSION_ID"),
        (["session", "freeze", "--sequence", "0", "--request", "{}"], "--sequence"),
        (["session", "finish", "x", "--sequence", "1"], "--observation"),
        (["session", "actions", "x", "--sequence", "1"], "--actions"),
        (["session", "actions", "x", "--sequence", "1", "--actions", "@"], "names no file"),
        (["session", "status", "x", "--session", "y"], "two different sessions"),
        (["session", "status", "--session="], "empty"),
        (["session", "status", "x", "--get", "a..b"], "--get"),
        (["session", "status", "x", "--get="], "--get"),
        (
            ["session", "observe", "x", "--sequence=1", "--state=s", "--pre-observation=d"],
            "--state",
        ),
        (["session", "run", "--job=a", "--actions=[]"], "--receipt"),
        (
            ["session", "run", "--job=a", "--actions=-", "--claims=-", "--receipt=r"],
            "--actions and --claims",
        ),
        (["session", "run", "--job=a", "--receipt=r"], "--actions"),
        (["display", "create", "--min-display-id", "98"], "99 to 199"),
        (["receipt", "verify"], "FILE"),
        (["session", "status", "a", "b"], "more words"),
        (["daemon", "logs", "--lines", "0"], "1 to"),
    ],
)
def test_what_does_not_fit_together_is_refused(argv, named):
    assert named in refused(*argv)


def test_a_refusal_does_not_repeat_what_was_typed():
    for argv in (
        ["session", "status", "ecup-1", "hunter2"],
        ["session", "begin", "--request={}", "--attempt=hunter2"],
        ["session", "freeze", "ecup-1", "--sequence=hunter2"],
        ["session", "freeze", "ecup-1", "--sesion=hunter2"],
    ):
        assert "hunter2" not in refused(*argv)


def test_both_forms_of_begin_cannot_be_mixed():
    full = ["--workspace=w", "--display=99", "--generation=g", "--attempt=a"]
    assert "url" in refused("session", "begin", "--job=j", *full, "--url=https://a.example")
    bound = parse(["session", "begin", "--job=j", *full], width=WIDTH).options
    assert bound.fields == {
        "workspace_id": "w",
        "display_id": 99,
        "display_target": "display_99",
        "capture_generation": "g",
    }


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_help_has_an_example_and_keeps_to_the_width(path):
    for width in (60, 80, 200):
        answer = parse([*path, "--help"], width=width)
        assert (answer.err, answer.exit) == ("", 0)
        usage, _, examples = answer.out.partition("Examples:")
        assert usage.startswith(f"Usage: {' '.join(['understudy', *path])}")
        assert "understudy" in examples
        assert max(map(len, usage.splitlines())) <= min(width, 100)
        assert parse(["help", *path], width=width) == answer


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_example_parses(path):
    _, _, text = parse([*path, "--help"], width=WIDTH).out.partition("Examples:")
    lines = text.replace("\\\n", " ").splitlines()
    examples = [line.strip() for line in lines if "understudy " in line]
    assert examples
    for example in examples:
        answer = parse(words_of(example), width=WIDTH)
        assert not isinstance(answer, Text), (example, answer)


def words_of(example):
    """Return an example's words after the command's name, as a shell would split them."""
    words = shlex.split(example)
    words = words[words.index("understudy") + 1 :]
    redirected = [words.index(sign) for sign in "<>" if sign in words]
    return words[: min(redirected, default=len(words))]


def test_the_version_is_the_distribution_s():
    assert parse(["--version"], width=WIDTH).out == f"understudy {version('understudy-browser')}\n"


def test_parsing_depends_on_nothing_but_its_arguments(monkeypatch, capfd):
    before = [parse([*path, "--help"], width=72) for path in PATHS]
    monkeypatch.setattr(os, "environ", {"COLUMNS": "40", "_UNDERSTUDY_COMPLETE": "source_bash"})
    monkeypatch.chdir("/")
    assert [parse([*path, "--help"], width=72) for path in PATHS] == before
    argv = ["session", "freeze", "x", "--sequence", "1"]
    assert parse(argv, width=72).options == parse(list(argv), width=200).options
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "argv",
    [
        ("click", "--css", "a", "--css", "b"),
        ("click", "--css=a", "--css=a"),
        ("session", "freeze", "x", "--sequence", "1", "--sequence", "2"),
    ],
)
def test_an_option_of_one_value_is_not_given_twice(argv):
    assert "is given twice" in parse(argv, width=WIDTH).err


def test_an_option_of_several_values_is_given_as_often_as_there_are():
    many = parse(["select", "k7e1", "--value", "a", "--value", "b"], width=WIDTH)
    assert many.options.command["values"] == ["a", "b"]
    text = parse(["fill", "--css", "a", "--", "--css"], width=WIDTH)
    assert text.options.command["text"] == "--css"


def test_an_end_of_options_before_the_first_word_keeps_no_command_from_the_daemon(monkeypatch):
    sent = []
    monkeypatch.setattr("sys.argv", ["understudy", "--", "click", "k7e1", "--json"])
    monkeypatch.setattr(client, "run", lambda argv: sent.append(list(argv)) or 0)
    monkeypatch.setattr(os, "_exit", sent.append)
    main.main()
    assert sent == [["click", "k7e1", "--json"], 0]


def test_a_lost_line_knows_what_to_ask():
    def ask(*argv):
        invocation = parse(argv, width=WIDTH)
        return invocation.writes, invocation.ask

    assert ask("session", "status", "ecup-1") == (False, "understudy session status ecup-1")
    assert ask("session", "freeze", "ecup-1", "--sequence=1") == (
        True,
        "understudy session status ecup-1",
    )
    assert ask("session", "begin", "--job=a") == (True, "understudy session list")
    assert ask("session", "pipe") == (True, "understudy session list")
    assert ask("workspace", "list")[0] is False
    assert ask("workspace", "close", "bw") == (True, "understudy workspace list")
