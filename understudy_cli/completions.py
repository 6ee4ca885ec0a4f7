"""Completion scripts for bash, zsh and fish, made from the command tree.

They are static: completing a word starts no process and needs no daemon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy_cli.outline import outline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from understudy_cli.outline import Command, Flag

NOTE = "Generated from the command tree: understudy completion"


def write_completion(shell: str) -> str:
    """Return the script for bash, zsh or fish."""
    return {"bash": _write_bash, "zsh": _write_zsh, "fish": _write_fish}[shell](outline())


def _verbs(root: Command) -> list[Command]:
    return [command for command in root.walk() if command.path and not command.commands]


def _nouns(root: Command) -> list[Command]:
    return [command for command in root.commands if command.commands]


def _takes(root: Command, value: str) -> list[str]:
    """Return the flags, of any command, whose value is of a kind."""
    flags = (flag for command in root.walk() for flag in command.flags)
    return sorted({flag.name for flag in flags if flag.value == value})


def _takes_other(root: Command) -> list[str]:
    flags = (flag for command in root.walk() for flag in command.flags)
    return sorted({flag.name for flag in flags if flag.value not in ("", "FILE", "DIR")})


def _wants_file(command: Command) -> bool:
    return any("FILE" in argument.name for argument in command.arguments)


def _names(things: Iterable[Command | Flag]) -> str:
    return " ".join(thing.name for thing in things)


def _write_bash(root: Command) -> str:
    nouns = [
        _bash_case(f'"{noun.name} "', f"{_names(noun.commands)} --help") for noun in _nouns(root)
    ]
    verbs = [_bash_case(_bash_words(verb), _names(verb.flags)) for verb in _verbs(root)]
    files = "|".join(_bash_words(command) for command in _verbs(root) if _wants_file(command))
    return f"""\
# {NOTE} bash

_understudy_paths() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null  # only here: a command is no directory of its name
    COMPREPLY=($(compgen "$1" -- "$2"))
}}

_understudy() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} noun= verb= words=
    COMPREPLY=()
    ((COMP_CWORD > 1)) && noun=${{COMP_WORDS[1]}}
    ((COMP_CWORD > 2)) && verb=${{COMP_WORDS[2]}}
    case $prev in
        {"|".join(_takes(root, "FILE"))}) _understudy_paths -f "$cur"; return ;;
        {"|".join(_takes(root, "DIR"))}) _understudy_paths -d "$cur"; return ;;
        {"|".join(_takes_other(root))}) return ;;
    esac
    case "$noun $verb" in
        " ") words="{_names(root.commands)} {_names(root.flags)}" ;;
{chr(10).join(nouns)}
{chr(10).join(verbs)}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    case "$noun $verb" in
        {files}) [[ $cur == -* ]] || _understudy_paths -f "$cur" ;;
    esac
}}
complete -F _understudy understudy
"""


def _bash_words(verb: Command) -> str:
    """Return the pattern of a verb; one at the top may have any word after it."""
    return f'"{" ".join(verb.path)}"' if len(verb.path) > 1 else f'"{verb.name} "*'


def _bash_case(pattern: str, completed: str) -> str:
    return f'        {pattern}) words="{completed}" ;;'


def _write_zsh(root: Command) -> str:
    cases = "\n".join(_zsh_noun(command) for command in root.commands)
    return f"""\
#compdef understudy
# {NOTE} zsh

_understudy() {{
    local -a commands
    if ((CURRENT == 2)); then
        commands=(
{_zsh_list(root.commands, "            ")}
        )
        _describe command commands
        _arguments {" ".join(_zsh_flag(flag) for flag in root.flags)}
        return
    fi
    case $words[2] in
{cases}
    esac
}}

_understudy "$@"
"""


def _zsh_noun(noun: Command) -> str:
    if not noun.commands:
        return f"        {noun.name})\n{_zsh_arguments(noun, '            ')}\n            ;;"
    verbs = "\n".join(
        f"                {verb.name})\n{_zsh_arguments(verb, ' ' * 20)}\n                    ;;"
        for verb in noun.commands
    )
    return f"""\
        {noun.name})
            if ((CURRENT == 3)); then
                commands=(
{_zsh_list(noun.commands, " " * 20)}
                )
                _describe command commands
                return
            fi
            case $words[3] in
{verbs}
            esac
            ;;"""


def _zsh_arguments(command: Command, indent: str) -> str:
    skipped = len(command.path)
    specs = [_zsh_flag(flag) for flag in command.flags]
    if _wants_file(command):
        specs.append("'*:file:_files'")
    joined = f" \\\n{indent}    ".join(specs)
    return f"{indent}shift {skipped} words; ((CURRENT -= {skipped}))\n{indent}_arguments {joined}"


def _zsh_list(commands: Iterable[Command], indent: str) -> str:
    return "\n".join(f"{indent}'{command.name}:{_quoted(command.summary)}'" for command in commands)


def _zsh_flag(flag: Flag) -> str:
    told = _quoted(flag.help).replace("[", "(").replace("]", ")").replace(":", "\\:")
    action = {"FILE": "_files", "DIR": "_files -/"}.get(flag.value, " ")
    value = f":{flag.value.replace(':', ' ')}:{action}" if flag.value else ""
    return f"'{flag.name}[{told}]{value}'"


def _write_fish(root: Command) -> str:
    lines = [f"# {NOTE} fish", "complete -c understudy -f"]
    top = "-n __fish_use_subcommand"
    lines += [_fish(top, f"-a {noun.name}", noun.summary) for noun in root.commands]
    lines += [_fish(top, f"-l {flag.name[2:]}", flag.help) for flag in root.flags]
    for noun in _nouns(root):
        inside = f"__fish_seen_subcommand_from {noun.name}"
        others = f"not __fish_seen_subcommand_from {_names(noun.commands)}"
        condition = f'-n "{inside}; and {others}"'
        lines += [_fish(condition, f"-a {verb.name}", verb.summary) for verb in noun.commands]
    for verb in _verbs(root):
        words = [f"__fish_seen_subcommand_from {word}" for word in verb.path]
        if len(verb.path) == 1:
            words.append(f"not __fish_seen_subcommand_from {_names(_nouns(root))}")
        condition = f'-n "{"; and ".join(words)}"'
        lines += [_fish(condition, _fish_flag(flag), flag.help) for flag in verb.flags]
        if _wants_file(verb):
            lines.append(f"complete -c understudy {condition} -F")
    return "\n".join(lines) + "\n"


def _fish(condition: str, what: str, told: str) -> str:
    escaped = told.replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c understudy {condition} {what} -d '{escaped}'"


def _fish_flag(flag: Flag) -> str:
    value = {"": "", "FILE": " -r -F", "DIR": " -x -a '(__fish_complete_directories)'"}
    return f"-l {flag.name[2:]}{value.get(flag.value, ' -x')}"


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''")
