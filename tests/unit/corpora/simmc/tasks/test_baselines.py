"""Baselines of SIMMC, on invented turns: each learns, answers, and its answers can be scored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from commonground.bench.learners.ranking import Group, Judge, Ranker
from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.simmc.tasks import actions, generation
from commonground.corpora.simmc.tasks.dst import baselines as dst
from commonground.corpora.simmc.tasks.dst import task as dst_task
from commonground.corpora.simmc.tasks.dst.acts import (
    Possible,
    list_sentences,
    read_turn,
    sort_acts,
    train_acts,
)
from commonground.corpora.simmc.tasks.dst.slots import (
    SlotModel,
    fill_slots,
    list_fillers,
    walk_turns,
)
from commonground.corpora.simmc.tasks.features import WORDS, describe_context
from commonground.corpora.simmc.tasks.retrieval import baselines as retrieval
from commonground.errors import TaskError
from commonground.method import Baselines, TrainingSet
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Instance, Task

ADD = {"action": "AddToCart", "action_supervision": None}
TELL = {"action": "SpecifyInfo", "action_supervision": {"attributes": ["price"]}}
SIZES = {"action": "SpecifyInfo", "action_supervision": {"attributes": ["size"]}}
SAID = [
    ("please add the red one to my cart", ADD),
    ("what is the price of the red one", TELL),
    ("is there another size of the blue one", SIZES),
]


def make(number: int, gold: Any = None, **inputs: Any) -> Instance:
    name = f"fashion-{number}"
    inputs = {"turn_idx": 0, "dialogue_idx": number, "history": [], **inputs}
    return Instance(instance_id=f"{name}:0", dialogue_id=name, inputs=inputs, gold=gold)


def answer(baselines: Baselines, name: str, known: Sequence[Instance], new: Instance) -> Any:
    method = next(each for each in baselines.methods if each.name == name)
    model = method.learn(TrainingSet(known, 1, count_letters))
    assert isinstance(model, method.model)
    return next(iter(method.answer(model, [new], count_letters)))


def count_letters(texts: Sequence[str]) -> NDArray[np.float32]:
    """Stands in for a sentence encoder: a text is the letters that it has."""
    rows = [[text.count(letter) + 0.01 for letter in ascii_lowercase] for text in texts]
    counts = np.array(rows, np.float32).reshape(len(texts), 26)
    return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True), np.float32)


ACTIONS = [make(n, gold, transcript=words) for n, (words, gold) in enumerate(SAID * 4)]


def test_majority_action_has_its_share() -> None:
    found = answer(actions.BASELINES, "majority", ACTIONS, make(99, transcript="hello"))
    # Eight of the twelve turns tell something, four of these the price: a tie with the size, which
    # the alphabet decides.
    assert found["action"] == "SpecifyInfo"
    assert found["attributes"] == {"attributes": ["price"]}
    assert math.exp(found["action_log_prob"]["AddToCart"]) == pytest.approx(4 / 12)


def test_words_decide_action_and_attributes() -> None:
    new = make(99, transcript="which size is it")
    found = answer(actions.BASELINES, "linear-words", ACTIONS, new)
    assert (found["action"], found["attributes"]) == ("SpecifyInfo", {"attributes": ["size"]})
    assert sum(map(math.exp, found["action_log_prob"].values())) == pytest.approx(1)


def test_context_decides_without_words() -> None:
    told, added = ([{"action": each}] for each in ("SpecifyInfo", "AddToCart"))
    known = [make(n, ADD, history=told) for n in range(5)]
    known += [make(n, TELL, history=added) for n in range(5)]
    found = answer(actions.BASELINES, "linear-context", known, make(99, history=added))
    assert found["action"] == "SpecifyInfo"


@pytest.mark.parametrize("name", [each.name for each in actions.BASELINES.methods])
def test_actions_can_be_scored(name: str, tmp_path: Path) -> None:
    found = answer(actions.BASELINES, name, ACTIONS, ACTIONS[0])
    actions.BASELINES.write([(ACTIONS[0], found)], tmp_path / "p.json")
    gold = tmp_path / "fashion_dev_dials_api_calls.json"
    calls = [{"dialog_id": 0, "actions": [{"turn_idx": 0, **ADD}], "focus_images": [1]}]
    gold.write_bytes(msgspec.json.encode(calls))
    scoring = actions.TASK.score_file(tmp_path / "p.json", Gold(files=[gold]))
    assert [each.kind for each in scoring.problems] == []
    assert len(scoring.instances) == 1


def test_dialogue_without_number_cannot_be_written(tmp_path: Path) -> None:
    new = make(0)
    new = msgspec.structs.replace(new, dialogue_id="furniture-#0")
    with pytest.raises(TaskError, match="no number"):
        actions.BASELINES.write([(new, {})], tmp_path / "p.json")


RED = BeliefFrame("DA:ASK:GET", (("O", "OBJECT_0"), ("color", "red")))
BLUE = BeliefFrame("DA:INFORM:PREFER", (("color", "blue"),))
SCENE = "User : {} <SOM> OBJECT_0 : pos focus type coat <EOM>"


def state(number: int, words: str, *frames: BeliefFrame) -> Instance:
    return make(number, frames or None, transcript=words, context=SCENE.format(words))


STATES = [
    *(state(n, "what is the price of this red one", RED) for n in range(6)),
    *(state(n, "i like blue", BLUE) for n in range(6, 12)),
]


def test_states_are_learned() -> None:
    new = state(99, "the price of this red one")
    assert answer(dst.BASELINES, "linear", STATES, new) == [RED]
    assert answer(dst.BASELINES, "linear-words", STATES, state(98, "i like Blue")) == [
        BeliefFrame("DA:INFORM:PREFER", (("color", "Blue"),))
    ]


def test_constant_states() -> None:
    assert answer(dst.BASELINES, "empty", STATES, STATES[0]) == []
    # Both acts are equally frequent, so that the alphabet decides.
    assert answer(dst.BASELINES, "majority", STATES, STATES[0]) == [BeliefFrame("DA:ASK:GET")]


def test_the_last_state_is_copied_to_the_end_of_its_dialogue() -> None:
    method = next(each for each in dst.BASELINES.methods if each.name == "copy-last")
    first, other = state(98, "i like Blue"), state(99, "hello")
    later = msgspec.structs.replace(other, dialogue_id=first.dialogue_id)
    found = list(method.predict(method.learn(TrainingSet(STATES, 1)), [first, later]))
    assert found[0] == found[1] == answer(dst.BASELINES, "linear-words", STATES, first)


def test_things_of_earlier_turns_can_be_meant() -> None:
    first = state(1, "one")
    second = make(1, transcript="two", context="User : two <SOM>  <EOM>")
    turns = list(walk_turns([first, second, state(2, "three")]))
    assert [turn.seen for turn in turns] == [[], ["OBJECT_0"], []]
    # One more than the highest number may be meant: what is only remembered is in no view.
    named = [each.value for each in list_fillers(turns[1], 0, {})]
    assert named == ["OBJECT_0", "OBJECT_1"]


def test_values_are_runs_of_the_users_words() -> None:
    turn = next(walk_turns([state(1, "a Light Blue one")]))
    found = list_fillers(turn, 0, {"light blue": ["color"], "blue": ["color", "brand"]})
    words = [(each.slot, each.value) for each in found if each.slot != "O"]
    assert words == [("color", "Light Blue"), ("color", "Blue"), ("brand", "Blue")]


def test_an_object_is_known_by_the_image_in_focus_and_by_its_colours() -> None:
    scene = "User : {} <SOM> {} <EOM>"
    seen = [
        ("OBJECT_0 : pos focus color ['red', 'blue'] type coat", 7),
        ("OBJECT_1 : pos focus color ['green'] type coat", 8),
        ("", 7),
    ]
    words = "I like it. The red one please."
    turns = [
        make(1, transcript=words, context=scene.format(words, view), focus_image=image)
        for view, image in seen
    ]
    last = list(walk_turns(turns))[-1]
    assert (last.focus, last.moved, last.view) == ("OBJECT_0", False, {})
    about = {each.value: each.facts for each in list_fillers(last, 1, {}, ["red", "green"])}
    assert "focus this looks alike" in about["OBJECT_0"]
    assert "focus other looks different" in about["OBJECT_1"]
    # The other sentence names no colour.
    about = {each.value: each.facts for each in list_fillers(last, 0, {}, ["red", "green"])}
    assert "focus this looks unsaid" in about["OBJECT_0"]


LIKE, ASK = BeliefFrame("DA:INFORM:PREFER"), BeliefFrame("DA:ASK:GET.price")
TWO = [
    *(state(n, "I love it!", LIKE) for n in range(4)),
    *(state(n, "What does it cost?", ASK) for n in range(4, 8)),
    # Three sentences and two acts: which of them has none is learned from the others.
    *(state(n, "Hm. I love it! What does it cost?", LIKE, ASK) for n in range(8, 12)),
    state(12, "Hm.", BeliefFrame("ERR:CHITCHAT")),
]


@pytest.mark.parametrize("name", ["linear", "encoder"])
def test_acts_are_found_sentence_by_sentence(name: str) -> None:
    new = state(99, "What does it cost? I love it!")
    # In this order they were never seen together.
    assert answer(dst.BASELINES, name, TWO, new) == [ASK, LIKE]


def test_acts_are_matched_with_the_sentences_that_they_are_in() -> None:
    read = [read_turn(each.inputs, (), (WORDS,)) for each in TWO]
    golds = [tuple(frame.act for frame in each.gold) for each in TWO]
    _model, found = train_acts(read, golds, {}, kinds=(WORDS,), seed=1)
    assert found[8] == [(), (LIKE.act,), (ASK.act,)]
    assert list_sentences(found[8]) == [1, 2]


def test_what_was_done_is_told_in_one_order() -> None:
    """A set has another one in each process."""
    done = [{"action": action} for action in "GBEACFD"]
    told = [each for each in describe_context({"history": done}) if each.startswith("ever")]
    assert told == [f"ever {action}" for action in "ABCDEFG"]


def test_acts_come_first_that_others_agree_with() -> None:
    # c, b agrees with half of each of the others: .35 + .4 / 2 + .25 / 2 against .4 + .35 / 2.
    shares = {("a", "b"): 0.4, ("c", "b"): 0.35, ("c", "d"): 0.25, ("e",): 0.001}
    assert sort_acts(shares) == [("c", "b"), ("a", "b"), ("c", "d")]


class OtherJudge(Judge):
    """Finds what is asked for likely if the act is another one."""

    def score(self, group: Group) -> list[float]:
        return [0.9 if "color INFORM" in each else 0.3 for each in group]


def test_a_slot_is_filled_that_is_likely_whatever_the_act() -> None:
    nothing = Ranker([], np.zeros(0, np.float32), 0.0, False)
    (turn,) = walk_turns([state(99, "red")])
    asked, told = Possible(0.5, ("ASK",), [0]), Possible(0.5, ("INFORM",), [0])
    model = SlotModel({"red": ["color"]}, [], nothing)

    def fill(*possible: Possible) -> list[BeliefFrame]:
        return fill_slots(model, OtherJudge(nothing), turn, possible)

    # .3 alone; with the other act, (.5 * .3 + .5 * .3 * .9) / (.5 + .5 * .3) = .44.
    assert fill(asked) == [BeliefFrame("ASK")]
    assert fill(asked, told) == [BeliefFrame("ASK", (("color", "red"),))]


@pytest.mark.parametrize("name", ["majority", "linear"])
def test_states_can_be_scored_as_lines(name: str, tmp_path: Path) -> None:
    new = STATES[0]
    dst.BASELINES.write([(new, answer(dst.BASELINES, name, STATES, new))], tmp_path / "p.txt")
    gold = tmp_path / "fashion_dev_dials_target.txt"
    slots = "fashion-O = OBJECT_0, fashion-color = red"
    gold.write_text(f"{new.inputs['context']} => Belief State : DA:ASK:GET [ {slots} ] <EOB> x")
    assert joint(dst_task.TASK, tmp_path / "p.txt", gold) == (name == "linear")


def test_states_without_context_are_written_as_json(tmp_path: Path) -> None:
    new = make(7, transcript="red")
    dst.BASELINES.write([(new, [RED])], tmp_path / "p.json")
    gold = tmp_path / "fashion_dev_dials.json"
    slots = [["fashion-O", "OBJECT_0"], ["fashion-color", "red"]]
    turn = {"turn_idx": 0, "belief_state": [{"act": "DA:ASK:GET", "slots": slots}]}
    dialogue = {"dialogue_idx": 7, "dialogue": [turn]}
    gold.write_bytes(msgspec.json.encode({"dialogue_data": [dialogue]}))
    assert joint(dst_task.TASK, tmp_path / "p.json", gold) == 1


def joint(task: Task, predictions: Path, gold: Path) -> float | None:
    scoring = task.score_file(predictions, Gold(files=[gold]))
    # A baseline may get no slot right.
    assert {each.kind for each in scoring.problems} <= {"divisions by zero"}
    sums = sum_counts(each.counts["simmc_dst"] for each in scoring.instances)
    return task.measures[0].combine(sums)["joint_accuracy"]


OPTIONS = ["It is red.", "It costs ten.", "Added to your cart.", "Size seven."]


def choose(number: int, words: str, right: int, **inputs: Any) -> Instance:
    return make(number, right, transcript=words, candidates=OPTIONS, **inputs)


CHOICES = [
    *(choose(n, "what does that cost", 1) for n in range(8)),
    *(choose(n, "put into cart", 2) for n in range(8, 16)),
]


@pytest.mark.parametrize("name", ["tfidf", "bm25"])
def test_shared_words_rank_first(name: str) -> None:
    scores = answer(retrieval.BASELINES, name, CHOICES, choose(99, "my cart", 0))["scores"]
    assert scores.index(max(scores)) == 2


def test_ranker_learns_pairs_of_words() -> None:
    new = choose(99, "does that cost a lot", 0)
    scores = answer(retrieval.BASELINES, "ranker-words", CHOICES, new)["scores"]
    assert scores.index(max(scores)) == 1


def test_ranker_learns_from_the_action() -> None:
    known = [
        *(choose(n, "well", 1, **TELL) for n in range(8)),
        *(choose(n, "well", 2, **ADD) for n in range(8, 16)),
    ]
    new = choose(99, "well", 0, **ADD)
    scores = answer(retrieval.BASELINES, "ranker", known, new)["scores"]
    assert scores.index(max(scores)) == 2


def test_a_predicted_vector_ranks_words_that_were_never_seen_together() -> None:
    # No word of the turn was learned from, but its letters were.
    new = choose(99, "whatdoesthatcost", 0)
    scores = answer(retrieval.BASELINES, "encoder", CHOICES, new)["scores"]
    assert scores.index(max(scores)) == 1
    scores = answer(retrieval.BASELINES, "encoder", CHOICES[:1], new)["scores"]
    assert len(set(scores)) == len(OPTIONS)


def test_what_is_in_question_is_not_answered_with_another_kind_of_clothing() -> None:
    options = ["A nice skirt.", "A nice dress."]
    talks = [("the dress", 1), ("the skirt", 0)] * 6
    known = [
        make(n, right, transcript="well", candidates=options, history=[{"transcript": said}])
        for n, (said, right) in enumerate(talks)
    ]
    for said, right in talks[:2]:
        past = [{"transcript": f"do you have {said}es"}, {"transcript": said}]
        new = make(99, None, transcript="so", candidates=options, history=past)
        scores = answer(retrieval.BASELINES, "encoder", known, new)["scores"]
        assert scores.index(max(scores)) == right


def test_a_method_that_needs_an_encoder_does_not_learn_without() -> None:
    method = next(each for each in retrieval.BASELINES.methods if each.encodes)
    with pytest.raises(ValueError, match="no encoder was opened"):
        method.learn(TrainingSet(CHOICES, 1))


def test_chance_is_seeded_and_without_ties() -> None:
    one, other = (answer(retrieval.BASELINES, "random", [], CHOICES[0]) for _ in range(2))
    assert one == other
    assert len(set(one["scores"])) == len(OPTIONS)


ANSWERS = [
    make(1, "It costs ten.", transcript="what is the price", **TELL),
    make(2, "Added.", transcript="put it in my cart", **ADD),
    make(3, "Added.", transcript="add it please", **ADD),
]


def test_most_frequent_answer() -> None:
    found = answer(generation.BASELINES, "frequent", ANSWERS, make(9, transcript="price"))
    assert found == {"response": "Added."}


def test_nearest_answer() -> None:
    new = make(9, transcript="the price ?", **ADD)
    for name in ("nearest-words", "nearest"):
        assert answer(generation.BASELINES, name, ANSWERS, new) == {"response": "It costs ten."}
    # Nothing was said, but the action is known.
    new = make(9, transcript="", **ADD)
    assert answer(generation.BASELINES, "nearest-action", ANSWERS, new) == {"response": "Added."}


@pytest.mark.parametrize("baselines", [actions, dst, generation])
def test_nothing_to_learn_from_is_an_error(baselines: Any) -> None:
    for method in baselines.BASELINES.methods:
        if method.name != "empty":
            with pytest.raises(ValueError, match="nothing to learn"):
                method.learn(TrainingSet([make(1)], 1, count_letters))
