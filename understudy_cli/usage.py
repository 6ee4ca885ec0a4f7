"""Usage errors: what was unknown or missing, and the nearest name, on stderr alone."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Protocol

import typer

from protocol.commandline import Text
from protocol.errors import Failure
from understudy_cli.exits import USAGE
from understudy_cli.render import encode_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""The usage error of the click that typer carries; its public subclass leads to it."""
LIKENESS = 0.5
"""How much of a word must agree with a name for the name to be offered instead."""
OTHER_NAMES = {"navigate": "open", "goto": "open", "key": "press", "hold_key": "hold"}
"""What requests and other tools call a verb, and how it is called here."""
TEXT_ARGUMENTS = frozenset({"words", "text"})
"""Arguments in which a person may mean any text, ``--help`` included."""


class Parameter(Protocol):
    """An option or argument of a command."""

    opts: list[str]


class Command(Protocol):
    """A node of the command tree, as far as it is walked here."""

    params: list[Parameter]


def refuse_usage(failure: Failure) -> Text:
    """Return the answer to a command line that is no command: nothing on stdout."""
    return Text("", encode_failure(failure).decode(), USAGE)


def find_unknown_command(root: object, argv: Sequence[str]) -> Failure | None:
    """Return the failure for the first word that names no command, None if all do."""
    path = "understudy"
    command: Any = root
    for word in argv:
        commands: Mapping[str, object] | None = getattr(command, "commands", None)
        if commands is None or word.startswith("-"):
            return None
        if word not in commands:
            return _unknown_command(root, path, word, command)
        path, command = f"{path} {word}", commands[word]
    return _missing_command(path, command)


def find_help_among_words(root: object, argv: Sequence[str]) -> Failure | None:
    """Return the failure for a ``--help`` that may be meant as a word of a verb."""
    command, rest = root, list(argv)
    while rest and (commands := getattr(command, "commands", None)):
        command = commands.get(rest.pop(0))
    words = rest[: rest.index("--")] if "--" in rest else rest
    if not _takes_text(command) or "--help" not in words or words == ["--help"]:
        return None
    return Failure(
        "usage",
        "--help stands among other words, and may be meant as text",
        "text that begins with a dash goes after --; for help, --help stands alone",
    )


def refuse_repeats(tree: typer.core.TyperGroup) -> None:
    """Let each command of a tree refuse an option of one value that is given twice.

    By itself the last one would count, and what was meant by the others be lost in silence.
    """
    waiting: list[Any] = [tree]
    while waiting:
        command = waiting.pop()
        waiting.extend(getattr(command, "commands", {}).values())
        command.make_parser = _strict(command.make_parser)


def _strict(make_parser: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def make(context: Any) -> Any:  # noqa: ANN401 - classes that typer keeps private
        parser = make_parser(context)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:  # noqa: ANN401
            parsed = parse(args=args)
            _verify_once(parsed[2])
            return parsed

        parser.parse_args = parse_args
        return parser

    return make


def _verify_once(given: Sequence[Any]) -> None:
    """Raise a usage failure for an option that stands twice among what was given in order."""
    for place, one in enumerate(given):
        is_single = one.param_type_name == "option" and not (one.multiple or one.is_flag)
        if is_single and one in given[:place]:
            raise Failure("usage", f"{one.opts[0]} is given twice", "give it once")


def describe_usage_error(error: Exception, root: object, argv: Sequence[str]) -> Failure:
    """Return our failure for a usage error of typer: unknown flag, missing or bad value."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else _command_path(root, argv)
    option = getattr(error, "option_name", None)
    if context is not None and option is not None and hasattr(error, "possibilities"):
        return _unknown_option(path, option, context.command)
    message: str = getattr(error, "format_message", error.__str__)()
    if "unexpected extra argument" in message:  # its words may be what somebody meant to type
        message = f'there are more words than "{path}" takes'
    return Failure("usage", _sentence(message), f'"{path} --help" shows how it is used')


def _command_path(root: object, argv: Sequence[str]) -> str:
    """Return the words of ``argv`` that name a command, after ``understudy``."""
    path, command = "understudy", root
    for word in argv:
        commands: Mapping[str, object] = getattr(command, "commands", {})
        if word not in commands:
            break
        path, command = f"{path} {word}", commands[word]
    return path


def _unknown_command(root: object, path: str, word: str, command: Command) -> Failure:
    near = _suggest(root, path, word, command)
    guess = f'did you mean "{near}"? ' if near else ""
    kind = "command" if path == "understudy" else f'command of "{path}"'
    return Failure("usage", f'"{word}" is no {kind}', f'{guess}"{path} --help" lists them all')


def _suggest(root: object, path: str, word: str, command: Command) -> str | None:
    """Return the command line that was meant: a flag, a verb that needs no noun, or one like it."""
    flag, verb = f"--{word}", OTHER_NAMES.get(word, word)
    if flag in _options(command):
        return f"{path} {flag}"
    top = getattr(root, "commands", {}).get(verb)
    if top is not None and not hasattr(top, "commands"):
        return f"understudy {verb}"
    near = _meant(word, getattr(command, "commands", {}))
    return f"{path} {near}" if near else None


def _meant(word: str, commands: Mapping[str, object]) -> str | None:
    """Return the command that a word stands for: a verb of a noun, or one like it."""
    below = (noun for noun, one in commands.items() if word in getattr(one, "commands", {}))
    noun = next(below, None)
    return f"{noun} {word}" if noun else _nearest(word, commands)


def _missing_command(path: str, command: object) -> Failure | None:
    commands: Mapping[str, object] | None = getattr(command, "commands", None)
    if commands is None:
        return None
    return Failure(
        "usage",
        f'"{path}" needs a command: {", ".join(commands)}',
        f'"{path} --help" says what each does',
    )


def _unknown_option(path: str, option: str, command: Command) -> Failure:
    message = f'"{path}" has no option {option}'
    if hasattr(command, "commands") and option in _options_below(command):
        return Failure("usage", message, "options come last, after the noun and the verb")
    near = "--help" if option == "-h" else _nearest(option, _options(command))
    guess = f"did you mean {near}? " if near else ""
    return Failure(
        "usage",
        message,
        f"{guess}a value that begins with a dash is passed as --option=VALUE, or after --",
    )


def _takes_text(command: object) -> bool:
    parameters: Sequence[object] = getattr(command, "params", ())
    return any(getattr(one, "name", "") in TEXT_ARGUMENTS for one in parameters)


def _options(command: Command) -> list[str]:
    names = [name for parameter in command.params for name in parameter.opts]
    return [name for name in names if name.startswith("-")]


def _options_below(command: Command) -> set[str]:
    below: Mapping[str, Command] = getattr(command, "commands", {})
    return set(_options(command)).union(*map(_options_below, below.values()))


def _nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a word; None when none is like it."""
    return next(iter(difflib.get_close_matches(word, known, 1, LIKENESS)), None)


def _sentence(message: str) -> str:
    line = " ".join(message.split()).rstrip(".")
    return line[:1].lower() + line[1:]
