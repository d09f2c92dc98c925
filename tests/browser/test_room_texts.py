"""Every room shows texts of its catalogue only, at every stage of the work, from every seat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.bracketing import bracket_texts, list_plain
from tests.browser.visiting import Served
from tests.thorough import a_few
from tests.unit.play.rooms.midway import Crowd, stand_everywhere

from commonground.play.scenarios import iterate_scenarios

NAMES = sorted(each.name for each in iterate_scenarios() if each.room.is_dir())
DRAWN = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(done)))"""
"""Waits until a page has drawn what it was sent."""

TO_THE_QUIZ, TO_THE_WARM_UP = 2, 3


class Looks:
    """What a browser has seen that is in no catalogue, with where it was.

    Args:
        page: of the browser.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.plain: dict[str, list[str]] = {}

    def look(self, address: str, where: str) -> None:
        self.page.goto(address)
        self._note(where)

    def look_at_work(self, address: str, where: str) -> None:
        """Looks at a page when it has drawn what the server says of the work."""
        with self.page.expect_websocket() as opened:
            self.page.goto(address)
        with opened.value.expect_event("framereceived", lambda each: '"welcome"' in each):
            pass
        self.page.evaluate(DRAWN)
        self._note(where)

    def _note(self, where: str) -> None:
        if plain := list_plain(self.page):
            self.plain[where] = plain


@pytest.fixture(params=a_few(NAMES, ["mpchat", "taskmaster4"]))
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """A study of a scenario with all of its texts in brackets, not served yet."""
    study = Served(tmp_path, "en", scenario=request.param)
    bracket_texts(study.folder, request.param)
    yield study
    study.kill()


def test_all_that_is_shown_is_in_the_catalogue(
    served: Served, new_context: Callable[..., Any]
) -> None:
    crowd = Crowd(served.folder)
    readers = {"instructions": crowd.arrive(TO_THE_QUIZ)[1]}
    if any((each / "warm_up.html").is_file() for each in crowd.folders):
        readers["warm-up"] = crowd.arrive(TO_THE_WARM_UP)[1]
    crowd.close()
    stages = stand_everywhere(served.folder)
    assert len(stages) > 1
    served.start()
    looks = Looks(new_context().new_page())
    looks.look(served.address, "welcome")
    for where, token in readers.items():
        looks.look(f"{served.address}/p/{token}", where)
    for stage in stages:
        for role, token in stage.tokens.items():
            looks.look_at_work(f"{served.address}/p/{token}", f"{stage.phase}, {role}")
    looks.look(served.monitor, "monitor")
    port = served.monitor.partition("/?")[0]
    for stage in stages:
        looks.look(f"{port}/watch/{stage.sid}", f"watching {stage.phase}")
    assert looks.plain == {}
