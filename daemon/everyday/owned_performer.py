"""`daemon.everyday.performer.Performer` over `cdp.elements`: translates commands and errors."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import trio

from cdp.elements.clicking import Click
from cdp.elements.errors import ElementError, Mismatch, RefChanged, SelectorInvalid
from cdp.elements.filling import Fill
from cdp.elements.looks import Looks
from cdp.elements.looks import Wait as PageWait
from cdp.elements.looks import WaitFor as PageWaitFor
from cdp.elements.looks import What as PageWhat
from cdp.elements.settling import settle
from cdp.elements.targets import By, Locator
from cdp.errors import CallRefused, CdpError, ConnectionClosed, SessionDetached, TargetCrashed
from cdp.page_errors import CaptureUnusable, DialogHeld, DocumentUnsettled, SchemeRefused
from cdp.pointer import Point
from cdp.walker.walking import ElementGone, PageTooLarge
from daemon.everyday.owned_acts import OwnedActs
from daemon.everyday.performer import DialogMet, Done, PageFailed, PageIdentity
from daemon.everyday.snapshots import Snapshots
from daemon.tab import Picture, TabGone, Under
from protocol.command_failures import CommandFailed
from protocol.commands import Look, Screenshot, TakeSnapshot, Wait, WaitFor
from protocol.snapshot_text import quote
from protocol.targets import LocatorTarget, PointTarget, RefTarget
from protocol.writes import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from cdp.capture import Capture
    from cdp.elements.acts import Act as PageAct
    from cdp.elements.targets import Target as ElementTarget
    from cdp.page import Page, PageState
    from cdp.target import PageTarget
    from daemon.everyday.performer import Act, NextGeneration
    from protocol.commands import Read, Write
    from protocol.targets import Target

SELECTOR_SHOWN = 120
"""Characters of a selector that the error about it repeats."""


WRITTEN = (
    "Nothing was typed. Keep to the field's limits, and write what it holds as it does:"
    " 2026-02-28, 13:45, 2026-02-28T13:45, 2026-W09, 2026-02, #ff00aa, 35."
)


class OwnedPerformer:
    """Does commands on a page of ours; files to upload are copied below ``uploads``."""

    def __init__(
        self,
        page: Page,
        next_generation: NextGeneration,
        uploads: Path,
    ) -> None:
        self._page = page
        self._looks = Looks(page)
        self._snapshots = Snapshots(page.target, next_generation)
        self._acts = OwnedActs(page, self._target, uploads)

    @property
    def sent_count(self) -> int:
        """See Performer."""
        return self._page.target.sent_count

    @property
    def loader_id(self) -> str:
        """See Performer."""
        return self._page.target.main.document.loader_id

    @property
    def dialog(self) -> Mapping[str, object] | None:
        """See Performer."""
        held = self._page.target.interrupts.held
        if not isinstance(held, DialogHeld):
            return None
        dialog = held.dialog
        return {
            "number": dialog.number,
            "type": dialog.kind,
            "message": dialog.message,
            "defaultPrompt": dialog.default_prompt,
            "url": dialog.url,
        }

    def act(self, write: Write) -> Act:
        """See Performer."""
        return _OwnedAct(self._page.target, self._acts, write)

    async def look(self, read: Read, *, timeout_s: float) -> Mapping[str, object]:
        """See Performer."""
        with _translated():
            match read:
                case TakeSnapshot():
                    within = None if read.within is None else self._target(read.within)
                    return await self._snapshots.take(read, within)
                case Wait():
                    return await self._wait(read, timeout_s)
                case Look():
                    return await self._read(read)
                case Screenshot():
                    return await self._screenshot(read)
        raise AssertionError(f"a read of type {read.type}")

    async def probe(self, target: Target) -> Mapping[str, object]:
        """See Performer."""
        with _translated():
            return {"state": await self._looks.read(PageWhat.STATE, self._target(target))}

    async def identify(self, *, timeout_s: float) -> PageIdentity:
        """See Performer."""
        document = self._page.target.main.document
        with trio.move_on_after(timeout_s):
            try:
                state = await self._page.read_state()
            except CdpError:
                pass  # a page that cannot say its title still has its address
            else:
                return _identity_of(state)
        return PageIdentity(document.url, "", document.loader_id, failed=document.failed)

    # --- reads ------------------------------------------------------------------------

    async def _wait(self, read: Wait, timeout_s: float) -> Mapping[str, object]:
        target = None if read.target is None else self._target(read.target)
        wait = PageWait(PageWaitFor(read.wanted.value), read.value, target, read.ms)
        limit_s = timeout_s if read.wanted is WaitFor.MS else read.timeout_ms / 1000
        waited = await self._looks.wait(wait, timeout_s=min(limit_s, timeout_s))
        if waited.met:
            return {"met": True}
        raise CommandFailed(
            "timed_out",
            f"What was waited for ({read.wanted}) did not come in time",
            hint="What is still missing is listed. It is safe to wait again.",
            seen=list(waited.pending),
            safe_to_retry=True,
        )

    async def _read(self, read: Look) -> Mapping[str, object]:
        target = None if read.target is None else self._target(read.target)
        return {"value": await self._looks.read(PageWhat(read.what.value), target, read.name)}

    async def _screenshot(self, read: Screenshot) -> Mapping[str, object]:
        return Picture.of((await self._capture(read)).png).wire()

    async def _capture(self, read: Screenshot) -> Capture:
        if read.full:
            return await self._looks.capture_full()
        if read.target is not None:
            return await self._looks.capture_element(self._target(read.target))
        state = await self._page.read_state()
        return await self._page.capture(state.width, state.height)

    # --- targets ----------------------------------------------------------------------

    def _target(self, target: Target) -> ElementTarget:
        match target:
            case RefTarget():
                return self._snapshots.resolve(target)
            case PointTarget():
                return Point(target.x, target.y)
            case LocatorTarget():
                return _locator(target)


class _OwnedAct:
    """One act; it is made when it is prepared, so that a bad ref is a failed check."""

    def __init__(self, target: PageTarget, acts: OwnedActs, write: Write) -> None:
        self._target = target
        self._acts = acts
        self._write = write
        self._act: PageAct | None = None

    async def prepare(self) -> Under | None:
        """See Act."""
        with _translated():
            self._act = self._act or await self._acts.make(self._write)
            under = (await self._act.prepare()).under
        return Under(under.role, under.name, under.origin) if under.tag else None

    async def perform(self, then: Act | None = None) -> Done:
        """See Act."""
        if self._act is None:
            raise AssertionError("it was not prepared")
        if isinstance(self._act, Click | Fill) and isinstance(then, _OwnedAct):
            following = then.make_ahead()
            self._act.ahead.then = None if following is None else following.ahead
        with _translated():
            done = await self._act.perform()
            if not done.settled:
                await settle(self._target)
        return Done(Status(done.status.value), done.code, done.detail, dict(done.seen))

    def make_ahead(self) -> Click | Fill | None:
        """Make the act now, if its element can be looked at ahead."""
        act = self._acts.make_ahead(self._write)
        self._act = act
        return act


def _locator(target: LocatorTarget) -> Locator:
    return Locator(By(target.by.value), target.value, target.name)


def _identity_of(state: PageState) -> PageIdentity:
    url, failed = state.unreachable or state.url, bool(state.unreachable)
    return PageIdentity(url, state.title, state.loader_id, state.status, failed)


_GONE = (ConnectionClosed, SessionDetached, TargetCrashed)


@contextmanager
def _translated() -> Iterator[None]:
    """Translate what ``cdp`` raises into what a command's caller is told."""
    try:
        yield
    except DialogHeld as held:
        raise DialogMet from held
    except SelectorInvalid as error:
        selector = quote(error.selector[:SELECTOR_SHOWN])
        message = f"The CSS selector {selector} cannot be read"
        raise CommandFailed(error.code, message) from error
    except Mismatch as error:
        raise CommandFailed(
            error.code, _sentence(error), hint=WRITTEN, seen=_seen(error)
        ) from error
    except ElementError as error:
        raise CommandFailed(error.code, _sentence(error), seen=_seen(error)) from error
    except ElementGone as error:
        raise CommandFailed("ref_stale", _sentence(error)) from error
    except SchemeRefused as error:
        raise CommandFailed("origin", _sentence(error), hint="Use an http address.") from error
    except (PageTooLarge, DocumentUnsettled, CaptureUnusable) as error:
        raise CommandFailed("action_failed", _sentence(error)) from error
    except _GONE as error:
        raise TabGone(str(error)) from error
    except CdpError as error:
        raise PageFailed(str(error), refused=isinstance(error, CallRefused)) from error


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]


def _seen(error: ElementError) -> object:
    if isinstance(error, RefChanged):
        return {"was": list(error.was), "now": list(error.now)}
    if isinstance(error, Mismatch):
        return {"wanted": error.wanted, "actual": error.actual, "secret": error.secret}
    return list(error.seen) or None
