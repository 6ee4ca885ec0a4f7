"""The size of a workspace in CSS pixels, which at scale 1 is also that of its frames."""

import re
from dataclasses import dataclass
from typing import Final

from protocol.errors import Failure

MAX_SIDE: Final = 4096
"""Neither side of a frame may be longer (receipt-v2, "Replies")."""

_TEXT = re.compile(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})")


@dataclass(frozen=True, slots=True)
class Viewport:
    """Width and height in CSS pixels, 1 to 4096 each."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    def wire(self) -> dict[str, int]:
        """Return the viewport as replies and state documents have it."""
        return {"width": self.width, "height": self.height}


DEFAULT_VIEWPORT: Final = Viewport(1280, 720)


def parse_viewport(value: object) -> Viewport:
    """Return the viewport in ``"WIDTHxHEIGHT"`` or ``{"width": …, "height": …}``.

    Raises Failure ``invalid_request``.
    """
    if isinstance(value, str) and (match := _TEXT.fullmatch(value)):
        return _viewport(int(match[1]), int(match[2]))
    if isinstance(value, dict) and value.keys() == {"width", "height"}:
        return _viewport(value["width"], value["height"])
    raise _refused()


def _viewport(width: object, height: object) -> Viewport:
    # `type` and not isinstance: True is an int to isinstance, and no length
    if type(width) is not int or type(height) is not int:
        raise _refused()
    if min(width, height) < 1 or max(width, height) > MAX_SIDE:
        raise _refused()
    return Viewport(width, height)


def _refused() -> Failure:
    return Failure(
        "invalid_request",
        f"A viewport is WIDTHxHEIGHT in pixels, each from 1 to {MAX_SIDE}",
        "Write it as in 1280x720.",
    )
