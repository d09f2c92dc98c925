"""The baselines of PhotoBook on invented games, learned, written and scored."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.thorough import a_few

from commonground.corpora.photobook.tasks.reference import baselines as reference
from commonground.corpora.photobook.tasks.reference.evidence import choose, follow_games, learn_bar
from commonground.corpora.photobook.tasks.reference.image_words import (
    collect_words,
    count_words,
    list_usual_words,
    measure_overlap,
    weigh_words,
)
from commonground.corpora.photobook.tasks.reference.task import TASK as REFERENCE
from commonground.corpora.photobook.tasks.segments import baselines as segments
from commonground.corpora.photobook.tasks.segments.task import TASK as SEGMENTS
from commonground.method import TrainingSet
from commonground.play.scenarios.photobook.simulate import simulate
from commonground.task import Gold, Instance

TASKS = {
    "reference": (REFERENCE, reference.BASELINES, "f1"),
    "segments": (SEGMENTS, segments.BASELINES, "links_f1"),
}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photobook")
    simulate(folder, dialogues=40, seed=3)
    return folder


def encode(names: Sequence[str]) -> Any:
    """Gives a vector for each picture, by its name alone."""
    return np.array([[zlib.crc32(f"{n}{name}".encode()) % 97 for n in range(8)] for name in names])


@cache
def run(name: str, method: str, released: Path) -> float | None:
    """Learns, answers and scores; gives the F1."""
    task, baselines, value = TASKS[name]
    [baseline] = [each for each in baselines.methods if each.name == method]
    gold = Gold(files=[released], split="test")
    asked = [msgspec.structs.replace(each, gold=None) for each in task.instances(gold)]
    model = baseline.learn(
        TrainingSet(list(task.instances(Gold(files=[released], split="train"))), 1, encode)
    )
    path = released.parent / f"{name}-{method}{baselines.ending}"
    baselines.write(zip(asked, baseline.answer(model, asked, encode), strict=True), path)
    scoring = task.score_file(path, gold)
    assert len(scoring.instances) == len(asked)
    assert scoring.problems == []
    sums: dict[str, float] = {}
    for each in scoring.instances:
        for part, count in each.counts[task.measures[0].name].items():
            sums[part] = sums.get(part, 0) + count
    return task.measures[0].combine(sums)[value]


@pytest.mark.parametrize("name", a_few(TASKS, ["segments"]))
def test_every_method_is_scored(name: str, released: Path) -> None:
    rates = {each.name: run(name, each.name, released) for each in TASKS[name][1].methods}
    assert all(rate for rate in rates.values()), rates
    best = max(rates, key=lambda method: rates[method] or 0)
    assert best in ("linear", "linear-history", "overlap-history", "selections"), rates


def tell(number: int, game: str, text: str, images: list[str], gold: list[str]) -> Instance:
    return Instance(
        instance_id=f"{game}:{number}",
        dialogue_id=game,
        inputs={
            "segment": [["A", text]],
            "images": images,
            "history": {image: [[["B", "before"]]] if number else [] for image in images},
        },
        gold=gold,
    )


LESSONS = [
    tell(0, "1", "red kite", ["f/a", "f/b"], ["f/a"]),
    tell(1, "1", "blue kite", ["f/a", "f/b"], ["f/b"]),
    tell(0, "2", "red one", ["f/a", "f/b"], ["f/a"]),
]


def test_words_speak_for_an_image() -> None:
    known = count_words(collect_words(LESSONS))
    # "red" was used in both of the games about a, and in 2 of 3 uses in the folder:
    # (2 + 2 * 2/3) / (2 + 2) / (2/3) = 1.25.
    assert weigh_words(known, "f/a", {"red", "unheard"}) == pytest.approx([math.log(1.25)])
    [against] = weigh_words(known, "f/b", {"red"})
    assert against < 0
    assert list_usual_words(known, "f/a", 0.6) == {"red"}


def test_a_game_does_not_speak_for_itself() -> None:
    games = collect_words(LESSONS)
    known = count_words(games)
    # Without game 1 nobody said "kite"; "red" was said in the one game that is left.
    assert weigh_words(known, "f/a", {"kite"}, games["1"]) == []
    assert weigh_words(known, "f/a", {"red"}, games["1"]) == pytest.approx([0.0])


def test_overlap_weighs_rare_words() -> None:
    rarity = {"red": 3.0, "the": 1.0}.__getitem__
    assert measure_overlap({"red"}, {"red", "the"}, rarity) == 0.75
    assert measure_overlap({"red"}, set(), rarity) == 0


def test_what_was_said_lately_is_of_the_same_display() -> None:
    told = [each for _, each in follow_games([*LESSONS, tell(1, "2", "x", ["f/c"], [])])]
    assert [each.lately for each in told] == [[0, 0], [1, 1], [0, 0], [0]]
    assert told[1].earlier == [["before"], ["before"]]


def test_the_best_is_chosen_and_all_above_the_bar() -> None:
    assert choose(["a", "b", "c"], [0.4, 0.6, 0.5], 0.45, "").targets == ["b", "c"]
    assert choose(["a", "b", "c"], [0.4, 0.6, 0.5], 0.9, "").targets == ["b"]
    assert choose([], [], 0.5, "").targets == []
    equal = [choose(["a", "b"], [0.0, 0.0], 1.0, str(key)).targets[0] for key in range(100)]
    assert 25 < equal.count("a") < 75


def test_the_bar_is_learned() -> None:
    # Both of the first are right and none but the best of the second: from above 0.5 to 0.6.
    bar = learn_bar([([0.9, 0.6], [True, True]), ([0.8, 0.5], [True, False])] * 3)
    assert 0.5 < bar <= 0.6
    assert learn_bar([([0.9], [False])]) == 1.0


CLICKS = [
    [0, "A", "a kite"],
    [1, "B", "yes"],
    [2, "A", "<selection> <com> f/a"],
    [3, "B", "<selection> <com> f/a"],
    [4, "A", "a tent"],
    [5, "A", "<selection> <dif> f/b"],
    [6, "B", "<next_round>"],
    [7, "B", "bye"],
]


def divide(method: str, length: int = 2) -> list[object]:
    rounds = [{"images": ["f/a", "f/b"], "messages": CLICKS}]
    game = Instance(instance_id="1", dialogue_id="1", inputs={"rounds": rounds})
    [baseline] = [each for each in segments.BASELINES.methods if each.name == method]
    [found] = baseline.predict(segments.LengthModel(length), [game])
    return list(found)


def test_selections_end_segments() -> None:
    # The last text has no selection after it.
    assert divide("selections") == [(0, [0, 1], ["f/a"]), (0, [4], ["f/b"])]


def test_a_fixed_number_of_texts() -> None:
    # Between and behind texts 4 and 7 there is one selection, of b.
    assert divide("fixed-length") == [(0, [0, 1], ["f/a"]), (0, [4, 7], ["f/b"])]


def test_a_round_as_one_segment() -> None:
    assert divide("rounds") == [(0, [0, 1, 4, 7], ["f/a", "f/b"])]


def test_the_usual_length() -> None:
    game = Instance(
        instance_id="1",
        dialogue_id="1",
        inputs={"rounds": []},
        gold=[[1, 0, [0, 1, 2, 3], ["f/a"]], [1, 0, [4, 5], ["f/b"]]],
    )
    assert segments.train_length(TrainingSet([game], 1)).length == 3
