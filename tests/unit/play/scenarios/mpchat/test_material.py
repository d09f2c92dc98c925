from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.corpora.mpchat.samples import AGREED, BOAT, DENIED, LOAF, SHED, nrp_thread
from tests.unit.play.scenarios.mpchat.labelling import PLAIN, threads

from commonground.errors import CommongroundError, FormatError
from commonground.play.labelling.units import check_unit
from commonground.play.scenarios.mpchat.material import (
    MATERIAL,
    QUESTION,
    Unit,
    invent_material,
    list_responses,
    units_of,
)
from commonground.records import UNSET

Json = dict[str, Any]


def write(folder: Path, *records: Json, split: str = "train") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mpchat_nrp.json").write_text(json.dumps({split: list(records)}))
    return folder


def test_a_response_of_the_main_author_is_a_unit(tmp_path: Path) -> None:
    [unit] = MATERIAL.read(write(tmp_path, nrp_thread(), split="val"))
    assert unit.id == "nrp-ddd444-gfff666-rye_anna:2"
    assert unit.question == QUESTION
    assert [line.text for line in unit.context] == nrp_thread()["messages"]
    assert [(each.id, each.text) for each in unit.candidates] == [("bbb222", SHED["title"])]
    assert (unit.event, unit.origin.split) == (2, "val")
    assert (unit.gold, unit.known) == (None, {})


def test_labels_and_rankings_of_the_file_are_left_aside(tmp_path: Path) -> None:
    [unit] = MATERIAL.read(write(tmp_path, nrp_thread()))
    thread = unit.origin.thread
    assert thread.grounded_personas == thread.ungrounded_personas == [[], [], []]
    assert thread.nrp_candidate_responses is UNSET
    assert len(thread.all_personas) == 2


@pytest.mark.parametrize("below", ["", "images"])
def test_pictures_are_found_below_the_folder(below: str, tmp_path: Path) -> None:
    write(tmp_path, nrp_thread())
    path = tmp_path / below / "persona" / "bbb222_shed.png"
    path.parent.mkdir(parents=True)
    path.touch()
    [unit] = MATERIAL.read(tmp_path)
    [shed] = unit.candidates
    assert shed.picture == path.relative_to(tmp_path).as_posix()
    assert not shed.lacks_picture
    assert (unit.context[0].picture, unit.context[0].lacks_picture) == (None, True)
    assert (unit.context[1].picture, unit.context[1].lacks_picture) == (None, False)


def test_threads_may_lie_beside_the_pictures(tmp_path: Path) -> None:
    write(tmp_path, nrp_thread())
    (tmp_path / "images" / "persona").mkdir(parents=True)
    assert len(MATERIAL.read(tmp_path / "images")) == 1


def test_labels_of_gold_threads_are_their_answers(tmp_path: Path) -> None:
    write(tmp_path, nrp_thread())
    gold = nrp_thread() | {
        "message_ids": ["xxx777", "gyyy888", "gzzz999"],
        "candidate_personas": [LOAF, SHED],
    }
    write(tmp_path / "gold", gold)
    [plain, known] = MATERIAL.read(tmp_path)
    assert plain.gold is None
    assert known.gold == {"aaa111": False, "bbb222": True}


def too_many(record: Json) -> None:
    record["candidate_personas"] = [SHED | {"id": f"b{n}"} for n in range(6)]


def twice(record: Json) -> None:
    record["candidate_personas"] = [SHED, SHED]


def short(record: Json) -> None:
    record["grounded_personas"].pop()


def untitled(record: Json) -> None:
    del record["candidate_personas"][0]["title"]


def unanswered(record: Json) -> None:
    record["candidate_personas"] = []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (too_many, r"\$.train\[0\].candidate_personas: expected 5 elements or fewer, found 6"),
        (twice, r"candidates\[1\].id: expected an id of its own, found bbb222"),
        (short, r"\$.train\[0\].grounded_personas: expected 3 places, found 2"),
        (untitled, r"\$.train\[0\].candidate_personas\[0\].title"),
        (unanswered, "has no response by a main author"),
    ],
)
def test_what_cannot_be_labelled_is_named(
    damage: Callable[[Json], None], words: str, tmp_path: Path
) -> None:
    record: Json = json.loads(json.dumps(nrp_thread()))
    damage(record)
    with pytest.raises(CommongroundError, match=words):
        MATERIAL.read(write(tmp_path, record))


