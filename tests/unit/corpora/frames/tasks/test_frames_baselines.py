"""The baselines of Frames on invented dialogues, learned, written and scored."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.thorough import one_in
from tests.tiny_encoder import count_words

from commonground.corpora.frames.tasks.nlu import baselines as nlu
from commonground.corpora.frames.tasks.nlu.baselines import (
    divide_acts,
    join_acts,
    predict_lexicon,
    train_lexicon,
)
from commonground.corpora.frames.tasks.nlu.task import TASK as NLU
from commonground.corpora.frames.tasks.tracking import baselines as tracking
from commonground.corpora.frames.tasks.tracking.baselines import (
    Outlook,
    collect_values,
    compare_value,
    find_mentioned,
    normalise,
)
from commonground.corpora.frames.tasks.tracking.places import list_places, list_right
from commonground.corpora.frames.tasks.tracking.task import TASK as TRACKING
from commonground.method import Baselines, TrainingSet
from commonground.play.scenarios.frames.simulate import simulate
from commonground.task import Gold, Instance, Task

FRAME = {"info": {"dst_city": [{"val": "Rome", "negated": False}]}, "frame_parent_id": None}
OTHER = {"info": {"dst_city": [{"val": "Oslo", "negated": False}]}, "frame_parent_id": 1}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    simulate(folder, dialogues=40, seed=5)
    return folder / "frames.json"


@cache
def run(task_name: str, method: str, released: Path) -> tuple[dict[str, Any], list[str]]:
    """Learns from nine folds, answers the tenth; gives values and kinds of problems."""
    task: Task = {"tracking": TRACKING, "nlu": NLU}[task_name]
    baselines: Baselines = {"tracking": tracking, "nlu": nlu}[task_name].BASELINES
    [baseline] = [each for each in baselines.methods if each.name == method]
    gold = Gold(files=[released], split="fold-2")
    asked = [msgspec.structs.replace(each, gold=None) for each in task.instances(gold)]
    names = {each.instance_id for each in asked}
    everything = task.instances(Gold(files=[released]))
    known = [each for each in everything if each.instance_id not in names]
    model = baseline.learn(TrainingSet(known, 1, count_words))
    path = released.parent / f"{task_name}-{method}{baselines.ending}"
    answers = list(baseline.answer(model, asked, count_words))
    baselines.write(zip(asked, answers, strict=True), path)
    scoring = task.score_file(path, gold)
    assert len(scoring.instances) == len(asked)
    sums: dict[str, float] = {}
    for each in scoring.instances:
        for name, count in each.counts[task.measures[0].name].items():
            sums[name] = sums.get(name, 0) + count
    return task.measures[0].combine(sums), [each.kind for each in scoring.problems]


@pytest.mark.parametrize(
    "method", one_in(4, [each.name for each in tracking.BASELINES.methods], first=1)
)
def test_tracking_is_scored(method: str, released: Path) -> None:
    values, problems = run("tracking", method, released)
    assert set(problems) <= {"missing last turns of the wizard"}
    assert values["total_accuracy"] > 0.3
    assert values["total_loglik"] > -4


def test_the_linear_tracker_beats_the_rules(released: Path) -> None:
    rates = {
        each.name: run("tracking", each.name, released)[0]["total_accuracy"]
        for each in tracking.BASELINES.methods
    }
    assert rates["linear"] == max(rates.values())
    assert rates["linear"] > rates["keep-current"]


@pytest.mark.parametrize("method", [each.name for each in nlu.BASELINES.methods])
def test_understanding_is_scored(method: str, released: Path) -> None:
    values, problems = run("nlu", method, released)
    assert problems == []
    assert values["act_f1"] > 0.2


def test_the_linear_model_understands_more(released: Path) -> None:
    majority = run("nlu", "majority", released)[0]
    linear = run("nlu", "linear", released)[0]
    assert majority["slot_recall"] == 0
    assert linear["value_f1"] > 0.5
    assert linear["act_f1"] > majority["act_f1"]


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("$1,700", "1700"),
        ("1700.0", "1700"),
        ("2.5k", "2500"),
        (" Rome", "rome"),
        ("Saturday, August 13, 2016", "aug 13"),
        ("august 13", "aug 13"),
        (True, "true"),
    ],
)
def test_values_are_brought_to_one_form(value: object, form: str) -> None:
    assert normalise(value) == form


def test_what_a_frame_has() -> None:
    values = collect_values(FRAME)
    assert compare_value(values, "dst_city", "ROME") == "same"
    assert compare_value(values, "dst_city", "Oslo") == "other"
    assert compare_value(values, "or_city", "Rome") == "none"
    assert compare_value(values, "dst_city", None) == "same"
    assert find_mentioned(values, "to rome, then") == {"rome"}


def test_negated_values_are_not_held() -> None:
    assert collect_values({"info": {"seat": [{"val": "x", "negated": True}]}}) == {"seat": set()}


def ask(city: str) -> dict[str, Any]:
    acts = [{"name": "inform", "args": [{"key": "dst_city", "val": city}]}]
    frames = [FRAME, OTHER]
    return {"text": city, "acts": acts, "frames": frames, "active_frame": 1, "history": []}


@pytest.mark.parametrize(("city", "frame"), [("Rome", 1), ("Oslo", 2), ("Bergen", 3)])
def test_the_most_recent_match(city: str, frame: int) -> None:
    place = list_places(ask(city))[0]
    question = tracking.FrameQuestion(Outlook(ask(city)), place, {})
    assert tracking.match_recent(question) == frame


def test_the_right_frames_of_references() -> None:
    reference = {"key": "ref", "val": [{"frame": 2, "annotations": [{"key": "price"}]}]}
    bare = {"key": "ref", "val": [{"frame": 2, "annotations": []}, {"frame": 1}]}
    acts = [{"name": "a", "args": [reference]}, {"name": "b", "args": [bare]}]
    instance = Instance(
        instance_id="x:0", dialogue_id="x", inputs={}, gold={"acts": acts, "active_frame": 1}
    )
    # A slot of frame 2 and no bare reference beside it; then two bare ones.
    assert list_right(instance) == [{2}, set(), {1, 2}]


def test_acts_are_divided_and_joined() -> None:
    text = "From Rome to Rome for $900, or so"
    args = [{"key": "or_city", "val": "Rome"}, {"key": "dst_city", "val": "Rome"}]
    acts: list[dict[str, Any]] = [
        {"name": "inform", "args": [*args, {"key": "budget", "val": "-1"}]},
        {"name": "inform", "args": [{"key": "intent", "val": "book"}]},
        {"name": "thankyou", "args": []},
    ]
    meaning = divide_acts(text, acts)
    assert [(each.start, each.slot) for each in meaning.held] == [(5, "or_city"), (13, "dst_city")]
    assert join_acts(text, meaning) == acts


def test_the_dictionary_prefers_longer_phrases() -> None:
    def tell(number: int, text: str, value: str, slot: str) -> Instance:
        acts = [{"name": "inform", "args": [{"key": slot, "val": value}]}]
        inputs = {"text": text, "history": []}
        return Instance(instance_id=f"{number}", dialogue_id="d", inputs=inputs, gold=acts)

    known = [tell(1, "New York please", "New York", "dst_city"), tell(2, "in York", "York", "x")]
    model = train_lexicon(TrainingSet(known, 1))
    [acts] = predict_lexicon(model, [tell(3, "new york now", "", "")])
    assert acts == [{"name": "inform", "args": [{"key": "dst_city", "val": "new york"}]}]
    [acts] = predict_lexicon(model, [tell(4, "nothing known", "", "")])
    assert acts == [{"name": "inform", "args": []}]
