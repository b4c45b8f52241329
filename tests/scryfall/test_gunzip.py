"""Each kind of damage to gzip data is told apart, however the data is cut up."""

from __future__ import annotations

import gzip

import pytest

from indexer.scryfall.gunzip import GzipDamage, GzipFault, GzipStream

TEXT = b"".join(b'{"n":%d}\n' % i for i in range(40_000))
GOOD = gzip.compress(TEXT, 6, mtime=0)
SMALL = gzip.compress(b'{"a":1}\n', mtime=0)


def unpack(data: bytes, piece: int, stream: GzipStream | None = None) -> bytes:
    stream = stream or GzipStream()
    out = b"".join(block for i in range(0, len(data), piece) for block in stream.feed(data[i : i + piece]))
    stream.finish()
    return out


PIECES = pytest.mark.parametrize("piece", [1, 2, 7, 1000, 1 << 20])


@PIECES
@pytest.mark.parametrize(
    ("data", "expected", "members"),
    [
        (SMALL, b'{"a":1}\n', 1),
        (SMALL * 3, b'{"a":1}\n' * 3, 3),
        (gzip.compress(b""), b"", 1),
        (gzip.compress(b"") + SMALL, b'{"a":1}\n', 2),
        (SMALL + bytes(512), b'{"a":1}\n', 1),
        (SMALL + bytes(512) + SMALL + bytes(5), b'{"a":1}\n' * 2, 2),
        (GOOD, TEXT, 1),
    ],
    ids=["one", "three", "empty", "empty-and-one", "padded", "padded-between", "large"],
)
def test_sound(data: bytes, expected: bytes, members: int, piece: int) -> None:
    stream = GzipStream()
    assert unpack(data, piece, stream) == expected
    assert (stream.members, stream.packed, stream.unpacked) == (members, len(data), len(expected))


@PIECES
@pytest.mark.parametrize(
    ("data", "damage"),
    [
        (b"", GzipDamage.NOT_GZIP),
        (b"{", GzipDamage.NOT_GZIP),
        (b'{"a":1}\n', GzipDamage.NOT_GZIP),
        (bytes(20), GzipDamage.NOT_GZIP),
        (b"\x1f", GzipDamage.TRUNCATED),
        (SMALL[:5], GzipDamage.TRUNCATED),
        (SMALL[:-1], GzipDamage.TRUNCATED),
        (GOOD[: len(GOOD) // 2], GzipDamage.TRUNCATED),
        (SMALL + SMALL[:12], GzipDamage.TRUNCATED),
        (SMALL + b"\x1f", GzipDamage.TRUNCATED),
        (SMALL[:-8] + b"\0\0\0\0" + SMALL[-4:], GzipDamage.CORRUPT),
        (SMALL[:-4] + b"\0\0\0\0", GzipDamage.CORRUPT),
        (b"\x1f\x8b\x07" + SMALL[3:], GzipDamage.CORRUPT),
        (GOOD[:5000] + bytes(100) + GOOD[5100:], GzipDamage.CORRUPT),
        (SMALL + b"x", GzipDamage.TRAILING_GARBAGE),
        (SMALL + b"\x1fx and so on", GzipDamage.TRAILING_GARBAGE),
        (SMALL + bytes(10) + b"<html>", GzipDamage.TRAILING_GARBAGE),
    ],
)  # fmt: skip
def test_damaged(data: bytes, damage: GzipDamage, piece: int) -> None:
    with pytest.raises(GzipFault, match="^" + damage.value.replace("(", r"\(").replace(")", r"\)")) as caught:
        unpack(data, piece)
    assert caught.value.damage is damage


def test_what_comes_before_garbage_is_given() -> None:
    blocks = GzipStream().feed(SMALL + b"garbage")
    assert next(blocks) == b'{"a":1}\n'
    with pytest.raises(GzipFault):
        next(blocks)


def test_a_bomb_stops_after_64_megabytes() -> None:
    stream = GzipStream()
    bomb = gzip.compress(bytes(8 << 20), 9) * 20
    with pytest.raises(GzipFault, match="200 times as many") as caught:
        unpack(bomb, 1 << 14, stream)
    assert caught.value.damage is GzipDamage.TOO_LARGE
    assert stream.unpacked < 65 << 20


def test_small_data_may_be_as_dense_as_it_likes() -> None:
    assert unpack(gzip.compress(bytes(1 << 20), 9), 1 << 16) == bytes(1 << 20)


def test_limit_on_bytes() -> None:
    with pytest.raises(GzipFault, match="more than 1000 bytes"):
        unpack(GOOD, 100, GzipStream(max_unpacked=1000))
