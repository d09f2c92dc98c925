from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from commonground.store.pictures import Missing, PictureFile, PictureFolder


@pytest.fixture
def folder(tmp_path: Path) -> PictureFolder:
    inside = tmp_path / "images"
    (inside / "dogs").mkdir(parents=True)
    Image.new("RGB", (40, 30)).save(inside / "dogs" / "one.png")
    Image.new("RGB", (8, 6)).save(tmp_path / "secret.png")
    (inside / "note.txt").write_text("x")
    (inside / "drawing.svg").write_text("<svg/>")
    (inside / "leak.png").symlink_to(tmp_path / "secret.png")
    (inside / "alias.png").symlink_to(inside / "dogs" / "one.png")
    (inside / "broken.png").write_bytes(b"no picture")
    return PictureFolder(inside)


@pytest.mark.parametrize(
    "uri", ["dogs/one.png", "cats/one.png", "one.png", "https://x.y/z/one.png"]
)
def test_pictures_are_found_by_path_or_name(folder: PictureFolder, uri: str) -> None:
    found = folder.find(uri)
    assert isinstance(found, PictureFile)
    assert found.name == "dogs/one.png"
    assert folder.size(found) == (40, 30)


def test_links_that_stay_inside_are_pictures(folder: PictureFolder) -> None:
    assert isinstance(folder.find("alias.png"), PictureFile)


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.png",
        "dogs/../../secret.png",
        "/etc/passwd",
        "leak.png",
        "note.txt",
        "drawing.svg",
        "%2e%2e/secret.png",
        "..%2fsecret.png",
        "dogs",
        "",
        "one.png\0",
    ],
)
def test_nothing_outside_and_nothing_else_is_found(
    folder: PictureFolder, tmp_path: Path, uri: str
) -> None:
    assert folder.find(uri) == Missing("not in the image folder")
    assert folder.find(str(tmp_path / "secret.png")) == Missing("not in the image folder")


def test_why_a_picture_is_missing(folder: PictureFolder) -> None:
    assert folder.find(None) == Missing("no picture was released")
    assert PictureFolder(None).find("a.png") == Missing(
        "no image folder: import with --images FOLDER"
    )


def test_a_broken_picture_is_missing_and_says_why(folder: PictureFolder) -> None:
    found = folder.find("broken.png")
    assert found == Missing("a text, not a picture", broken=True)
