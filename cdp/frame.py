"""A page's documents: which one the main frame shows, and our isolated worlds in frames.

A document is named by its loader id. Scripts of ours run in an isolated world, where
the page can neither see nor change them, with access to all frames of the process.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from cdp.errors import CallRefused, SessionDetached, TargetCrashed
from cdp.page_errors import ScriptFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cdp.connection import Call, CdpSession
    from cdp.guarded import GuardedSession
    from cdp.messages import Event

WORLD = "understudy"

_PRELUDE_PARTS = ("timers.js", "hit.js", "editing.js")

PRELUDE = "".join(Path(__file__).with_name(name).read_text() for name in _PRELUDE_PARTS)
"""What every world of ours defines, once: timers, `understudyHit` and `understudyEditing`."""


WORLD_ENDED = (CallRefused, SessionDetached, TargetCrashed, ScriptFailed)
"""What a script fails with when its document or its frame went away meanwhile."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the main frame; ``url`` has its fragment.

    ``unreachable`` is the address that an error page stands for, or "".
    """

    loader_id: str
    url: str
    unreachable: str = ""
    loaded: bool = False

    @property
    def failed(self) -> bool:
        """Whether it is an error page."""
        return bool(self.unreachable)


class MainFrame:
    """Follows the main frame's document by the events of the page's session."""

    def __init__(self, session: CdpSession, frame_id: str) -> None:
        self._session = session
        self._changed = trio.Event()
        self.frame_id = frame_id
        self.document = Document("", "")

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Follow for the length of the block; Page and lifecycle events are on by the caller."""
        session = self._session
        with (
            session.handler("Page.frameNavigated", self._navigated),
            session.handler("Page.navigatedWithinDocument", self._moved),
            session.handler("Page.lifecycleEvent", self._advanced),
        ):
            yield

    def adopt(self, frame: dict[str, Any], *, loaded: bool) -> None:
        """Take over the document that a frame tree names."""
        unreachable = str(frame.get("unreachableUrl") or "")
        self._become(Document(str(frame["loaderId"]), full_url(frame), unreachable, loaded))

    def move(self, url: str) -> None:
        """Note that the same document has another address."""
        self._become(replace(self.document, url=url))

    async def wait_change(self) -> None:
        """Return at the next change of the document, its address or its load."""
        await self._changed.wait()

    def _become(self, document: Document) -> None:
        self.document = document
        self._changed.set()
        self._changed = trio.Event()

    def _navigated(self, event: Event) -> None:
        frame = event.params.get("frame") or {}
        if frame.get("id") == self.frame_id:
            self.adopt(frame, loaded=False)

    def _moved(self, event: Event) -> None:
        if event.params.get("frameId") == self.frame_id:
            self.move(str(event.params.get("url")))

    def _advanced(self, event: Event) -> None:
        ours = event.params.get("loaderId") == self.document.loader_id
        if event.params.get("name") == "load" and ours and not self.document.loaded:
            self._become(replace(self.document, loaded=True))


def full_url(frame: dict[str, Any]) -> str:
    """Return the address of a frame's document, with its fragment."""
    return str(frame.get("url", "")) + str(frame.get("urlFragment") or "")


@dataclass(frozen=True, slots=True)
class Owner:
    """The element that a frame of another process is in: the world around it, its object id."""

    world: World
    object_id: str


class World:
    """Our isolated world in one frame; made anew when its document is replaced.

    ``owner`` is where the frame is in the page, None for the main frame.
    """

    def __init__(self, session: GuardedSession, frame_id: str) -> None:
        self.session = session
        self.frame_id = frame_id
        self.owner: Owner | None = None
        self._context_id: int | None = None

    def forget(self) -> None:
        """Drop the world of a document that was replaced."""
        self._context_id = None

    @property
    def context(self) -> int | None:
        """The execution context of the world as it is, None if there is none yet."""
        return self._context_id

    async def context_id(self) -> int:
        """Return the execution context of the world, made if there is none yet."""
        if self._context_id is None:
            # the parameter's name is misspelt in the protocol
            made = await self.session.call(
                "Page.createIsolatedWorld",
                frameId=self.frame_id,
                worldName=WORLD,
                grantUniveralAccess=True,
            )
            context_id = int(made["executionContextId"])
            reply = await self.session.call(
                "Runtime.evaluate", expression=PRELUDE, contextId=context_id
            )
            _result(reply)
            self._context_id = context_id
        return self._context_id

    async def run(self, function: str, *arguments: object, wait: bool = False) -> Any:  # noqa: ANN401 (JSON)
        """Return what a function declaration gives, by value; read-only functions only.

        It is run again, once, if the document was replaced meanwhile; if that is of no
        avail, WORLD_ENDED. ``wait`` awaits a promise.
        """
        try:
            return await self._run(function, arguments, wait=wait)
        except CallRefused:
            self.forget()
            return await self._run(function, arguments, wait=wait)

    async def hold(self, function: str, *arguments: object) -> str:
        """Return the remote object id of what a function gives."""
        try:
            result = await self._evaluate(function, arguments, by_value=False, wait=False)
        except CallRefused:
            self.forget()
            result = await self._evaluate(function, arguments, by_value=False, wait=False)
        return str(result["objectId"])

    async def run_on(
        self, object_id: str, function: str, *arguments: object, wait: bool = False
    ) -> Any:  # noqa: ANN401 (JSON)
        """Run a function with a held object as ``this``; CallRefused if it is gone."""
        reply = await self.session.call(
            "Runtime.callFunctionOn",
            functionDeclaration=function,
            objectId=object_id,
            arguments=[{"value": argument} for argument in arguments],
            returnByValue=True,
            awaitPromise=wait,
        )
        return _result(reply).get("value")

    async def run_call(self, function: str, *arguments: object) -> Call:
        """Return the call that runs a function by value in a pipeline; see `parse_run`."""
        return "Runtime.callFunctionOn", self._parameters(
            await self.context_id(), function, arguments, by_value=True
        )

    async def _run(self, function: str, arguments: tuple[object, ...], *, wait: bool) -> Any:  # noqa: ANN401 (JSON)
        return (await self._evaluate(function, arguments, by_value=True, wait=wait)).get("value")

    async def _evaluate(
        self, function: str, arguments: tuple[object, ...], *, by_value: bool, wait: bool
    ) -> dict[str, Any]:
        parameters = self._parameters(
            await self.context_id(), function, arguments, by_value=by_value
        )
        parameters["awaitPromise"] = wait
        (reply,) = await self.session.pipeline([("Runtime.callFunctionOn", parameters)])
        return _result(reply)

    @staticmethod
    def _parameters(
        context_id: int, function: str, arguments: tuple[object, ...], *, by_value: bool
    ) -> dict[str, object]:
        return {
            "functionDeclaration": function,
            "executionContextId": context_id,
            "arguments": [{"value": argument} for argument in arguments],
            "returnByValue": by_value,
        }


def parse_run(reply: dict[str, Any]) -> Any:  # noqa: ANN401 (JSON)
    """Return the value of a `World.run_call`'s reply; ScriptFailed when the function threw."""
    return _result(reply).get("value")


def _result(reply: dict[str, Any]) -> dict[str, Any]:
    if "exceptionDetails" in reply:
        raise ScriptFailed
    result: dict[str, Any] = reply.get("result") or {}
    return result
