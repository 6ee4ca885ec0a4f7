"""PNG structure: what is whole, and each way of not being it."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Failure
from protocol.pictures import MAX_PNG_BYTES, Frame, PictureRefused, parse_frame, parse_png
from tests.fakes.pictures import chunk, png_of

SIGNATURE = b"\x89PNG\r\n\x1a\n"
IDAT = chunk(b"IDAT", zlib.compress(b"\0\0"))
IEND = chunk(b"IEND", b"")


def ihdr(width=1, height=1, depth=8, colour=0, compression=0, filtering=0, interlace=0):
    fields = (width, height, depth, colour, compression, filtering, interlace)
    return chunk(b"IHDR", struct.pack(">II5B", *fields))


def test_a_frame_is_told_by_digest_length_and_size():
    picture = png_of(320, 200)
    frame = parse_frame(picture)
    assert (frame.byte_length, frame.width, frame.height) == (len(picture), 320, 200)
    assert frame.wire() == {
        "sha256": frame.sha256,
        "byteLength": len(picture),
        "width": 320,
        "height": 200,
    }
    assert parse_frame(png_of(320, 200, 1)).sha256 != frame.sha256
    assert isinstance(frame, Frame)


def test_other_chunks_may_stand_between():
    note = chunk(b"tEXt", b"k\0v")
    assert parse_png(SIGNATURE + ihdr(2, 3) + note + IDAT + IDAT + note + IEND) == (2, 3)


BROKEN = {
    "nothing": b"",
    "signature only": SIGNATURE,
    "jpeg": b"\xff\xd8\xff\xe0",
    "text mode damage": SIGNATURE.replace(b"\r\n", b"\n") + ihdr() + IDAT + IEND,
    "no header": SIGNATURE + IDAT + IEND,
    "header second": SIGNATURE + chunk(b"tEXt", b"") + ihdr() + IDAT + IEND,
    "two headers": SIGNATURE + ihdr() + ihdr() + IDAT + IEND,
    "short header": SIGNATURE + chunk(b"IHDR", b"\0" * 12) + IDAT + IEND,
    "no data": SIGNATURE + ihdr() + IEND,
    "no end": SIGNATURE + ihdr() + IDAT,
    "two ends": SIGNATURE + ihdr() + IDAT + IEND + IEND,
    "something after the end": SIGNATURE + ihdr() + IDAT + IEND + b"\0",
    "a chunk after the end": SIGNATURE + ihdr() + IDAT + IEND + chunk(b"tEXt", b""),
    "chunk past the end": SIGNATURE + ihdr() + IDAT + b"\xff\xff\xff\xffIEND\0\0\0\0",
    "wrong checksum": SIGNATURE + ihdr() + IDAT[:-1] + bytes([IDAT[-1] ^ 1]) + IEND,
    "no width": SIGNATURE + ihdr(width=0) + IDAT + IEND,
    "no height": SIGNATURE + ihdr(height=0) + IDAT + IEND,
    "width beyond the format": SIGNATURE + ihdr(width=2**31) + IDAT + IEND,
    "depth 3": SIGNATURE + ihdr(depth=3) + IDAT + IEND,
    "colour 5": SIGNATURE + ihdr(colour=5) + IDAT + IEND,
    "colour 2 at depth 4": SIGNATURE + ihdr(depth=4, colour=2) + IDAT + IEND,
    "compression 1": SIGNATURE + ihdr(compression=1) + IDAT + IEND,
    "filtering 1": SIGNATURE + ihdr(filtering=1) + IDAT + IEND,
    "interlace 2": SIGNATURE + ihdr(interlace=2) + IDAT + IEND,
}


@pytest.mark.parametrize("picture", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_not_one_whole_png_is_refused(picture):
    with pytest.raises(PictureRefused) as caught:
        parse_frame(picture)
    assert caught.value.code == "external-proof-frame"


def test_no_cut_and_no_flipped_bit_passes():
    picture = png_of(4, 3)
    for length in range(len(picture)):
        with pytest.raises(PictureRefused):
            parse_png(picture[:length])
    for bit in range(len(picture) * 8):
        damaged = bytearray(picture)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(PictureRefused):
            parse_png(bytes(damaged))


def test_too_large_is_a_condition_of_its_own():
    assert parse_frame(png_of(4096, 1)).width == 4096
    for picture in (png_of(4097, 1), png_of(1, 4097), b"\0" * (MAX_PNG_BYTES + 1)):
        with pytest.raises(Failure) as caught:
            parse_frame(picture)
        assert caught.value.code == "external-proof-frame-size"


@given(st.binary(max_size=200))
def test_no_bytes_are_refused_otherwise(data):
    for picture in (data, SIGNATURE + data, SIGNATURE + ihdr() + data):
        try:
            size = parse_png(picture)
        except PictureRefused:
            continue
        assert size == (1, 1)
