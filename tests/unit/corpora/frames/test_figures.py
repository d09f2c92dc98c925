"""The figures of two dialogues worked out by hand, and of the released file where it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.frames.samples import sample
from tests.unit.corpora.frames.test_real import PLACE, document

from commonground.corpora import get_corpus
from commonground.figures.figure_files import find_figures, get_figure
from commonground.figures.tables import StoreData
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store


def short() -> dict[str, Any]:
    """The first turn of the sample alone, of another user, without rating or success."""
    dialogue = sample()
    return dialogue | {
        "id": "0123abcd-0123-4abc-8abc-0123456789ac",
        "user_id": "U2AMZ8TLK",
        "labels": {"userSurveyRating": None, "wizardSurveyTaskSuccessful": False},
        "turns": dialogue["turns"][:1],
    }


def open_data(place: Path | str, store: Path) -> StoreData:
    import_corpus(get_corpus("frames"), [place], store=store, jobs=1)
    return StoreData(open_store(store), "frames")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> StoreData:
    """The sample of three turns, and the short one."""
    folder = tmp_path_factory.mktemp("frames")
    path = folder / "frames.json"
    path.write_text(json.dumps([sample(), short()]), encoding="utf-8")
    return open_data(path, folder / "store")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> StoreData:
    if PLACE is None:
        pytest.skip("COMMONGROUND_FRAMES names no frames.json, folder or zip")
    return open_data(document().path, tmp_path_factory.mktemp("real"))


def run(data: StoreData, name: str, *columns: str) -> list[list[Any]]:
    """Returns the rows of a figure; of some columns where they are named."""
    table = data.run(get_figure("frames", name))
    names = [each.name for each in table.figure.columns]
    places = [names.index(each) for each in columns or names]
    return [[row[place] for place in places] for row in table.rows]


def find_row_dialogues(data: StoreData, name: str) -> dict[str, set[str]]:
    """Returns the dialogues of each row of a figure."""
    found = data.find_row_dialogues(get_figure("frames", name))
    return {row: set(ids) for row, ids in found.items()}


def measures(data: StoreData) -> dict[str, float]:
    return {name: number for name, number, _unit in run(data, "overview")}


def test_the_overview_counts_what_is_there(data: StoreData) -> None:
    found = measures(data)
    # 3 turns and 1; the wizard has one of them.
    assert (found["turns"], found["user turns"], found["wizard turns"]) == (4, 3, 1)
    # 90 s from first turn to last, and 0 s: 0.75 min on average.
    assert found["duration"] == 0.75
    # Two users of one wizard, who is no user.
    assert (found["users"], found["wizards"], found["participants"]) == (2, 1, 3)
    # Frames 1 to 3, and 1; one switch in the first dialogue.
    assert (found["frames per dialogue"], found["switches per dialogue"]) == (2.0, 0.5)
    # The first search found the Oak Inn and the Elm House, the second nothing.
    assert (found["searches"], found["packages found"], found["hotels found"]) == (2, 2, 2)
    assert (found["rating"], found["dialogues without rating"], found["success"]) == (4.5, 1, 50)


def test_lengths_and_folds(data: StoreData) -> None:
    assert run(data, "lengths") == [[1, 1], [3, 1]]
    assert run(data, "durations") == [[0, 2]]
    assert run(data, "folds") == [
        ["fold-3", 1, 1, 3, 3.0, 50.0],
        ["fold-10", 1, 1, 1, 1.0, 50.0],
    ]


def test_authors_talk_and_act(data: StoreData) -> None:
    # User: "Hi, to Brook please" twice (4 words, 2 acts), "That one. Is there wifi?" (5, 3).
    # Wizard: "Elm House for $812.50?" (4 words, 1 act).
    assert run(data, "authors", "author", "turns", "words", "acts", "silent") == [
        ["user", 3, pytest.approx(13 / 3), pytest.approx(7 / 3), 0.0],
        ["wizard", 1, 4.0, 1.0, 0.0],
    ]


def test_frames_and_who_makes_them(data: StoreData) -> None:
    assert run(data, "frames") == [[1, 1, 50.0], [3, 1, 50.0]]
    assert run(data, "switches") == [[0, 1, 50.0], [1, 1, 50.0]]
    # The wizard's offer makes frame 2; the last turn makes frame 3 and goes to frame 2.
    assert run(data, "frame-changes") == [
        ["frame made", "user", 1, 0.5],
        ["frame made", "wizard", 1, 0.5],
        ["switch to a new frame", "user", 0, 0.0],
        ["switch to a new frame", "wizard", 0, 0.0],
        ["switch to an older frame", "user", 1, 0.5],
        ["switch to an older frame", "wizard", 0, 0.0],
    ]
    # Frame 2 is active when it is referred to, frame 1 is not.
    assert run(data, "references") == [["ref", "user", 2, 50.0]]


def test_acts_and_slots_go_by_author(data: StoreData) -> None:
    # Of the 7 acts of users 2 are greetings, 2 inform; the others come once.
    acts = {(act, author): share for act, author, _acts, share in run(data, "acts")}
    assert acts["greeting", "user"] == pytest.approx(100 * 2 / 7)
    assert acts["switch_frame", "user"] == pytest.approx(100 / 7)
    assert acts["offer", "wizard"] == 100.0
    # inform, greeting, switch_frame, confirm, request_compare; offer. The id is no slot.
    assert run(data, "act-names") == [["both", 6, 4], ["user", 5, 3], ["wizard", 1, 2]]
    assert run(data, "slots") == [
        ["dst_city", "user", 2],
        ["price", "user", 1],
        ["price", "wizard", 1],
        ["name", "wizard", 1],
        ["wifi", "user", 1],
    ]


def test_searches_and_what_they_find(data: StoreData) -> None:
    assert run(data, "searches") == [[0, 1], [2, 1]]
    assert run(data, "results") == [[0, 1, 50.0], [2, 1, 50.0]]
    asked = dict(run(data, "constraints", "field", "share"))
    assert asked == dict.fromkeys(
        ("DESTINATION_CITY", "NUM_ADULTS", "RESULT_LIMIT", "MAX_DURATION"), 50.0
    )
    assert run(data, "offers", "act", "acts", "matched", "share") == [["offer", 1, 1, 100.0]]


def test_bars_lead_to_their_dialogues(data: StoreData) -> None:
    whole, first = {sample()["id"]}, {short()["id"]}
    assert find_row_dialogues(data, "durations") == {"durations/0": whole | first}
    assert find_row_dialogues(data, "frames") == {"frames/1": first, "frames/3": whole}
    assert find_row_dialogues(data, "switches") == {"switches/0": first, "switches/1": whole}
    # What does not happen has no dialogues, and no link.
    assert find_row_dialogues(data, "frame-changes") == {
        "frame-changes/frame made/user": whole,
        "frame-changes/frame made/wizard": whole,
        "frame-changes/switch to an older frame/user": whole,
    }
    links = data.run(get_figure("frames", "frame-changes")).links()
    assert links[1:3] == ['figure:"frame-changes/frame made/wizard"', None]
    # Only the whole sample has searches: one that finds two packages, one that finds none.
    assert find_row_dialogues(data, "searches") == {"searches/0": first, "searches/2": whole}
    assert find_row_dialogues(data, "results") == {"results/0": whole, "results/2": whole}
    assert find_row_dialogues(data, "offers") == {"offers/offer": whole}


def test_outcomes(data: StoreData) -> None:
    assert run(data, "ratings") == [[4.5, 1, 100.0]]
    # One dialogue each, which says nothing of how far a mean may be off.
    unknown = [None, None]
    assert run(data, "success") == [
        [1, 1, 50.0, 4.5, *unknown, 3.0, *unknown],
        [0, 1, 50.0, None, *unknown, 1.0, *unknown],
    ]


def test_links_name_the_dialogues_behind_a_row(data: StoreData) -> None:
    found = data.run(get_figure("frames", "acts"))
    assert "speaker:wizard act:offer" in found.links()
    assert data.run(get_figure("frames", "ratings")).links() == ["rating:4.5"]


def test_the_released_file_has_the_published_numbers(real: StoreData) -> None:
    compared = [each for f in find_figures("frames") for each in real.run(f).comparisons()]
    differing = {each.name: each.ours for each in compared if not each.agrees}
    assert len(compared) > len(differing)
    assert differing == {
        "participants": 18,
        "packages of the database (250+)": 268,
        "main fields of a dialogue": 4,
        "keys of the labels of a user's turn": 4,
    }


def test_the_released_file_has_the_counted_numbers(real: StoreData) -> None:
    found = measures(real)
    assert (found["user turns"], found["wizard turns"]) == (10_407, 9_579)
    assert found["searches"] == 5_227
    assert [row[2] for row in run(real, "folds")] == [40, 77, 69, 345, 122, 35, 323, 81, 214, 63]
    changes = {(what, author): times for what, author, times, _mean in run(real, "frame-changes")}
    # Every frame that a user makes becomes active; one switch is on a wizard's turn.
    assert changes["frame made", "user"] == changes["switch to a new frame", "user"] == 1_692
    assert changes["switch to an older frame", "wizard"] == 1
    acts = {(act, author): count for act, author, count, _share in run(real, "acts")}
    assert (acts["inform", "user"], acts["offer", "wizard"]) == (7_720, 4_097)
    assert {rating: count for rating, count, _ in run(real, "ratings")}[5.0] == 982
