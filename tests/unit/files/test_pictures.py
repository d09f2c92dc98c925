"""What is a picture, and what only has the name of one."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from commonground.files.pictures import MOST_PIXELS, examine_picture
from commonground.files.sources import is_file


def draw(kind: str, size: tuple[int, int] = (64, 48)) -> bytes:
    """A picture with something in it, so that half of its bytes are half of it."""
    data = BytesIO()
    Image.effect_noise(size, 80).convert("RGB").save(data, kind)
    return data.getvalue()


def bomb() -> bytes:
    """A small PNG that says it has more pixels than anybody wants to decode."""
    data = BytesIO()
    Image.new("1", (MOST_PIXELS // 1000, 1001)).save(data, "PNG")
    return data.getvalue()


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("GIF", "image/gif"), ("WEBP", "image/webp")],
)
def test_a_picture_is_of_what_its_bytes_are(tmp_path: Path, kind: str, media_type: str) -> None:
    path = tmp_path / "any.jpg"
    path.write_bytes(draw(kind))
    examined = examine_picture(path)
    assert (examined.fault, examined.media_type, examined.size) == ("", media_type, (64, 48))
    path.write_bytes(draw(kind) + b"\0" * 9)  # cameras pad files
    assert examine_picture(path).fault == ""


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "an empty file"),
        (b"<!DOCTYPE html><html>429 Too Many Requests</html>", "a saved page, not a picture"),
        (b"404: not found", "a text, not a picture"),
        (b"\x00\x01\x02\x03", "no picture"),
    ],
)
def test_what_is_none_is_told(tmp_path: Path, data: bytes, fault: str) -> None:
    path = tmp_path / "any.png"
    path.write_bytes(data)
    assert examine_picture(path).fault == fault


def test_what_is_not_shown_is_told(tmp_path: Path) -> None:
    other, large = tmp_path / "any.png", tmp_path / "large.png"
    other.write_bytes(draw("BMP"))
    large.write_bytes(bomb())
    assert examine_picture(other).fault == "a file of format BMP, which is not shown"
    assert examine_picture(large).fault == "a picture of 100,000 by 1,001 pixels, too large"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_half_a_picture_is_none(tmp_path: Path, kind: str, part: float) -> None:
    path, data = tmp_path / "any.jpg", draw(kind)
    path.write_bytes(data[: int(len(data) * part)])
    assert "picture" in examine_picture(path).fault


def test_a_file_that_changes_is_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "any.jpg"
    assert examine_picture(path).fault.startswith("a file that cannot be read (No such file")
    path.write_bytes(b"")
    assert examine_picture(path).fault == "an empty file"
    path.write_bytes(draw("JPEG"))
    assert examine_picture(path).fault == ""


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "\udced.jpg", "no/such/folder"])
def test_names_that_no_file_can_have_are_no_files(tmp_path: Path, name: str) -> None:
    assert not is_file(tmp_path / name)
    assert examine_picture(tmp_path / name).fault
