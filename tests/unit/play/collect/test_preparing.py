"""What one study collected is the material of another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.play.rooms.midway import Crowd

from commonground.errors import CommongroundError, FormatError, SourceError
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import Study, open_study


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A study of the fashion shop in which nobody has been yet."""
    return prepare_study(
        tmp_path / "shop", "simmc-fashion", material=None, languages=("en",)
    ).folder


def annotate(shop: Path) -> Study:
    folder = shop.with_name("notes")
    prepare_study(folder, "simmc-annotation", material=shop, languages=("en",))
    return open_study(folder)


def test_dialogues_of_a_study_are_annotated_with_their_pictures(shop: Path) -> None:
    crowd = Crowd(shop)
    for _ in range(2):
        crowd.play_through()
    crowd.close()
    notes = annotate(shop)
    assert [piece.dialogue.dialogue_idx for piece in notes.stock.pieces] == [0, 1]
    assert notes.stock.pictures
    pictures = [notes.find_picture(name) for name in notes.stock.pictures]
    assert all(path and path.is_relative_to(notes.folder / "images") for path in pictures)


def test_there_must_be_something_to_annotate(shop: Path) -> None:
    with pytest.raises(FormatError, match="has no complete session yet"):
        annotate(shop)
    assert not shop.with_name("notes").exists()


def test_material_that_is_not_there_is_refused_with_what_it_must_be(shop: Path) -> None:
    nowhere = shop.with_name("nowhere")
    with pytest.raises(SourceError, match="is not a folder") as refused:
        prepare_study(shop.with_name("other"), "labelling", material=nowhere, languages=("en",))
    assert str(refused.value.advice).startswith("Expected: A folder with labelling.toml")


def test_a_study_of_something_else_is_no_material(shop: Path) -> None:
    with pytest.raises(CommongroundError):
        prepare_study(shop.with_name("other"), "photobook", material=shop, languages=("en",))
