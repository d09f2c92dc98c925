"""What a browser tells of itself after consent, and the way out of one that cannot do it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.studies import copy_study
from tests.unit.play.rooms.conftest import Server
from tests.unit.play.rooms.people import QUIZ, Visitor

from commonground.play.rooms.rendering import Rooms


def test_a_browser_is_tried_until_it_passes(serve: Callable[..., Server]) -> None:
    visitor = Visitor(serve())
    page = visitor.fill("consent", agree="yes")
    (told,) = re.findall(r'id="device-data">(.*?)</script>', page)
    assert '"width_px": 320' in told
    assert "/picture/" in told
    visitor.fill("device", failed="width teapot", width_px="200", line_ms="x")
    assert "device-data" in visitor.look()
    visitor.fill("device", failed="", width_px="1200")
    assert "device-data" not in visitor.look()
    page = visitor.fill("quiz", **QUIZ)
    assert "device-data" not in page


def test_only_pictures_that_the_study_has_are_tried(tmp_path: Path) -> None:
    # Its material names pictures of threads that no page shows.
    rooms = Rooms(copy_study(tmp_path / "labels", "mpchat"))
    found = [rooms.find_picture(each) for each in rooms.samples]
    assert found
    assert all(path is not None and path.is_file() for path in found)
    assert len({path.suffix for path in found if path is not None}) == len(found)
    assert Rooms(copy_study(tmp_path / "trip", "frames")).samples == []
