"""A host behind the real interface: it answers as it was told, and records all it is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Answer = dict[str, object] | Failure | Callable[[Mapping[str, object]], dict[str, object]]

PLACELESS: Mapping[str, Answer] = {
    "session.current": {"ok": True, "sessionId": None},
    "session.remember": {"ok": True},
}
"""What is answered when the test says nothing else: no session was begun from here."""


@dataclass
class RecordingHost:
    """``answers`` holds, per method, the replies in their order; the last one repeats."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    secrets: dict[str, bytes] = field(default_factory=dict)
    """Variables that only `variable` gives."""
    unwritable: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    """Paths that look writable and then are not, as on a disk that fills up."""
    environment: Mapping[str, str] = field(default_factory=dict)
    command_id: str = "0" * 32
    cwd: str = "/somewhere"
    width: int = 80
    stdin_tty: bool = False
    stdout_tty: bool = False
    stderr_tty: bool = False
    terminal: str = ""
    did: list[tuple[object, ...]] = field(default_factory=list)
    """Everything in order: calls, requests, reads, preparations and writes."""
    modes: dict[str, int] = field(default_factory=dict)
    stdout: bytes = b""
    stderr: bytes = b""

    async def call(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        self.did.append(("call", method, dict(params)))
        answers = self.answers.get(method) or [PLACELESS[method]]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Failure):
            raise answer
        return answer(params) if callable(answer) else answer

    async def request(self, raw: bytes) -> dict[str, object]:
        self.did.append(("request", raw))
        answers = self.answers["request"]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        assert isinstance(answer, dict)
        return answer

    async def read(self, path: str, limit: int) -> bytes:
        self.did.append(("read", path))
        data = self.stdin if path == "-" else self.files.get(path)
        if data is None:
            raise Failure("no_such_file", f"{path} cannot be read", "check the path")
        if len(data) > limit:
            raise Failure("input_too_large", f"{path} is too large", "pass less")
        return data

    async def read_line(self, limit: int) -> bytes | None:
        line, end, rest = self.stdin.partition(b"\n")
        if not line and not end:
            return None
        if len(line) > limit:
            raise Failure("input_too_large", "the line is too long", "pass less")
        self.stdin = rest
        return line

    async def variable(self, name: str, limit: int) -> bytes:
        self.did.append(("variable", name))
        if name not in self.secrets:
            raise Failure("no_such_variable", f"no variable {name}", "export it")
        return self.secrets[name]

    async def resolve(self, path: str) -> str:
        self.did.append(("resolve", path))
        if path not in self.files:
            raise Failure("no_such_file", f"{path} cannot be read", "check the path")
        return f"/real/{path}"

    async def prepare(self, path: str) -> None:
        self.did.append(("prepare", path))
        if path in self.unwritable:
            raise Failure("unwritable_file", f"{path} cannot be written", "choose another")

    async def write(self, path: str, data: bytes, mode: int) -> None:
        self.did.append(("write", path))
        if path in self.unwritable | self.broken:
            raise Failure("unwritable_file", f"{path} cannot be written", "choose another")
        self.files[path], self.modes[path] = data, mode

    async def out(self, data: bytes) -> None:
        self.stdout += data

    async def err(self, data: bytes) -> None:
        self.stderr += data

    @property
    def methods(self) -> list[str]:
        """The methods that were called, in order."""
        return [str(entry[1]) for entry in self.did if entry[0] == "call"]

    def params(self, method: str) -> dict[str, object]:
        """The parameters of the newest call of a method."""
        found = [entry[2] for entry in self.did if entry[:2] == ("call", method)]
        assert found, f"{method} was not called"
        assert isinstance(found[-1], dict)
        return found[-1]
