"""Headless displays: numbers an evidence session can be bound to.

A headless display has no screen server behind it; it is a number, an owner and
a *capture generation*. The generation is minted when the display is made and
again whenever the workspace on it ends, so that a binding names one workspace
on one display and never a later one.

Numbers lie in 99-199. A number that an X server of somebody else holds (its
socket or its lock file lies in the temporary directory) is never handed out.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from protocol.errors import Failure

FIRST_DISPLAY = 99
LAST_DISPLAY = 199

Mint = Callable[[str], str]
"""Makes a fresh id from its prefix: ``mint("bw-") -> "bw-<32 hex>"``."""


def mint_id(prefix: str) -> str:
    """Return ``prefix`` and 128 random bits as 32 lower-case hex characters."""
    return prefix + secrets.token_hex(16)


@dataclass
class Display:
    """One display of one actor, free or held by one workspace."""

    display_id: int
    owner: str
    generation: str
    workspace_id: str | None = None

    @property
    def target(self) -> str:
        """The display's name on the wire, ``display_<id>``."""
        return f"display_{self.display_id}"

    def wire(self) -> dict[str, object]:
        """Return the ``display`` member of a reply."""
        return {
            "displayId": self.display_id,
            "displayTarget": self.target,
            "captureGeneration": self.generation,
            "kind": "headless",
            "workspaceId": self.workspace_id,
        }


def decide_range(minimum: int | None, maximum: int | None) -> range:
    """Return the numbers that a caller asked for, both bounds inclusive.

    Raises Failure ``invalid_request`` for one bound alone, or bounds that are
    not a sub-range of 99-199.
    """
    if (minimum is None) != (maximum is None):
        raise Failure(
            "invalid_request",
            "one end of the display range is missing",
            "give both --min-display-id and --max-display-id, or neither",
        )
    first = FIRST_DISPLAY if minimum is None else minimum
    last = LAST_DISPLAY if maximum is None else maximum
    if not FIRST_DISPLAY <= first <= last <= LAST_DISPLAY:
        raise Failure(
            "invalid_request",
            f"{first} to {last} is not a range within {FIRST_DISPLAY} to {LAST_DISPLAY}",
            f"give a range within {FIRST_DISPLAY} to {LAST_DISPLAY}, the smaller number first",
        )
    return range(first, last + 1)


class Displays:
    """The displays of this daemon, by number.

    ``x_directory`` is where X servers keep ``.X11-unix/X<n>`` and ``.X<n>-lock``.
    """

    def __init__(self, *, x_directory: Path = Path("/tmp"), mint: Mint = mint_id) -> None:  # noqa: S108 - where X servers are
        self._x_directory = x_directory
        self._mint = mint
        self._displays: dict[int, Display] = {}

    def __len__(self) -> int:
        return len(self._displays)

    def create(
        self, owner: str, *, minimum: int | None = None, maximum: int | None = None
    ) -> Display:
        """Make a display with the lowest free number of the range.

        Raises Failure ``display_exhausted`` when none is free; a number outside
        the range is never used instead.
        """
        numbers = decide_range(minimum, maximum)
        number = next(self._free(numbers), None)
        if number is None:
            raise Failure(
                "display_exhausted",
                f"no display number from {numbers[0]} to {numbers[-1]} is free",
                "destroy a display (`understudy display list`) or widen the range",
                safe_to_retry=True,
            )
        display = Display(number, owner, self._mint("vdcg-"))
        self._displays[number] = display
        return display

    def list(self, owner: str) -> list[Display]:
        """Return the displays of ``owner`` in the order of their numbers."""
        mine = [display for display in self._displays.values() if display.owner == owner]
        return sorted(mine, key=lambda display: display.display_id)

    def get(self, owner: str, display_id: int) -> Display:
        """Return a display of ``owner``; another actor's is ``not_found`` too."""
        display = self._displays.get(display_id)
        if display is None or display.owner != owner:
            raise Failure(
                "not_found",
                f"there is no display {display_id}",
                "see `understudy display list`",
            )
        return display

    def destroy(self, owner: str, display_id: int) -> Display:
        """Forget a display; one that a workspace holds is a ``conflict``."""
        display = self.get(owner, display_id)
        if display.workspace_id is not None:
            raise Failure(
                "conflict",
                f"display {display_id} is held by workspace {display.workspace_id}",
                f"close it first: understudy workspace close {display.workspace_id}",
            )
        del self._displays[display_id]
        return display

    def occupy(self, owner: str, display_id: int, workspace_id: str) -> Display:
        """Give a free display to a workspace; a held one is a ``conflict``."""
        display = self.get(owner, display_id)
        if display.workspace_id is not None:
            raise Failure(
                "conflict",
                f"display {display_id} already has the workspace {display.workspace_id}",
                "close that workspace, or name another display",
            )
        display.workspace_id = workspace_id
        return display

    def vacate(self, display: Display) -> None:
        """Take a display from its workspace and mint its next generation."""
        display.workspace_id = None
        display.generation = self._mint("vdcg-")

    def _free(self, numbers: range) -> Iterator[int]:
        return (n for n in numbers if n not in self._displays and not self._is_foreign(n))

    def _is_foreign(self, number: int) -> bool:
        socket = self._x_directory / ".X11-unix" / f"X{number}"
        lock = self._x_directory / f".X{number}-lock"
        return any(path.exists() or path.is_symlink() for path in (socket, lock))
