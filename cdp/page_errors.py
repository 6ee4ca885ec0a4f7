"""What can go wrong with one page, one class for each condition.

No text repeats what a person typed or what a page says; pages speak in attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp.errors import CdpError

if TYPE_CHECKING:
    from cdp.dialog import Dialog


class PageSealed(CdpError):
    """Input or navigation was asked of a page that takes none any more; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("the page is sealed: it takes no input any more")


class DialogHeld(CdpError):
    """A dialog is open and nobody answers it; the page does nothing until it is closed."""

    def __init__(self, dialog: Dialog) -> None:
        super().__init__(f"a dialog is open ({dialog.kind})")
        self.dialog = dialog


class NoDialogOpen(CdpError):
    """An answer without a dialog that waits for one; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("no dialog waits for an answer")


class DialogStays(CdpError):
    """Chromium did not take the answer; the dialog is open still."""

    def __init__(self) -> None:
        super().__init__("the browser did not take the answer to the dialog")


class UnknownKey(CdpError):
    """No key of ours has that name, or it is no modifier; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("no key has that name")


class SchemeRefused(CdpError):
    """A URL that is neither http(s) nor about:blank; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("only http, https and about:blank can be navigated to")


class CaptureUnusable(CdpError):
    """A capture is no whole PNG of the wanted size; ``problem`` says why."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the capture cannot be used: {problem}")
        self.problem = problem


class DocumentUnsettled(CdpError):
    """The page changed its document at each of ``attempts`` tries to read it whole."""

    def __init__(self, attempts: int) -> None:
        super().__init__(f"the document changed during each of {attempts} reads")
        self.attempts = attempts


class ScriptFailed(CdpError):
    """A script of ours threw in the page's isolated world."""

    def __init__(self) -> None:
        super().__init__("a script of ours failed in the page")
