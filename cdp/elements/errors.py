"""Why an act on an element is not done; nothing was sent when one of these is raised.

``code`` names the condition. What pages say (``seen``, ``was``, ``now``) is page text: it
is in attributes only, each bounded, never in the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cdp.errors import CdpError

if TYPE_CHECKING:
    from collections.abc import Sequence

SEEN_LIMIT = 10
"""Elements or options that an error lists."""


class ElementError(CdpError):
    """A condition of one element; ``seen`` lists what was there instead, as page text."""

    code: ClassVar[str]

    def __init__(self, message: str, seen: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.seen = tuple(seen[:SEEN_LIMIT])


class RefStale(ElementError):
    """The number is of another walk or document, or its element was removed."""

    code = "ref_stale"

    def __init__(self) -> None:
        super().__init__("the element is not in the page any more")


class RefChanged(ElementError):
    """The element's role or name is no longer what the snapshot said; pairs of (role, name)."""

    code = "ref_changed"

    def __init__(self, was: tuple[str, str], now: tuple[str, str]) -> None:
        what = "name" if was[0] == now[0] else "role"
        super().__init__(f"the element has another {what} than in its snapshot")
        self.was = was
        self.now = now


class NoMatch(ElementError):
    """No element fits the locator; ``seen`` are those that come near."""

    code = "no_match"

    def __init__(self, seen: Sequence[str]) -> None:
        super().__init__("no element of the page fits", seen)


class SeveralMatch(ElementError):
    """``count`` elements fit the locator; ``seen`` are the first of them."""

    code = "several_match"

    def __init__(self, count: int, seen: Sequence[str]) -> None:
        super().__init__(f"{count} elements of the page fit", seen)
        self.count = count


class SelectorInvalid(ElementError):
    """The css selector cannot be read; the message does not repeat it."""

    code = "selector_invalid"

    def __init__(self, selector: str) -> None:
        super().__init__("the CSS selector cannot be read")
        self.selector = selector


class NotVisible(ElementError):
    """The element is not drawn, has no area, or cannot be brought into view."""

    code = "not_visible"


class NotStable(ElementError):
    """The element kept moving."""

    code = "not_stable"


class ElementDisabled(ElementError):
    """The element, or the option to choose, is disabled or inert."""

    code = "disabled"


class NotEditable(ElementError):
    """The element takes no text: it is read-only, disabled, or no field."""

    code = "not_editable"


class Covered(ElementError):
    """Something else would receive the click; ``seen`` describes it."""

    code = "covered"


class NotFit(ElementError):
    """The element is no such thing as the act needs: no list, no check box, no file field."""

    code = "unfit_element"


class NoOption(ElementError):
    """A list has no such option; ``seen`` are those that it has."""

    code = "no_option"


class LineBreaks(ElementError):
    """A text with line breaks was to go into a field of one line."""

    code = "not_editable"


class Mismatch(ElementError):
    """The field cannot hold the value: it would be cut or changed.

    ``wanted`` and ``actual`` (what it holds now) are values, or lengths when ``secret``.
    """

    code = "mismatch"

    def __init__(self, wanted: object, actual: object, *, secret: bool) -> None:
        super().__init__("the field cannot hold that value")
        self.wanted = wanted
        self.actual = actual
        self.secret = secret


class NoHistory(ElementError):
    """There is nothing to go back or forward to."""

    code = "navigation_failed"

    def __init__(self) -> None:
        super().__init__("the tab's history has nothing there")
