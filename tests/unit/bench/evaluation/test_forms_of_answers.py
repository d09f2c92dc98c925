"""Numbers and flags in the forms in which models write them, read as each metric takes them.

JSON has one kind of number, so 25.0 is 25. Where a metric compares letters, ``"25"`` as a text is
the number that the corpus writes so; what it tells apart (``"True"`` and true) stays apart.
"""

from __future__ import annotations

from typing import Any

import pytest

from commonground.bench.evaluation.prompts import find_prompts, get_prompt, read_answer, write_json
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.metrics.frames_tracking import CHOSEN, FRAMES_TRACKING
from commonground.bench.metrics.simmc_actions import SIMMC_ACTIONS, GoldAction
from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.frames.tasks.tracking.places import IS_CHOICE, take_answer
from commonground.corpora.photobook.tasks.reference.evidence import ScoredImages
from commonground.corpora.taskmaster.tasks.actions.targets import parse_target
from commonground.corpora.taskmaster.tasks.actions.task import read_target
from commonground.errors import TaskError
from commonground.replies import unify_numbers
from commonground.task import Instance, Tally

TWO_FRAMES = {"frames": [{}], "acts": [{"name": "inform", "args": [{"key": "city"}]}]}
INPUTS: dict[str, dict[str, Any]] = {
    "frames/nlu": {},
    "frames/tracking": TWO_FRAMES,
    "mpchat/gpp": {"candidates": ["a", "b"]},
    "mpchat/nrp": {"candidates": ["a", "b"]},
    "mpchat/si": {"candidates": ["a", "b"]},
    "photobook/marks": {"images": ["1", "2"], "image": "1"},
    "photobook/reference": {"images": ["1", "2"]},
    "photobook/segments": {},
    "simmc/actions": {},
    "simmc/dst": {},
    "simmc/generation": {},
    "simmc/retrieval": {"candidates": ["a", "b"]},
    "taskmaster3/actions": {},
    "taskmaster3/spans": {"text": "To Rome, please."},
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


BY_ACT = '[{"act": "inform", "slots": [{"key": "city", "frame": "1"}], "refers_to": []}]'


@pytest.mark.parametrize(
    "text", ["[[1], []]", "[[1.0], []]", '[["1"], []]', '[{"1": 1}, {}]', BY_ACT]
)
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
    assert answer == ScoredImages({"1": 0.5, "2": 1.0}, ["2"])


def test_attributes_are_compared_as_the_script_does() -> None:
    """Python says that 25 is 25.0 and true is 1, and that neither is a text: so they are kept."""
    said = '{"action": "SpecifyInfo", "attributes": {"a": 25.0, "b": "25", "c": true}}'
    attributes = read("simmc/actions", said)["attributes"]
    assert attributes == {"a": 25, "b": "25", "c": True}
    assert read("simmc/actions", '{"action": null}')["action"] == "None"


def test_a_choice_without_probabilities_has_no_perplexity() -> None:
    task, right = get_task("simmc/actions"), GoldAction("None")
    instance = Instance(instance_id="x", dialogue_id="x", inputs={}, gold={}, right=right)
    perplexity = {}
    for said in ('{"action": "None"}', '{"action": "None", "action_log_prob": {"None": 0}}'):
        tally = Tally()
        counts = task.score(instance, read("simmc/actions", said), tally).counts["simmc_actions"]
        perplexity[said] = SIMMC_ACTIONS.combine(counts)["action_perplexity"]
        assert (counts["actions_correct"], tally.problems()) == (1, [])
    assert list(perplexity.values()) == [None, 1.0]


@pytest.mark.parametrize(
    ("said", "is_choice"),
    [("[[1], []]", True), ('[{"1": 0.8, "2": 0.2}, {"shares": [0.1, 0.2]}]', False)],
)
def test_a_chosen_frame_has_no_likelihood(said: str, is_choice: bool) -> None:
    inputs = {"acts": [{"name": "inform", "args": [{"key": "budget", "val": 9}]}], "frames": [{}]}
    instance = Instance(instance_id="x", dialogue_id="x", inputs=inputs, gold={})
    answer = read_answer(get_prompt("frames/tracking"), instance, said)
    acts = take_answer(instance, answer, Tally())
    assert [bool(act.get(IS_CHOICE)) for act in acts] == [is_choice]
    sums = {"tag/total_cnt": 1, "tag/total_loglik": -2.0, "tag/total_accuracy": 1}
    values = FRAMES_TRACKING.combine({**sums, CHOSEN: 1} if is_choice else sums)
    assert values["total_loglik"] == (None if is_choice else -2.0)
    assert values["total_accuracy"] == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(25, "25"), (25.0, "25"), ("25", "25"), ("25.0", "25.0"), (True, "true"), ("True", "True")],
)
def test_arguments_of_tools_are_texts(value: Any, text: str) -> None:
    called = get_prompt("taskmaster3/actions").called
    assert called is not None
    step = read("taskmaster3/actions", called("I will see.", [("buy", {"n": value})]))
    assert step == {"text": None, "call": {"name": "buy", "arguments": {"n": text}}}
    assert read("taskmaster3/actions", called(" Which day? ", []))["text"] == "Which day?"


