"""PNG files: their structure and size, without decoding a pixel.

Source: the PNG specification (ISO/IEC 15948), sections 5 and 11.2.2.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from protocol.errors import Failure, proof_failure
from protocol.viewports import MAX_SIDE

MAX_PNG_BYTES: Final = 9 * 1024 * 1024
"""A frame's base64 may have 12 MiB, so its bytes 9 MiB."""

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER: Final = struct.Struct(">II5B")
_CHUNK_OVERHEAD: Final = 12
_DEPTHS_BY_COLOUR: Final = {
    0: {1, 2, 4, 8, 16},
    2: {8, 16},
    3: {1, 2, 4, 8},
    4: {8, 16},
    6: {8, 16},
}


@dataclass(frozen=True, slots=True)
class Frame:
    """What identifies a picture: SHA-256 and length of its bytes, width and height in pixels."""

    sha256: str
    byte_length: int
    width: int
    height: int

    def wire(self) -> dict[str, object]:
        """Return the frame as replies and receipts have it, without the picture."""
        return {
            "sha256": self.sha256,
            "byteLength": self.byte_length,
            "width": self.width,
            "height": self.height,
        }


class PictureRefused(Failure):
    """The bytes are not one whole PNG; the message says what is wrong with them."""

    def __init__(self, condition: str) -> None:
        body = proof_failure("frame", f"The picture {condition}", "Take the picture again.")
        super().__init__(body.code, body.message, body.hint)


def parse_frame(png: bytes) -> Frame:
    """Return the frame that ``png`` is: whole, at most 4096x4096 and 9 MiB.

    Raises PictureRefused (``external-proof-frame``) if it is not one whole PNG, and
    Failure ``external-proof-frame-size`` if it is too large.
    """
    if len(png) > MAX_PNG_BYTES:
        raise _too_large(f"has {len(png)} bytes; at most {MAX_PNG_BYTES} are allowed")
    width, height = parse_png(png)
    if max(width, height) > MAX_SIDE:
        raise _too_large(f"is {width}x{height}; each side may have at most {MAX_SIDE} pixels")
    return Frame(sha256(png).hexdigest(), len(png), width, height)


def parse_png(png: bytes) -> tuple[int, int]:
    """Return width and height of a whole PNG; PictureRefused when it is not one.

    Whole means: signature, header first, every chunk inside the file with a right
    checksum, image data present, end chunk last with nothing after it.
    """
    if not png.startswith(_SIGNATURE):
        raise PictureRefused("does not begin as a PNG does")
    chunks = list(_chunks(png))
    names = [name for name, _ in chunks]
    if names[:1] != [b"IHDR"] or names.count(b"IHDR") != 1:
        raise PictureRefused("does not begin with its one header")
    if names[-1] != b"IEND" or names.count(b"IEND") != 1:
        raise PictureRefused("does not end with its one end chunk")
    if b"IDAT" not in names:
        raise PictureRefused("has no image data")
    return _size(chunks[0][1])


def _size(header: memoryview) -> tuple[int, int]:
    if len(header) != _HEADER.size:
        raise PictureRefused("has a header of the wrong length")
    width, height, depth, colour, compression, filtering, interlace = _HEADER.unpack(header)
    if not 0 < width < 2**31 or not 0 < height < 2**31:
        raise PictureRefused("has no area")
    if depth not in _DEPTHS_BY_COLOUR.get(colour, ()):
        raise PictureRefused("has a pixel format that PNG does not have")
    if compression or filtering or interlace > 1:
        raise PictureRefused("uses a method that PNG does not have")
    return width, height


def _chunks(png: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Name and body of each chunk; PictureRefused when one does not end or is damaged."""
    view, at = memoryview(png), len(_SIGNATURE)
    while at < len(png):
        if len(png) - at < _CHUNK_OVERHEAD:
            raise PictureRefused("ends within a chunk")
        length = int.from_bytes(view[at : at + 4])
        end = at + _CHUNK_OVERHEAD + length
        if end > len(png):
            raise PictureRefused("ends within a chunk")
        if zlib.crc32(view[at + 4 : end - 4]) != int.from_bytes(view[end - 4 : end]):
            raise PictureRefused("has a chunk whose checksum is wrong")
        yield bytes(view[at + 4 : at + 8]), view[at + 8 : end - 4]
        at = end


def _too_large(condition: str) -> Failure:
    return proof_failure("frame-size", f"The picture {condition}", "Use a smaller viewport.")
