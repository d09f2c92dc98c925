"""Language models are asked, and what they say is scored as predictions of a file are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.corpora import get_corpus
from commonground.errors import TaskError
from commonground.evaluation.asking import (
    find_prompts,
    get_prompt,
    is_readable,
    read_answer,
    render_inputs,
    score_texts,
    write_json,
)
from commonground.evaluation.discovery import get_task, iterate_tasks
from commonground.store.importing import import_corpus
from commonground.store.opening import load
from commonground.task import Gold, Instance

PERFECT = {
    "frames/nlu": "act_slot_f1:act_f1",
    "frames/tracking": "frames_tracking:total_accuracy",
    "mpchat/gpp": "recall_at_k:recall@1",
    "mpchat/nrp": "recall_at_k:recall@1",
    "mpchat/si": "recall_at_k:recall@1",
    "photobook/reference": "set_f1:f1",
    "photobook/segments": "segment_f1:segments_f1",
    "simmc/actions": "fashion/train/simmc_actions:action_accuracy",
    "simmc/dst": "fashion/train/simmc_dst:joint_accuracy",
    "simmc/generation": "fashion/train/bleu:bleu",
    "simmc/retrieval": "fashion/devtest/retrieval_ranks:r1",
    "taskmaster3/actions": "exact_target:exact_target",
    "taskmaster3/spans": "span_f1:exact_f1",
}


@pytest.fixture(scope="session")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    for name in ("frames", "mpchat", "photobook", "simmc", "taskmaster3"):
        get_corpus(name).simulate(folder / name, dialogues=4, seed=1)
        import_corpus(get_corpus(name), [folder / name], store=folder / "store")
    return folder / "store"


def list_targets(task: str, store: Path) -> dict[str, str]:
    prompt = get_prompt(task)
    corpus = load(get_task(task).corpora[0], store)
    found: dict[str, str] = {}
    for each in get_task(task).instances(Gold(corpus=corpus)):
        target = None if each.gold is None else prompt.target(each)
        if target is not None:
            found[each.instance_id] = target if prompt.is_text else write_json(target)
    return found


def test_every_task_has_a_prompt() -> None:
    names = {task.name for task in iterate_tasks() if not task.name.startswith("toy/")}
    assert find_prompts().keys() == names == PERFECT.keys()
    assert all(prompt.ask.endswith(".") for prompt in find_prompts().values())


@pytest.mark.parametrize("task", PERFECT)
def test_the_right_answers_are_right(task: str, stores: Path) -> None:
    texts = list_targets(task, stores)
    values = score_texts(task, texts, get_task(task).corpora[0], stores)
    assert values["asked"] == len(texts) > 0
    assert values["left_out"] == values["unread"] == values["unscored"] == 0
    assert values[PERFECT[task]] == 1


def test_only_allowed_inputs_are_shown(stores: Path) -> None:
    task = get_task("frames/tracking")
    instance = next(iter(task.instances(Gold(corpus=load("frames", stores)))))
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


def test_dialogues_asked_in_part_are_left_out(stores: Path) -> None:
    texts = list_targets("frames/nlu", stores)
    first = next(iter(texts)).rpartition(":")[0]
    mine = [name for name in texts if name.startswith(first)]
    del texts[mine[-1]]
    values = score_texts("frames/nlu", texts, "frames", stores)
    assert values["left_out"] == len(mine) - 1 > 0
    with pytest.raises(TaskError, match="No dialogue was asked whole"):
        score_texts("frames/nlu", {mine[0]: "[]"}, "frames", stores)


def test_what_cannot_be_read_counts_as_no_answer(stores: Path) -> None:
    texts = list_targets("photobook/reference", stores)
    name = next(iter(texts))
    texts[name] = "the first one, I think"
    values = score_texts("photobook/reference", texts, "photobook", stores)
    assert values["unread"] == 1


def test_nothing_to_be_read_is_an_error(stores: Path) -> None:
    texts = dict.fromkeys(list_targets("frames/nlu", stores), "no idea")
    with pytest.raises(TaskError, match="No answer to frames/nlu can be read"):
        score_texts("frames/nlu", texts, "frames", stores)


def ask(**inputs: Any) -> Instance:
    return Instance(instance_id="d:0", dialogue_id="d", inputs=inputs)


@pytest.mark.parametrize("text", ["2", " 2\n", "It is this:\n```json\n2\n```\nSure."])
def test_json_may_stand_in_a_fence(text: str) -> None:
    prompt = get_prompt("mpchat/nrp")
    assert read_answer(prompt, ask(candidates=["a", "b", "c"]), text) == [0.0, 0.0, 1.0]
    assert is_readable("mpchat/nrp", text)


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
