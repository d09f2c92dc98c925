from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.replays import replay_folder
from tests.replays.mpchat import REPLAY
from tests.unit.corpora.mpchat.samples import (
    AGREED,
    DENIED,
    LOAF,
    SHED,
    gpp_thread,
    nrp_thread,
    si_thread,
)

from commonground.corpora import get_corpus
from commonground.errors import FormatError
from commonground.play.scenario import Replay
from commonground.play.simulating import simulate_corpus

Json = dict[str, Any]


def replay(*records: Json) -> Replay:
    return REPLAY.replay("mpchat_nrp.json", json.dumps({"val": records}).encode())


def codes(found: Replay) -> Counter[str]:
    return Counter(each.code for each in found.differences)


def shed(record: Json) -> Json:
    found: Json = record["grounded_personas"][2][0]
    return found


def test_labels_come_out_as_they_were() -> None:
    found = replay(nrp_thread())
    assert found.differences == []
    assert found.compared == found.equal == {"label": 2, "list": 2, "votes": 2}
    # Three people labelled both elements: two answers each, and a submission.
    assert (found.sessions, found.acts) == (3, 9)


def test_simulated_labels_come_out_as_they_were(tmp_path: Path) -> None:
    simulate_corpus(get_corpus("mpchat"), tmp_path, dialogues=30, seed=2)
    found = replay_folder(REPLAY, "mpchat", tmp_path)
    assert found.differences == []
    assert found.compared["votes"] == found.equal["votes"] > 60


def other_people(record: Json) -> None:
    """One element was judged by other people than the other one."""
    shed(record)["label_per_worker"] = [["W7", 1], ["W8", 0], ["W9", 1]]


def other_order(record: Json) -> None:
    shed(record)["label_per_worker"].reverse()


def seven_elements(record: Json) -> None:
    denied = [LOAF | DENIED | {"id": f"a{n}"} for n in range(7)]
    record["ungrounded_personas"][2] = denied


@pytest.mark.parametrize("change", [other_people, other_order, seven_elements])
def test_what_files_may_hold_comes_out_as_it_was(change: Callable[[Json], None]) -> None:
    record = copy.deepcopy(nrp_thread())
    change(record)
    found = replay(record)
    assert found.differences == []
    assert found.equal == found.compared


def wrong_label(record: Json) -> None:
    shed(record)["label_overall"] = "(strong) E"


def no_label(record: Json) -> None:
    del shed(record)["label_overall"]


def wrong_list(record: Json) -> None:
    record["ungrounded_personas"][2].append(record["grounded_personas"][2].pop())


def two_votes(record: Json) -> None:
    shed(record)["label_per_worker"].pop()


def four_votes(record: Json) -> None:
    shed(record)["label_per_worker"].append(["W9", 1])


def one_worker_twice(record: Json) -> None:
    shed(record)["label_per_worker"][2] = ["W1", 1]


def no_votes(record: Json) -> None:
    del shed(record)["label_per_worker"]


def odd_vote(record: Json) -> None:
    shed(record)["label_per_worker"][1] = ["W2", 2]


def element_twice(record: Json) -> None:
    record["ungrounded_personas"][2].append(LOAF | DENIED)


def ten_elements(record: Json) -> None:
    record["ungrounded_personas"][2] = [LOAF | DENIED | {"id": f"a{n}"} for n in range(10)]


def short_lists(record: Json) -> None:
    record["grounded_personas"].append([])


@pytest.mark.parametrize(
    ("damage", "found", "equal"),
    [
        (wrong_label, {"label": 1}, {"label": 1, "list": 2, "votes": 2}),
        (no_label, {"label": 1}, {"label": 1, "list": 2, "votes": 2}),
        (wrong_list, {"list": 1}, {"label": 2, "list": 1, "votes": 2}),
        (two_votes, {"votes": 1}, {"label": 1, "list": 1, "votes": 1}),
        (four_votes, {"votes": 1}, {"label": 1, "list": 1, "votes": 1}),
        (one_worker_twice, {"votes": 1}, {"label": 1, "list": 1, "votes": 1}),
        (no_votes, {"no_votes": 1}, {"label": 1, "list": 1, "votes": 1}),
        (odd_vote, {"no_vote": 1}, {"label": 1, "list": 1, "votes": 1}),
        (element_twice, {"repeated_candidate": 1}, {"label": 3, "list": 3, "votes": 3}),
        (ten_elements, {"too_many": 1, "votes": 11}, {"label": 0, "list": 0, "votes": 0}),
        (short_lists, {"unplayable": 1}, {"label": 0, "list": 0, "votes": 0}),
    ],
)
def test_what_does_not_come_out_is_named(
    damage: Callable[[Json], None], found: dict[str, int], equal: dict[str, int]
) -> None:
    record = copy.deepcopy(nrp_thread())
    damage(record)
    replayed = replay(record)
    assert codes(replayed) == found
    assert replayed.equal == equal
    assert found.keys() <= REPLAY.reasons.keys()
    assert all(each.path.startswith("$.val[0]") for each in replayed.differences)


def test_every_reason_is_tried() -> None:
    tried = {"label", "list", "votes", "no_votes", "no_vote", "repeated_candidate", "too_many"}
    assert tried | {"unplayable"} == REPLAY.reasons.keys()


def test_votes_of_the_second_task_are_played_where_it_has_them() -> None:
    record = gpp_thread()
    assert replay(record).compared == {"label": 0, "list": 0, "votes": 0}
    record["gpp_grounded_persona"] = [None, None, SHED | AGREED]
    found = replay(record)
    assert found.differences == []
    assert found.equal == {"label": 1, "list": 1, "votes": 1}


def test_the_third_task_has_no_votes() -> None:
    assert replay(si_thread()).sessions == 0


@pytest.mark.parametrize("text", ["[]", '{"train": [{"messages": []}]}', "{"])
def test_what_is_no_task_file_is_named(text: str) -> None:
    with pytest.raises(FormatError, match=r"odd\.json"):
        REPLAY.replay("odd.json", text.encode())
