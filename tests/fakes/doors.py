"""A daemon whose commands are made for trying the doors, behind the real interfaces.

Run as a module it is a real daemon process: ``python -m tests.fakes.doors STATE``.
The thin client, the frames, the server and the hosting are the real ones.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from daemon import main as daemon_main
from daemon.runtime import Facility
from protocol.commandline import Text
from protocol.errors import Failure
from protocol.framing import encode_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from daemon.dispatch import Caller
    from daemon.runtime import Runtime
    from protocol.commandline import Host

Work = Callable[["Host", Sequence[str]], Awaitable[int]]


@dataclass(frozen=True)
class Try:
    """One command of the fake tree."""

    work: Work
    arguments: Sequence[str]
    writes: bool
    ask: str = "understudy try ask"

    async def run(self, host: Host) -> int:
        try:
            return await self.work(host, self.arguments)
        except Failure as failure:
            await host.err(encode_text(f"{failure.code}: {failure.message}\n"))
            return 2


async def echo(host: Host, arguments: Sequence[str]) -> int:
    await host.out(b"\0".join(encode_text(argument) for argument in arguments))
    return 0


async def facts(host: Host, arguments: Sequence[str]) -> int:
    environment = [f"{name}={value}" for name, value in sorted(host.environment.items())]
    ttys = f"{host.stdin_tty:d}{host.stdout_tty:d}{host.stderr_tty:d}"
    told = [host.cwd, str(host.width), ttys, host.terminal, *environment]
    await host.out(encode_text("\n".join(told) + "\n"))
    return 0


async def cat(host: Host, arguments: Sequence[str]) -> int:
    await host.out(await host.read(arguments[0], int(arguments[1])))
    return 0


async def variable(host: Host, arguments: Sequence[str]) -> int:
    await host.out(await host.variable(arguments[0], int(arguments[1])))
    return 0


async def resolve(host: Host, arguments: Sequence[str]) -> int:
    await host.out(encode_text(await host.resolve(arguments[0])))
    return 0


async def lines(host: Host, arguments: Sequence[str]) -> int:
    number = 0
    while (line := await host.read_line(1000)) is not None:
        number += 1
        await host.out(b"%d:%s\n" % (number, line))
    return number


async def put(host: Host, arguments: Sequence[str]) -> int:
    path, mode, text = arguments
    await host.write(path, encode_text(text), int(mode, 8))
    return 0


async def put_big(host: Host, arguments: Sequence[str]) -> int:
    await host.write(arguments[0], b"x" * int(arguments[1]), 0o600)
    return 0


async def ready(host: Host, arguments: Sequence[str]) -> int:
    await host.prepare(arguments[0])
    return 0


async def big(host: Host, arguments: Sequence[str]) -> int:
    await host.out("é".encode() * int(arguments[0]))
    return 0


async def streams(host: Host, arguments: Sequence[str]) -> int:
    await host.out(b"out\n")
    await host.err(b"err\n")
    return int(arguments[0])


async def linger(host: Host, arguments: Sequence[str]) -> int:
    """Leave a mark, wait as long as told, leave another; marks show what ran to its end.

    A third, ``cut-short``, is left by one that was not let wait.
    """
    began, ended, wait_s = arguments
    await trio.Path(host.cwd, began).touch()
    await host.err(b"begun\n")
    try:
        await trio.sleep(float(wait_s))
    except trio.Cancelled:
        with trio.CancelScope(shield=True):
            await trio.Path(host.cwd, "cut-short").touch()
        raise
    await host.out(b"x" * 100_000)
    await trio.Path(host.cwd, ended).touch()
    return 0


async def want_stdin(host: Host, arguments: Sequence[str]) -> int:
    """Wait for stdin, and mark how that ended."""
    await host.err(b"begun\n")
    try:
        await host.read("-", 1000)
    except Failure as failure:
        await trio.Path(arguments[0]).write_text(failure.code)
        return 2
    return 0


async def nested(host: Host, arguments: Sequence[str]) -> int:
    reply = await host.call(arguments[0], {})
    await host.out(encode_text(repr(reply["ok"])))
    return 0


async def broken(host: Host, arguments: Sequence[str]) -> int:
    raise RuntimeError("a mistake of ours")


READS: Mapping[str, Work] = {
    "echo": echo, "facts": facts, "cat": cat, "lines": lines, "big": big, "streams": streams,
    "linger-read": linger, "nested": nested, "broken": broken, "stdin-read": want_stdin,
    "variable": variable, "resolve": resolve,
}  # fmt: skip
WRITES: Mapping[str, Work] = {
    "put": put, "put-big": put_big, "ready": ready, "linger-write": linger,
    "stdin-write": want_stdin, "lines-write": lines, "big-write": big,
}  # fmt: skip


class FakeCommandLine:
    """``try WORK ARGUMENT…``."""

    def parse(self, argv: Sequence[str], *, width: int) -> Try | Text:
        if argv[:1] != ["try"] and tuple(argv[:1]) != ("try",):
            return Text("", f"unknown command at width {width}\n", 2)
        name, arguments = argv[1], argv[2:]
        if name in READS:
            return Try(READS[name], arguments, writes=False)
        return Try(WRITES[name], arguments, writes=True)


async def _refuse(raw: bytes, caller: Caller) -> dict[str, object]:
    raise Failure("external-proof-json", f"{len(raw)} bytes of {caller.actor.principal_id}", "")


async def _whoami(params: Mapping[str, object], caller: Caller) -> dict[str, object]:
    return {"ok": True, "actor": caller.actor.wire(), "params": dict(params)}


async def _fail(params: Mapping[str, object], caller: Caller) -> dict[str, object]:
    raise Failure("conflict", "two of a kind", "take one")


async def _break(params: Mapping[str, object], caller: Caller) -> dict[str, object]:
    raise RuntimeError("a mistake of ours")


@asynccontextmanager
async def open_facility(_: Runtime) -> AsyncIterator[Facility]:
    yield Facility({"try.whoami": _whoami, "try.fail": _fail, "try.break": _break}, _refuse)


def main() -> None:
    state = sys.argv[1]
    daemon_main.run(
        FakeCommandLine(),
        open_facility,
        version="try",
        state=state,
        ready=Path(state, "ready").touch,
    )


if __name__ == "__main__":
    main()