def test_a_thread_told_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="unit 1 has the same id as an earlier one: nrp-ddd444"):
        MATERIAL.read(write(tmp_path, nrp_thread(), nrp_thread()))


def test_gold_is_not_labelled_too(tmp_path: Path) -> None:
    write(tmp_path / "gold", nrp_thread())
    with pytest.raises(FormatError, match="is among the units to be labelled, too"):
        MATERIAL.read(write(tmp_path, nrp_thread()))


@pytest.mark.parametrize("text", ["", "[1]", '{"train": [{}]}', '{"train": 3}'])
def test_a_file_of_another_form_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "mpchat_nrp.json").write_text(text)
    with pytest.raises(FormatError, match=r"mpchat_nrp\.json"):
        MATERIAL.read(tmp_path)


def test_a_folder_without_threads_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"holds no mpchat_nrp\.json"):
        MATERIAL.read(tmp_path)


def change(**changes: Any) -> Unit:
    return msgspec.structs.replace(PLAIN, **changes)


@pytest.mark.parametrize(
    ("unit", "path", "found"),
    [
        (change(id=""), ".id", "nothing"),
        (change(context=()), ".context", "no line"),
        (change(candidates=()), ".candidates", "0"),
        (change(gold={"loaf": True}), ".gold", "boat, shed"),
        (change(known={"fence": True}), ".known", "fence"),
    ],
)
def test_a_unit_that_is_not_whole(unit: Unit, path: str, found: str) -> None:
    assert [(place.path, place.found) for place in check_unit(unit)] == [(path, found)]


def test_invented_units_say_what_follows() -> None:
    for invented in threads(12):
        for unit in units_of(invented):
            assert not [*check_unit(unit)]
            right = {each for each, yes in unit.known.items() if yes}
            assert right == invented.meant[unit.event]
        assert list_responses(invented.thread) == sorted(invented.meant)


@pytest.mark.parametrize("sessions", [1, 4, 20, 60, 300])
def test_material_is_invented_for_so_many_sessions(sessions: int) -> None:
    units = invent_material(sessions, 5)
    plain = [each for each in units if each.gold is None]
    assert 3 * len(plain) <= max(3, sessions)
    assert 3 * len(plain) > 0.8 * sessions - 3
    assert len(units) - len(plain) == sessions // 100
    assert len({each.id for each in units}) == len(units)
    assert units == invent_material(sessions, 5)


def test_pictures_of_used_units_are_drawn(tmp_path: Path) -> None:
    units = invent_material(200, 5)
    used = [units[0], units[-1]]
    MATERIAL.write(used, tmp_path, 5)
    shown = [line.picture for unit in used for line in unit.context]
    shown += [candidate.picture for unit in used for candidate in unit.candidates]
    wanted = {picture for picture in shown if picture}
    drawn = {path.relative_to(tmp_path / "images").as_posix() for path in tmp_path.rglob("*.*g")}
    assert wanted <= drawn


def test_pictures_of_files_stay_where_they_are(tmp_path: Path) -> None:
    MATERIAL.write(invent_material(4, 5), tmp_path, None)
    assert list(tmp_path.iterdir()) == []


def test_labelled_candidates_only_are_asked_of_gold(tmp_path: Path) -> None:
    record = nrp_thread() | {
        "candidate_personas": [SHED, LOAF, BOAT | {"author": "rye_anna"}],
        "grounded_personas": [[], [], [SHED | AGREED]],
        "ungrounded_personas": [[], [], [LOAF | DENIED]],
    }
    write(tmp_path / "gold", record)
    other = nrp_thread() | {"message_ids": ["xxx777", "gyyy888", "gzzz999"]}
    [_, known] = MATERIAL.read(write(tmp_path, other))
    assert [each.id for each in known.candidates] == ["bbb222", "aaa111"]
