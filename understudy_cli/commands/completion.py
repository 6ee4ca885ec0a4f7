"""``understudy completion``: the completion script of a shell, on stdout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from understudy_cli.commands.parameters import examples
from understudy_cli.exits import DONE
from understudy_cli.render import Output

if TYPE_CHECKING:
    from protocol.commandline import Host

commands = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Print a completion script, for your shell's own place for them.",
    epilog=examples("understudy completion bash"),
)


@dataclass(frozen=True)
class CompletionOptions:
    """The shell."""

    shell: str
    output: Output

    @property
    def writes(self) -> bool:
        """It prints."""
        return False

    @property
    def ask(self) -> str:
        """See Invocation."""
        return f"understudy completion {self.shell}"

    async def run(self, host: Host) -> int:
        """Print the script."""
        # the scripts are made from the whole tree, which imports this module
        from understudy_cli.completions import write_completion  # noqa: PLC0415

        await host.out(write_completion(self.shell).encode())
        return DONE


@commands.command(
    epilog=examples(
        "understudy completion bash > ~/.local/share/bash-completion/completions/understudy"
    )
)
def bash() -> CompletionOptions:
    """Print the completion script for bash."""
    return CompletionOptions("bash", Output())


@commands.command(epilog=examples("understudy completion zsh > ~/.zfunc/_understudy"))
def zsh() -> CompletionOptions:
    """Print the completion script for zsh; its directory must be in fpath."""
    return CompletionOptions("zsh", Output())


@commands.command(
    epilog=examples("understudy completion fish > ~/.config/fish/completions/understudy.fish")
)
def fish() -> CompletionOptions:
    """Print the completion script for fish."""
    return CompletionOptions("fish", Output())
