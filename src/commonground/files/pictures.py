"""Whether a file is a picture that can be shown: decided here, for anyone who reads pictures.

What is downloaded by the thousand has pages of errors, empty files and halves among it.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import msgspec

MOST_PIXELS = 100_000_000
"""Pixels of a picture that is decoded; a small file can say that it has many more (a bomb)."""

_MEDIA_TYPES = {
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",  # a JPEG with further pictures after it, as some cameras write
    "PNG": "image/png",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
"""By Pillow's name of the format. All browsers and models take them, and nothing in them runs."""

_ENDS = {"JPEG": b"\xff\xd9", "PNG": b"IEND\xaeB`\x82"}
"""Last bytes of a whole file; one that ends otherwise is decoded to see whether it is whole."""

_TAIL = 4096
_CACHED = 50_000


class Examined(msgspec.Struct, frozen=True):
    """What a file is as a picture.

    Attributes:
        fault: why it cannot be shown, as half a sentence: ``an empty file``; empty where it can.
        media_type: that its bytes are of, whatever its name says; empty where it is no picture.
        size: width and height in pixels; 0 and 0 where it is no picture.
    """

    fault: str = ""
    media_type: str = ""
    size: tuple[int, int] = (0, 0)


def examine_picture(path: Path, *, decode: bool = False) -> Examined:
    """Looks at a file, and decodes it where it is asked to or the end does not show a whole one."""
    try:
        about = path.stat()
    except (OSError, ValueError) as error:
        return Examined(f"a file that cannot be read ({_reason(error)})")
    return _examine(path, about.st_size, about.st_mtime_ns, decode)


@lru_cache(maxsize=_CACHED)
def _examine(
    path: Path,
    length: int,
    changed_ns: int,  # noqa: ARG001 - of the cache
    decode: bool,
) -> Examined:
    from PIL import Image, UnidentifiedImageError

    if not length:
        return Examined("an empty file")
    try:
        with warnings.catch_warnings():
            # Of sizes, which are looked at here, and of odd metadata.
            warnings.simplefilter("ignore")
            with Image.open(path) as picture:
                media_type = _MEDIA_TYPES.get(picture.format or "")
                if media_type is None:
                    return Examined(f"a file of format {picture.format}, which is not shown")
                width, height = picture.size
                if width * height > MOST_PIXELS:
                    return Examined(f"a picture of {width:,} by {height:,} pixels, too large")
                if decode or not _ends_well(path, picture.format or ""):
                    picture.load()
                return Examined("", media_type, (width, height))
    except UnidentifiedImageError:
        return Examined(_describe_stranger(path))
    except Image.DecompressionBombError:
        return Examined("a picture of too many pixels")
    # Pictures are strangers' files: Pillow's decoders raise whatever they stumble over.
    except Exception as error:
        return Examined(f"a damaged or cut off picture ({_reason(error)})")


def shrink_picture(path: Path, size: tuple[int, int], quality: int) -> bytes | None:
    """Returns a small copy of a picture as JPEG; None where it cannot be decoded.

    Args:
        size: width and height in pixels that it has at most.
        quality: up to 100.
    """
    from PIL import Image

    small = BytesIO()
    try:
        with Image.open(path) as picture:
            picture.thumbnail(size)
            picture.convert("RGB").save(small, "JPEG", quality=quality)
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    return small.getvalue()


def _ends_well(path: Path, kind: str) -> bool:
    end = _ENDS.get(kind)
    if end is None:
        return False
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        return file.read().rstrip(b"\0").endswith(end)


def _describe_stranger(path: Path) -> str:
    try:
        with path.open("rb") as file:
            start = file.read(512)
        text = start.decode("utf-8", "strict" if len(start) < 512 else "ignore").lstrip()
    except (OSError, UnicodeDecodeError):
        return "no picture"
    if text.startswith("<"):
        return "a saved page, not a picture"
    return "a text, not a picture" if text.isprintable() else "no picture"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error).strip().rstrip(".") or "no reason given"
