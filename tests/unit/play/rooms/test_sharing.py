"""Rooms that have much in common keep it in one folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.errors import SourceError
from commonground.play.collect.setup.plan import RoomPlan
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.rooms.rendering import KITS, Rooms
from commonground.play.scenarios import get_scenario


def open_rooms(folder: Path, scenario: str = "simmc-fashion") -> Rooms:
    return Rooms(prepare_study(folder / scenario, scenario, material=None, languages=("en",)))


def test_a_room_has_the_files_texts_and_templates_that_it_shares(tmp_path: Path) -> None:
    rooms = open_rooms(tmp_path)
    shared = rooms.folder.parents[1] / "room"
    assert rooms.files["shop.js"] == shared / "shop.js"
    assert rooms.files["seat.js"] == shared / "seat.js"
    assert rooms.files["room.js"] == rooms.folder / "room.js"
    assert rooms.styles == ["shop.css", "room.css"]
    page = rooms.render("game.html", "en")
    assert 'id="shop-survey"' in page
    assert 'id="fa-facts"' in page
    assert rooms.texts["en"]("chat.empty") == "The customer writes first."


def test_a_shared_folder_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rooms, "plan", RoomPlan(shared=["../nowhere"]))
    room = get_scenario("simmc-fashion").room
    with pytest.raises(
        SourceError, match=r"room.toml: shared: .*nowhere is not a folder"
    ) as caught:
        open_rooms(tmp_path)
    assert str(room) in str(caught.value)


def test_a_kit_is_shared_by_its_name(tmp_path: Path) -> None:
    rooms = open_rooms(tmp_path, "mpchat")
    assert rooms.files["unit.js"] == KITS / "labelling" / "unit.js"
