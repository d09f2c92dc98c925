from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET
from tests.unit.corpora.simmc.shelf import Shelf

from commonground.corpora.simmc.convert import entries
from commonground.corpora.simmc.convert.context import Context, Ranking, prepare
from commonground.corpora.simmc.native.simmc1 import FORMATS, ApiCalls, Choices, Pool
from commonground.corpora.simmc.native.targets import DialogueNumber
from commonground.files.reading import Main, Options, SideRecord, Where
from commonground.files.sources import Document

OPTIONS = Options("simmc")


def side(document: str, record: Any) -> SideRecord:
    return SideRecord(document, "", "$", record)


def gather(*sides: SideRecord) -> Context:
    return prepare(sides, [], OPTIONS)


def ranking(document: str, **more: Any) -> Ranking:
    choice = {"turn_idx": 0, "retrieval_candidates": [1, 0, 9], **more}
    record = {"dialogue_idx": 4, "retrieval_candidates": [choice]}
    pool = Pool(system_transcript_pool=["a", "b"])
    choices = msgspec.convert(record, Choices)
    return gather(side(document, pool), side(document, choices)).rankings["fashion-4"][0]


def test_the_first_candidate_is_right_where_the_file_does_not_say() -> None:
    found = ranking("fashion_dev_dials_retrieval_candidates.json")
    assert (list(found.options), found.gold) == ([1, 0, -1], 0)


def test_candidates_are_of_the_split_that_their_file_names() -> None:
    where = Where("fashion_dev_dials_retrieval_candidates.json", "$", "retrieval")
    for split, expected in (("dev", "dev"), (UNSET, None)):
        file, answer = entries(Pool(system_transcript_pool=["a"], split=split), where)
        assert (file.kind, file.split) == ("file", expected)
        assert (answer.kind, answer.text) == ("answer", "a")


def test_the_right_candidate_is_where_the_file_says() -> None:
    assert ranking("fashion_dev_dials_retrieval_candidates.json", gt_index=1).gold == 1


def test_the_right_candidate_of_the_test_set_is_hidden() -> None:
    assert ranking("fashion_teststd_dials_retrieval_candidates_public.json").gold is None


def test_furniture_calls_are_unpacked() -> None:
    call = {
        "turn_idx": 2,
        "action": "Rotate",
        "action_supervision": {"api": "Rotate", "args": {"direction": "up"}},
        "carousel_state": {"focus": "7", "carousel": []},
        "action_output_state": {"focus": "8", "carousel": None},
    }
    record = msgspec.convert({"dialog_id": 3, "actions": [call]}, ApiCalls)
    context = gather(side("furniture_dev_dials_api_calls.json", record))
    found = context.calls["furniture-3"][2]
    assert (found.name, found.arguments) == ("Rotate", {"direction": "up"})
    assert found.result == {"focus": "8", "carousel": None}
    assert context.call_splits == {"furniture-3": "dev"}


def test_lists_of_dialogues_give_splits() -> None:
    number = DialogueNumber(number=7, line="7\n")
    listed = gather(side("simmc_fashion/dev_dialog_ids", number))
    assert listed.splits == {"fashion-7": "dev"}
    assert gather(side("dev_dialog_ids", number)).splits == {"7": "dev"}


def test_a_damaged_file_is_looked_through_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "fashion_dev_dials.json"
    path.write_text('{"dialogue_data": [{"dialogue_idx": 31, "dialogue": [{}]}, {"dialogue_idx": 3')
    document = Document(path.name, str(path), None, path.stat().st_size)
    fmt = next(each for each in FORMATS if each.name == "dials")
    context = prepare([], [Main(document, fmt)], OPTIONS)
    assert context.lengths == {"fashion-31": 1}
    assert context.files[path.name].split == "dev"


def test_pictures_are_found_by_domain(tmp_path: Path) -> None:
    path = tmp_path / "simmc_fashion" / "12.png"
    path.parent.mkdir()
    path.write_bytes(b"")
    context = prepare([], [], Options("simmc", str(tmp_path)))
    assert context.pictures["fashion/12"] == "simmc_fashion/12.png"


def test_the_context_can_be_pickled(shelf: Shelf) -> None:
    again = pickle.loads(pickle.dumps(shelf.context))  # noqa: S301
    assert again == shelf.context
    assert json.dumps(again.lengths) == json.dumps(shelf.context.lengths)
