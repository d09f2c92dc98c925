"""Numbers and flags in the forms in which models write them, read as each metric takes them.

JSON has one kind of number, so 25.0 is 25. Where a metric compares letters, ``"25"`` as a text is
the number that the corpus writes so; what it tells apart (``"True"`` and true) stays apart.
"""

from __future__ import annotations

from typing import Any

import pytest

from commonground.bench.evaluation.prompts import find_prompts, get_prompt, read_answer
from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.photobook.tasks.reference.baselines import Choice
from commonground.errors import TaskError
from commonground.replies import unify_numbers
from commonground.task import Instance

TWO_FRAMES = {"frames": [{}], "acts": [{"name": "inform", "args": [{"key": "city"}]}]}
INPUTS: dict[str, dict[str, Any]] = {
    "frames/nlu": {},
    "frames/tracking": TWO_FRAMES,
    "mpchat/gpp": {"candidates": ["a", "b"]},
    "mpchat/nrp": {"candidates": ["a", "b"]},
    "mpchat/si": {"candidates": ["a", "b"]},
    "photobook/reference": {"images": ["1", "2"]},
    "photobook/segments": {},
    "simmc/actions": {},
    "simmc/dst": {},
    "simmc/generation": {},
    "simmc/retrieval": {"candidates": ["a", "b"]},
    "taskmaster3/actions": {},
    "taskmaster3/spans": {},
}


def read(task: str, text: str) -> Any:
    instance = Instance(instance_id="x", dialogue_id="x", inputs=INPUTS[task])
    return read_answer(get_prompt(task), instance, text)


def find_value(text: str) -> Any:
    """Returns the value that a slot of Frames is read to have."""
    (act,) = read("frames/nlu", f'[{{"name": "inform", "args": [{{"key": "n", "val": {text}}}]}}]')
    return act["args"][0]["val"]


def find_slot(text: str) -> str:
    """Returns the value that a slot of SIMMC is read to have."""
    (frame,) = read("simmc/dst", f'[{{"act": "INFORM", "slots": [["fashion-n", {text}]]}}]')
    assert isinstance(frame, BeliefFrame)
    return frame.slots[0][1]


def test_every_task_is_spoken_of() -> None:
    assert INPUTS.keys() == find_prompts().keys()


@pytest.mark.parametrize("text", ["25", "25.0", "2.5e1"])
def test_a_whole_number_is_one_number(text: str) -> None:
    assert repr(find_value(text)) == "25"
    assert find_slot(text) == "25"


@pytest.mark.parametrize(
    ("text", "value", "slot"),
    [
        ('"25"', "25", "25"),
        ('"25.0"', "25.0", "25.0"),
        ("2.5", 2.5, "2.5"),
        ("true", True, "True"),
        ('"true"', "true", "true"),
        ('"True"', "True", "True"),
        ('"yes"', "yes", "yes"),
    ],
)
def test_what_letters_tell_apart_stays_apart(text: str, value: Any, slot: str) -> None:
    assert (find_value(text), type(find_value(text))) == (value, type(value))
    assert find_slot(text) == slot


@pytest.mark.parametrize("task", ["simmc/retrieval", "mpchat/gpp", "mpchat/nrp", "mpchat/si"])
@pytest.mark.parametrize("text", ["1", "1.0", '"1"', "[1]", '[1.0, "0"]', '{"scores": ["0", 1]}'])
def test_a_candidate_is_its_number_in_any_form(task: str, text: str) -> None:
    answer = read(task, text)
    scores = answer["scores"] if isinstance(answer, dict) else answer
    assert scores[1] > scores[0]


@pytest.mark.parametrize("text", ["[[1], []]", "[[1.0], []]", '[["1"], []]', '[{"1": 1}, {}]'])
def test_a_frame_is_its_number_in_any_form(text: str) -> None:
    assert read("frames/tracking", text).shares == [[1.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("number", ["4", "4.0", '"4"'])
def test_places_are_whole_numbers(number: str) -> None:
    span = f'[{{"start": 0, "end": {number}, "label": "a"}}]'
    assert read("taskmaster3/spans", span)["spans"][0]["end"] == 4
    segment = f'[{{"round": "0", "messages": [{number}], "images": []}}]'
    assert read("photobook/segments", segment) == [[0, [4], []]]


def test_scores_of_images_are_numbers_in_any_form() -> None:
    answer = read("photobook/reference", '{"targets": ["2"], "scores": {"1": "0.5", "2": 1}}')
    assert answer == Choice({"1": 0.5, "2": 1.0}, ["2"])


def test_attributes_are_compared_as_the_script_does() -> None:
    """Python says that 25 is 25.0 and true is 1, and that neither is a text: so they are kept."""
    said = '{"action": "SpecifyInfo", "attributes": {"a": 25.0, "b": "25", "c": true}}'
    attributes = read("simmc/actions", said)["attributes"]
    assert attributes == {"a": 25, "b": "25", "c": True}
    assert read("simmc/actions", '{"action": null}')["action"] == "None"


@pytest.mark.parametrize(
    ("name", "arguments", "target"),
    [
        ("buy", {"n": 25}, "[PN]buy[PAN]n[PAV]25"),
        ("buy", {"n": 25.0}, "[PN]buy[PAN]n[PAV]25"),
        ("buy", {"n": "25"}, "[PN]buy[PAN]n[PAV]25"),
        ("buy", {"n": "25.0"}, "[PN]buy[PAN]n[PAV]25.0"),
        ("buy", {"n": True}, "[PN]buy[PAN]n[PAV]true"),
        ("buy", {"n": "True"}, "[PN]buy[PAN]n[PAV]True"),
    ],
)
def test_arguments_of_tools_are_texts(name: str, arguments: dict[str, Any], target: str) -> None:
    called = get_prompt("taskmaster3/actions").called
    assert called is not None
    assert called("", [(name, arguments)]) == target


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("frames/tracking", "[[true], []]"),
        ("frames/tracking", "[[1.5], []]"),
        ("frames/tracking", '[{"1": true}, {}]'),
        ("mpchat/gpp", "true"),
        ("mpchat/gpp", '{"scores": [1]}'),
        ("mpchat/nrp", "1.5"),
        ("photobook/reference", '"1"'),
        ("photobook/reference", '{"images": ["1"]}'),
        ("photobook/segments", '[{"round": true, "messages": [], "images": []}]'),
        ("simmc/actions", '{"action": "None", "action_log_prob": {"None": "low"}}'),
        ("simmc/retrieval", '{"scores": [true, false]}'),
        ("taskmaster3/spans", '[{"start": 0, "end": 4.7, "label": "a"}]'),
        ("taskmaster3/spans", '[{"start": false, "end": 4, "label": "a"}]'),
    ],
)
def test_what_is_no_such_number_cannot_be_read(task: str, text: str) -> None:
    with pytest.raises(TaskError, match="cannot be read"):
        read(task, text)


def test_whole_numbers_are_unified_wherever_they_stand() -> None:
    assert repr(unify_numbers({"a": [1.0, 1.5, "1.0", True]})) == "{'a': [1, 1.5, '1.0', True]}"