CALL = '{"call": {"name": "buy", "arguments": {"city": "Oakland", "n": "2"}}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        '{"name": "buy", "arguments": {"city": "Oakland", "n": 2}}',
        '{"call": {"name": "buy", "arguments": "{\\"city\\": \\"Oakland\\", \\"n\\": 2}"}}',
        '{"call": {"name": "buy", "arguments": {"city": ["oakland"], "n": [2.0]}}}',
        '{"text": null, "call": {"name": "buy", "arguments": {"n": "2", "city": " Oakland"}}}',
    ],
)
def test_right_arguments_are_right_in_any_form(text: str) -> None:
    right = parse_target("[PN]buy[PAN]city[PAV]Oakland[PAN]n[PAV]2")
    instance = Instance(instance_id="x", dialogue_id="x", inputs={}, right=right)
    tally = Tally()
    target = read_target(read("taskmaster3/actions", text), "x", tally)
    counts = get_task("taskmaster3/actions").score(instance, target, tally).counts["argument_f1"]
    assert (counts["exact"], counts["correct_arguments"], tally.problems()) == (1, 2, [])


ANSWERS: dict[str, str] = {
    "frames/nlu": '[{"name": "inform", "args": []}]',
    "frames/tracking": '[{"slots": [{"key": "city", "frame": 1}], "refers_to": [1]}]',
    "mpchat/gpp": "[1, 0]",
    "mpchat/nrp": "[1, 0]",
    "mpchat/si": "[1, 0]",
    "photobook/marks": '{"label": "common"}',
    "photobook/reference": '["2"]',
    "photobook/segments": '[{"round": 0, "messages": [1], "images": ["1"]}]',
    "simmc/actions": '{"action": "SpecifyInfo", "attributes": {"attributes": ["price"]}}',
    "simmc/dst": '[{"act": "INFORM", "slots": [["fashion-n", "1"]]}]',
    "simmc/generation": "It is red.",
    "simmc/retrieval": "[1, 0]",
    "taskmaster3/actions": CALL,
    "taskmaster3/spans": '[{"text": "Rome", "label": "city"}]',
}
# What a model may put around its answer, which stands where the dots are.
WRAPPINGS = [
    "```json\n...\n```",
    "```JSON\n...\n```",
    "```python\n...\n```",
    "```\n...\n```",
    "```json ... ```",
    "Sure! Here it is:\n\n```json\n...\n```\nI hope that this helps.",
    "Sure, it is ... as far as I can see.",
    "\n\n  ...  \n",
    "<think>Is it [0]? Or {x}?\n</think>\n...",
    "It may be [0].</think>...",
    "<THINKING>[0]</THINKING>```\n...\n```",
]


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("task", sorted(ANSWERS))
def test_what_is_around_an_answer_changes_nothing(task: str, wrapping: str) -> None:
    is_text = get_prompt(task).is_text
    if is_text and ("`" in wrapping or "Sure" in wrapping):
        pytest.skip("A text is all that a model says, but what it thought.")
    assert read(task, wrapping.replace("...", ANSWERS[task])) == read(task, ANSWERS[task])


@pytest.mark.parametrize(
    "text", ["", "<think>[1]", "I cannot help with that.", "```json\n[1,\n```"]
)
@pytest.mark.parametrize("task", sorted(set(ANSWERS) - {"simmc/generation"}))
def test_what_holds_no_answer_cannot_be_read(task: str, text: str) -> None:
    with pytest.raises(TaskError, match="cannot be read"):
        read(task, text)


@pytest.mark.parametrize(
    ("said", "start"),
    [
        ({"text": "Rome"}, 5),
        ({"text": " rome "}, 5),
        ({"text": "Rome", "occurrence": 2}, 19),
        ({"text": "Rome", "occurrence": 3}, -1),
        ({"text": "Paris"}, -1),
        ({"text": ""}, -1),
    ],
)
def test_a_span_is_found_by_its_words(said: dict[str, Any], start: int) -> None:
    utterance = {"text": "From Rome, back to Rome."}
    instance = Instance(instance_id="x", dialogue_id="x", inputs=utterance)
    reply = write_json([{**said, "label": "city"}])
    (span,) = read_answer(get_prompt("taskmaster3/spans"), instance, reply)["spans"]
    assert span == {"start": start, "end": start + 4 if start >= 0 else -1, "label": "city"}


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("frames/tracking", "[[true], []]"),
        ("frames/tracking", "[[1.5], []]"),
        ("frames/tracking", '[{"1": true}, {}]'),
        ("mpchat/gpp", "true"),
        ("mpchat/gpp", '{"scores": [1]}'),
        ("mpchat/nrp", "1.5"),
        ("photobook/marks", '{"label": "both"}'),
        ("photobook/marks", '{"label": true}'),
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
