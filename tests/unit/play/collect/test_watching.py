"""What a study watches: its estimate, its bounds, and that it may stop when these are near."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.studies import copy_study
from tests.unit.play.collect.party import Party
from tests.unit.play.collect.test_assigned import Office

from commonground.errors import FormatError
from commonground.play.collect.live.hall import Hall
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.standing import describe_standing, restore_hall
from commonground.play.collect.setup.study import Watch, open_study
from commonground.play.scenarios import get_scenario


class WatchedParty(Party):
    """A party that keeps the points of its games."""

    def _open(self) -> Hall:
        found = get_scenario("photobook")
        outcome = found.outcome()
        assert outcome is not None
        ledger = Ledger(found.rules, self.stock, score=outcome.score)
        ledger.restore(self.log)
        return Hall(self.settings, ledger, lambda pid: f"receipt-{pid}")


def watch(party: Party) -> dict[str, Any]:
    found: dict[str, Any] = describe_standing(party.hall, party.now_us)["watch"]
    return found


def test_points_are_watched_over_restarts_and_without_who_is_excluded() -> None:
    party = WatchedParty(watch={"measure": "score", "half_width": 1.0})
    assert watch(party)["estimate"] is None
    party.play_game(party.pair())
    party.play_game(party.pair("cleo", "dan"))
    found = watch(party)
    points = [each.score for each in party.hall.ledger.done.values()]
    assert all(each is not None and each > 0 for each in points)
    assert found["estimate"]["value"] == pytest.approx(sum(filter(None, points)) / 2)
    assert (found["estimate"]["n"], found["reached"]) == (2, False)
    party.restart()
    assert watch(party) == found
    party.do(party.hall.exclude, "ann", "copies")
    assert watch(party)["estimate"]["n"] == 1
    party.do(party.hall.exclude, "ann", "", on=False)
    assert watch(party) == found


def test_words_are_watched_up_to_a_limit() -> None:
    settings = {"measure": "words", "half_width": 1.0, "most": 4}
    party = Party(watch=settings)
    a, b = party.pair()
    party.act(a, "chat.message", text="one two")
    party.play_game((a, b))
    assert watch(party)["estimate"]["value"] == 2
    a, b = party.pair("cleo", "dan")
    party.act(a, "chat.message", text="many words that are more than four")
    party.play_game((a, b))
    assert watch(party)["estimate"]["value"] == 3


@pytest.mark.parametrize("stop", [True, False])
def test_a_study_stops_when_it_knows_enough_if_it_says_so(stop: bool) -> None:
    party = WatchedParty(watch={"measure": "score", "half_width": 100.0, "stop": stop})
    party.play_game(party.pair())
    party.wait(1, step_s=1)
    assert watch(party)["reached"]
    assert party.hall.limits.is_full() is stop
    closed = [each for each in party.log if each.type == "moderator.closed"]
    assert [each.payload for each in closed] == [{"on": True, "by": "target"}] * stop
    # The researcher has the last word.
    party.do(party.hall.close, False)
    party.restart()
    party.wait(2, step_s=1)
    assert not party.hall.limits.is_full()


def test_alpha_is_watched_by_units_that_are_done() -> None:
    office = Office(units=6)
    watched = Watch(measure="alpha", half_width=0.1)
    office.settings = msgspec.structs.replace(office.settings, watch=watched)
    office.hall = office.open()
    for number, pid in enumerate(("ann", "bob", "cai")):
        office.come(pid, number)
        for turn in range(6):
            office.label(pid, number, "yes" if turn % 2 else "no")
    found = describe_standing(office.hall, office.now_us)["watch"]["estimate"]
    measures: Any = office.hall.ledger.assignments.measures()  # type: ignore[union-attr]
    assert found["n"] == measures["units_done"] > 1
    assert found["value"] == pytest.approx(measures["alpha"])
    assert found["low"] <= found["value"] <= found["high"]
    office.do(office.hall.exclude, "ann", "at random")
    assert describe_standing(office.hall, office.now_us)["watch"]["estimate"] is None


@pytest.mark.parametrize(
    ("scenario", "measure", "said"),
    [("photobook", "alpha", "score, words"), ("mpchat", "score", "alpha"), ("x", "y", "measure")],
)
def test_a_measure_that_there_is_not_is_refused(
    tmp_path: Path, scenario: str, measure: str, said: str
) -> None:
    name = "photobook" if scenario == "x" else scenario
    study = copy_study(tmp_path / "pilot", name)
    path = study.folder / "study.toml"
    more = f'[watch]\nmeasure = "{measure}"\nhalf_width = 0.1\n'
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        restore_hall(open_study(study.folder), study.open_log(), str)
