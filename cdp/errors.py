"""What can go wrong between us and a Chromium, one class for each condition.

Every error carries its evidence as attributes. Texts come from Chromium or name
CDP methods, processes and files; none repeats a call's parameters, which may
hold what a person typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class CdpError(Exception):
    """A condition in the browser or on the way to it."""


class CallRefused(CdpError):
    """The browser answered a call with an error; ``code`` is JSON-RPC's."""

    def __init__(self, method: str, code: int, message: str, data: str = "") -> None:
        super().__init__(f"{method} was refused ({code}): {message}" + (f" {data}" if data else ""))
        self.method = method
        self.code = code
        self.message = message
        self.data = data


class CallTimedOut(CdpError):
    """A call was sent and no reply came within ``timeout_s`` seconds; it may still have worked."""

    def __init__(self, method: str, timeout_s: float) -> None:
        super().__init__(f"{method} had no reply within {timeout_s:g} s")
        self.method = method
        self.timeout_s = timeout_s


class CallNotEncodable(CdpError):
    """A call's parameters have no JSON form (a lone surrogate, say); nothing was sent."""

    def __init__(self, method: str, problem: str) -> None:
        super().__init__(f"the parameters of {method} have no JSON form: {problem}")
        self.method = method
        self.problem = problem


class ConnectionClosed(CdpError):
    """The connection to the browser is over; ``reason`` says what ended it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the connection to the browser is closed: {reason}")
        self.reason = reason


class SessionDetached(CdpError):
    """The CDP session ended (its target was closed, or it was detached)."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"the CDP session {session_id} is detached")
        self.session_id = session_id


class TargetCrashed(CdpError):
    """The renderer of the session's target crashed while a reply was awaited."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"the page of the CDP session {session_id} crashed")
        self.session_id = session_id


class EventsOverflowed(CdpError):
    """A subscription's buffer of ``limit`` events ran full; later events were not kept."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} events waited unread")
        self.limit = limit


class EventTimedOut(CdpError):
    """None of the awaited events came within ``timeout_s`` seconds."""

    def __init__(self, methods: tuple[str, ...], timeout_s: float) -> None:
        super().__init__(f"no {' or '.join(methods)} within {timeout_s:g} s")
        self.methods = methods
        self.timeout_s = timeout_s


class MessageMalformed(CdpError):
    """The far side sent something that is no CDP message."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"not a CDP message: {problem}")
        self.problem = problem


class MessageTooLarge(CdpError):
    """A message is over the transport's limit; both figures are bytes."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"a message of {size} bytes is over the limit of {limit} bytes")
        self.size = size
        self.limit = limit


class BacklogFull(CdpError):
    """The browser reads too slowly: ``size`` unsent bytes pass ``limit``. Nothing was sent."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"{size} unsent bytes are over the limit of {limit} bytes")
        self.size = size
        self.limit = limit


class EndpointRefused(CdpError):
    """A websocket address that we do not connect to; nothing was sent to it."""

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(f"{url!r} is not a DevTools address that is used: {problem}")
        self.url = url
        self.problem = problem


class EndpointUnreachable(CdpError):
    """No DevTools websocket could be opened at ``url``."""

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(f"no DevTools connection to {url}: {problem}")
        self.url = url
        self.problem = problem


class BrowserNotFound(CdpError):
    """No usable browser; ``tried`` lists names and paths in the order of the search."""

    def __init__(self, problem: str, tried: tuple[str, ...]) -> None:
        super().__init__(problem)
        self.problem = problem
        self.tried = tried


class LaunchFailed(CdpError):
    """The browser did not come up; ``output`` is the end of what it printed."""

    def __init__(self, problem: str, output: str = "") -> None:
        super().__init__(f"the browser did not start: {problem}" + _indented(output))
        self.problem = problem
        self.output = output


class ViewportRefused(CdpError):
    """The page did not take the wanted viewport; ``actual`` is what it reported."""

    def __init__(self, wanted: str, actual: str) -> None:
        super().__init__(f"the page's viewport is {actual}, not {wanted}")
        self.wanted = wanted
        self.actual = actual


class ProfileBusy(CdpError):
    """A profile directory could not be removed in time; ``problem`` is the last obstacle."""

    def __init__(self, directory: Path, problem: str) -> None:
        super().__init__(f"the profile {directory} could not be removed: {problem}")
        self.directory = directory
        self.problem = problem


class ProcessSurvived(CdpError):
    """A process of ours was still there after SIGKILL and a wait of ``timeout_s`` seconds."""

    def __init__(self, pid: int, timeout_s: float) -> None:
        super().__init__(f"process {pid} is still there {timeout_s:g} s after SIGKILL")
        self.pid = pid
        self.timeout_s = timeout_s


def _indented(output: str) -> str:
    lines = output.strip().splitlines()
    return "".join(f"\n  {line}" for line in lines)
