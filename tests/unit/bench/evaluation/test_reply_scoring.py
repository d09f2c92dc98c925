"""Language models are asked, and what they say is scored as predictions of a file are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from commonground.bench.evaluation.prompts import (
    find_prompts,
    get_prompt,
    pose_question,
    read_answer,
    render_inputs,
    render_target,
)
from commonground.bench.evaluation.reply_scoring import is_right, score_texts
from commonground.bench.evaluation.tasks import get_task, iterate_tasks
from commonground.bench.metrics.simmc_actions import GoldAction, PredictedAction, score_action
from commonground.errors import TaskError
from commonground.store.opening import load
from commonground.task import Gold, Instance, Scored

PERFECT = {
    "frames/nlu": "act_slot_f1:act_f1",
    "frames/tracking": "frames_tracking:total_accuracy",
    "mpchat/gpp": "recall_at_k:recall@1",
    "mpchat/nrp": "recall_at_k:recall@1",
    "mpchat/si": "recall_at_k:recall@1",
    "photobook/marks": "truth:accuracy",
    "photobook/reference": "set_f1:f1",
    "photobook/segments": "segment_f1:segments_f1",
    "simmc/actions": "fashion/train/simmc_actions:action_accuracy",
    "simmc/dst": "fashion/train/simmc_dst:joint_accuracy",
    "simmc/generation": "fashion/train/bleu:bleu",
    "simmc/retrieval": "fashion/devtest/retrieval_ranks_expected:r1",
    "taskmaster3/actions": "exact_target:exact_target",
    "taskmaster3/spans": "span_f1:exact_f1",
}


def list_targets(task: str, store: Path) -> dict[str, str]:
    prompt = get_prompt(task)
    corpus = load(get_task(task).corpora[0], store)
    questions = (
        pose_question(prompt, each) for each in get_task(task).instances(Gold(corpus=corpus))
    )
    found = {each.instance.instance_id: render_target(prompt, each.instance) for each in questions}
    return {name: target for name, target in found.items() if target is not None}


def test_every_task_has_a_prompt() -> None:
    names = {task.name for task in iterate_tasks() if not task.name.startswith("toy/")}
    assert find_prompts().keys() == names == PERFECT.keys()
    assert all(prompt.ask.endswith(".") for prompt in find_prompts().values())


@pytest.mark.parametrize("task", PERFECT)
def test_the_right_answers_are_right(task: str, store: Path) -> None:
    texts = list_targets(task, store)
    values = score_texts(task, texts, get_task(task).corpora[0], store)
    assert values["asked"] == len(texts) > 0
    assert values["unread"] == values["unscored"] == 0
    assert values[PERFECT[task]] == 1


def test_only_allowed_inputs_are_shown(store: Path) -> None:
    task = get_task("frames/tracking")
    instance = next(iter(task.instances(Gold(corpus=load("frames", store)))))
    shown = render_inputs(task, instance)
    assert [line[:-1] for line in shown.splitlines() if line[:-1] in task.allowed] == [
        "text",
        "acts",
        "frames",
        "active_frame",
        "history",
    ]
    assert "frames:\nnone" in shown
    assert f"text:\n{instance.inputs['text']}" in shown


def test_dialogues_may_be_asked_in_part(store: Path) -> None:
    texts = list_targets("frames/nlu", store)
    name, other = list(texts)[:2]
    values = score_texts("frames/nlu", {name: texts[name]}, "frames", store)
    assert values["asked"] == values["act_slot_f1:act_f1"] == 1
    values = score_texts("frames/nlu", {name: texts[name], other: "[]"}, "frames", store)
    assert values["act_slot_f1:act_f1"] < 1


def test_what_cannot_be_read_is_counted(store: Path) -> None:
    texts = list_targets("photobook/reference", store)
    name = next(iter(texts))
    texts[name] = "the first one, I think"
    values = score_texts("photobook/reference", texts, "photobook", store)
    assert values["unread"] == 1


@pytest.mark.parametrize("task", PERFECT)
def test_nothing_to_be_read_is_a_result(task: str, store: Path) -> None:
    texts = dict.fromkeys(list_targets(task, store), " " if get_prompt(task).is_text else "No.")
    values = score_texts(task, texts, get_task(task).corpora[0], store)
    assert values["unread"] == len(texts)
    assert values["unscored"] == 0
    assert values.get(PERFECT[task], 0) == 0


def test_a_reply_of_no_instance_is_refused(store: Path) -> None:
    with pytest.raises(TaskError, match="frames/nlu has no instance 'x:1' here"):
        score_texts("frames/nlu", {"x:1": "[]"}, "frames", store)


def ask(**inputs: Any) -> Instance:
    return Instance(instance_id="d:0", dialogue_id="d", inputs=inputs)


@pytest.mark.parametrize("text", ["2", " 2\n", "It is this:\n```json\n2\n```\nSure."])
def test_json_may_stand_in_a_fence(text: str) -> None:
    prompt = get_prompt("mpchat/nrp")
    assert read_answer(prompt, ask(candidates=["a", "b", "c"]), text) == [0.0, 0.0, 1.0]


def test_candidates_are_shown_in_another_order_than_released() -> None:
    prompt, instance = get_prompt("mpchat/nrp"), ask(candidates=["right", *"bcdefghij"])
    right = msgspec.structs.replace(instance, gold="right")
    shown = [pose_question(prompt, right, seed) for seed in range(90)]
    assert {each.instance.inputs["candidates"].index("right") for each in shown} == {*range(10)}
    for each in shown:
        target = render_target(prompt, each.instance)
        assert target is not None
        assert read_answer(prompt, each, target) == [1.0] + [0.0] * 9


def test_a_list_of_candidates_is_a_ranking() -> None:
    prompt, instance = get_prompt("mpchat/nrp"), ask(candidates=["a", "b", "c"])
    assert read_answer(prompt, instance, '[2, "0"]') == [1.0, 0.0, 2.0]
    for wrong in ("[]", "[1, 1]", "3", "true", "1.5"):
        with pytest.raises(TaskError, match="cannot be read"):
            read_answer(prompt, instance, wrong)


@pytest.mark.parametrize(
    ("task", "text"),
    [("mpchat/nrp", "the second"), ("frames/nlu", '{"act": 1}'), ("taskmaster3/spans", "[1]")],
)
def test_another_form_is_an_error(task: str, text: str) -> None:
    with pytest.raises(TaskError, match="d:0: the answer cannot be read"):
        read_answer(get_prompt(task), ask(candidates=["a"]), text)


def test_a_frame_above_all_is_a_new_one() -> None:
    # Two frames, so that the third of three probabilities is the new one's.
    acts = [{"name": "inform", "args": [{"key": "budget", "val": "1"}]}]
    instance = ask(acts=acts, frames=[{}, {}])
    answer = read_answer(get_prompt("frames/tracking"), instance, "[[9], [1, 2]]")
    assert answer.shares == [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]


def test_a_task_without_a_prompt_is_named() -> None:
    with pytest.raises(TaskError, match=r"toy/none has no prompt"):
        get_prompt("toy/none")


@pytest.mark.parametrize(("action", "right"), [("Show", True), ("None", False)])
def test_a_choice_is_right_however_sure_it_was(action: str, right: bool) -> None:
    predicted = PredictedAction(action, {}, {"Show": -0.7, "None": -0.7})
    counts = score_action(GoldAction("Show", {}), predicted)
    scored = Scored(instance_id="a:0", dialogue_id="a", counts={"simmc_actions": counts})
    assert is_right(get_task("simmc/actions"), scored) is right
