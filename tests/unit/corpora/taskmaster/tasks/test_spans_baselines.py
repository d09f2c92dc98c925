"""Baselines of entity spans, on invented sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.corpora.taskmaster.tasks.predictions import take_sample
from commonground.corpora.taskmaster.tasks.spans.baselines import BASELINES
from commonground.method import TrainingSet
from commonground.task import Instance

MOVIE, TOWN = "name.movie", "location"


def make(number: int, text: str, *phrases: tuple[str, str], speaker: str = "user") -> Instance:
    gold = [
        {"start": text.index(phrase), "end": text.index(phrase) + len(phrase), "label": label}
        for phrase, label in phrases
    ]
    inputs = {"text": text, "speaker": speaker, "history": []}
    name = f"d{number}"
    return Instance(instance_id=f"{name}:0", dialogue_id=name, inputs=inputs, gold=gold)


KNOWN = [
    make(1, "see Dune in Rome", ("Dune", MOVIE), ("Rome", TOWN)),
    make(2, "see Emma in Oslo", ("Emma", MOVIE), ("Oslo", TOWN)),
    make(3, "the Big Sky in Rome", ("Big Sky", MOVIE), ("Rome", TOWN)),
    make(4, "big plans", speaker="assistant"),
    make(5, "see you", speaker="assistant"),
]


def answer(name: str, new: Instance, known: list[Instance] = KNOWN) -> Any:
    method = next(each for each in BASELINES.methods if each.name == name)
    found = next(iter(method.predict(method.learn(TrainingSet(known, 1)), [new])))
    return [(each["start"], each["end"], each["label"]) for each in found["spans"]]


def test_no_span() -> None:
    assert answer("none", KNOWN[0]) == []


def test_dictionary_takes_known_phrases_in_any_case() -> None:
    # Code points: the emoji is one.
    found = answer("dictionary", make(9, "\U0001f600 the big sky in ROME"))
    assert found == [(6, 13, MOVIE), (17, 21, TOWN)]


def test_dictionary_leaves_what_mostly_is_no_span() -> None:
    often = [make(n, "Rome is nice") for n in range(10, 15)]
    # Rome is a span in two of seven sentences.
    assert answer("dictionary", make(9, "in Rome"), [*KNOWN, *often]) == []


@pytest.mark.parametrize("name", ["tokens", "tokens-speaker"])
def test_tokens_find_unknown_names(name: str) -> None:
    assert answer(name, make(9, "see Gigi in Bern")) == [(4, 8, MOVIE), (12, 16, TOWN)]


def test_speakers_are_learned_apart() -> None:
    assert answer("tokens-speaker", make(9, "see Gigi in Bern", speaker="assistant")) == []
    assert answer("tokens-speaker", make(9, "see Gigi in Bern", speaker="other")) == []


def test_samples_are_seeded_and_in_order() -> None:
    one, other = (take_sample(KNOWN, 3, seed=1) for _ in range(2))
    assert one == other
    assert [each.dialogue_id for each in one] == sorted({each.dialogue_id for each in one})
    assert len(one) == 3
    assert take_sample(KNOWN, 5, seed=1) == KNOWN


def test_answers_are_json_lines(tmp_path: Path) -> None:
    spans = {"spans": [{"start": 4, "end": 8, "label": MOVIE}]}
    BASELINES.write([(KNOWN[0], spans)], tmp_path / "p.jsonl")
    line = '{"instance_id":"d1:0","spans":[{"start":4,"end":8,"label":"name.movie"}]}\n'
    assert (tmp_path / "p.jsonl").read_text() == line
