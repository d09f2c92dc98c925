"""The task ``taskmaster3/actions``: what the agent says or calls next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.metrics.argument_f1 import ARGUMENT_F1, score_call
from commonground.bench.metrics.bleu import BLEU, score_text
from commonground.bench.metrics.words import name_tokenizer
from commonground.corpora.taskmaster.native.rows import SplitRow, parse_cells
from commonground.corpora.taskmaster.native.tags import (
    Marker,
    TagError,
    TaggedTurn,
    parse_turns,
    render_turns,
)
from commonground.corpora.taskmaster.tasks.actions.targets import (
    Target,
    list_history,
    make_call,
    parse_target,
    render_target,
    target_of,
    turns_of,
)
from commonground.corpora.taskmaster.tasks.dialogues import Source, load_source
from commonground.corpora.taskmaster.tasks.predictions import (
    NO_SCRIPT,
    parse_json_lines,
    read_text,
    unique_id,
)
from commonground.errors import TaskError
from commonground.files.predictions import require_share
from commonground.metric import Counts, Metric, Values
from commonground.model import Action, Dialogue
from commonground.replies import read_object
from commonground.statistics.counts import ratio
from commonground.task import (
    MISSING,
    Gold,
    Instance,
    Prediction,
    Predictions,
    Problem,
    Scored,
    Tally,
    Task,
)

_LINE = (
    'A line is {"instance_id": "...", "target": "[PN]name[PAN]argument[PAV]value"}, with "call" '
    '{"name", "arguments"} or "text" instead of "target" if you like; or, in the order of the '
    "instances, a target or a released row with the predicted target."
)


class ActionExample(msgspec.Struct, frozen=True):
    """A place where the agent goes on.

    Attributes:
        instance: the place; its inputs are left out, since scoring looks at none.
        row: the row it is; None where it is from a dialogue.
        inputs: makes its inputs.
    """

    instance: Instance
    row: SplitRow | None
    inputs: Callable[[], dict[str, Any]]


def list_examples(source: Source) -> dict[str, ActionExample]:
    """Lists examples by id, rows first; notes rows without a readable target as a problem."""
    found: dict[str, ActionExample] = {}
    bad = []
    for place, row in source.rows:
        # Ids of dialogues would not do: a dialogue has many rows (1,462 ids in 1,517 rows at hand).
        name = unique_id(place, found)
        try:
            target = parse_target(row.target or "")
        except TagError as error:
            bad.append(f"{name}: {error}")
            continue
        instance = _make_instance(name, row.conversation_id or name, None, target)
        found[name] = ActionExample(instance, row, partial(_row_inputs, row))
    for dialogue in source.dialogues:
        found |= {example.instance.instance_id: example for example in _cut(dialogue)}
    source.problems += _bad_rows(bad)
    return found


def _bad_rows(bad: list[str]) -> list[Problem]:
    if not bad:
        return []
    official = f"{NO_SCRIPT}they are left out."
    kind = "rows without a readable target"
    return [Problem(kind=kind, count=len(bad), example=bad[0], official=official, skipped=len(bad))]


def _cut(dialogue: Dialogue) -> Iterator[ActionExample]:
    """Yields what the agent says or calls right after the user or an API, as rows do."""
    roles = {speaker.speaker: speaker.role for speaker in dialogue.speakers}
    for number, event in enumerate(dialogue.events):
        if number == 0 or roles.get(event.speaker) == "user":
            continue
        before = dialogue.events[number - 1]
        if isinstance(before, Action) or roles.get(before.speaker) == "user":
            name = f"{dialogue.dialogue_id}:{number}"
            instance = _make_instance(name, dialogue.dialogue_id, number, target_of(event))
            yield ActionExample(instance, None, partial(_cut_inputs, dialogue, number))


def _row_inputs(row: SplitRow) -> dict[str, Any]:
    """Gives the context as released, and its turns in the order in which they came."""
    context = row.context
    try:
        turns = parse_turns(context)
    except TagError:
        return {"context": context, "history": []}
    marks = [i for i, turn in enumerate(turns) if isinstance(turn, Marker)]
    if marks:
        # Behind the last mark stands the history, before the first one the latest turn.
        turns = [*turns[marks[-1] + 1 :], *turns[: marks[0]]]
    return {"context": context, "history": list_history(turns)}


def _cut_inputs(dialogue: Dialogue, number: int) -> dict[str, Any]:
    """Gives what came before an event, in the same two forms."""
    roles = {speaker.speaker: speaker.role for speaker in dialogue.speakers}
    turns: list[TaggedTurn] = []
    for event in dialogue.events[:number]:
        turns += turns_of(event, roles.get(event.speaker))
    latest = [turns[-1], Marker("context" if len(turns) > 1 else "start"), *turns[:-1]]
    return {"context": render_turns(latest), "history": list_history(turns)}


def list_instances(gold: Gold) -> Iterator[Instance]:
    """Yields the places where the agent goes on."""
    for each in list_examples(load_source(gold, with_rows=True)).values():
        yield msgspec.structs.replace(each.instance, inputs=each.inputs())


def _make_instance(name: str, dialogue_id: str, event: int | None, target: Target) -> Instance:
    return Instance(
        instance_id=name,
        dialogue_id=dialogue_id,
        event=event,
        inputs={},
        gold=render_target(target),
        right=target,
    )


def read(path: Path, gold: Gold) -> Predictions:
    """Reads a file of predictions; what is missing or unreadable is wrong.

    Raises:
        TaskError: nothing in the file can be scored.
        SourceError: a file cannot be read.
    """
    source = load_source(gold, with_rows=True)
    examples = list_examples(source)
    text, faults = read_text(path), Tally(prefix=NO_SCRIPT)
    if text.lstrip().startswith("{"):
        lines = parse_json_lines(text, path, examples.keys(), _LINE)
        given = {name: read_target(line, name, faults) for name, line in lines.by_id.items()}
        problems = lines.problems
    else:
        given, problems = _from_lines(text, list(examples.values()), faults), []
        if readable := sum(each is not None for each in given.values()):
            require_share(path, readable, len(given), "a target", _LINE)
    if not any(given.values()):
        described = "; ".join(f"{p.count} {p.kind} ({p.example})" for p in faults.problems())
        raise TaskError(f"No line of {path} holds a target: {described}.", _LINE)
    for name in (each for each in examples if each not in given):
        faults.add("missing instances", name, f"{MISSING} they count as wrong.")
    return Predictions(
        found=(
            Prediction(instance=each.instance, value=given.get(name), is_missing=name not in given)
            for name, each in examples.items()
        ),
        tally=faults,
        problems=[*source.problems, *problems],
        settings={"tokenizer": name_tokenizer()},
    )


def read_target(line: dict[str, Any], name: str, faults: Tally) -> Target | None:
    """Reads what a JSON line says of an instance; None where it says nothing that can be scored.

    Args:
        line: the line.
        name: id of the instance.
        faults: counts its faults.
    """
    try:
        if "target" in line:
            return parse_target(line["target"])
        target = _from_parts(line.get("text"), line.get("call"))
        if target.text is None and target.call is None:
            raise ValueError("neither text nor call")
    # What a model predicts may have any form; each of its parts is looked at as if it were right.
    except (TagError, ValueError, TypeError, KeyError) as error:
        faults.add("unreadable predictions", f"{name}: {error}", "they count as wrong.")
        return None
    return target


def _from_parts(text: Any, call: Any) -> Target:
    if text is not None and not isinstance(text, str):
        raise TypeError("text is not a text")
    if call is None:
        return Target(text)
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise TypeError("a call is not an object with a name")
    return Target(text, make_call(call["name"], read_object(call.get("arguments"))))


def _from_lines(
    text: str, examples: list[ActionExample], faults: Tally
) -> dict[str, Target | None]:
    """Reads targets, or released rows with predicted targets, in the order of the instances."""
    # Not ``splitlines``, which would divide at characters that values may hold.
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    for number in range(len(examples), len(lines)):
        faults.add("lines too many", f"line {number + 1}", "they are ignored.")
    return {
        example.instance.instance_id: _from_line(line, example, faults)
        for line, example in zip(lines, examples, strict=False)
    }


def _from_line(line: str, example: ActionExample, faults: Tally) -> Target | None:
    name, (cells, _quoted) = example.instance.instance_id, parse_cells(line)
    text = cells[1] if len(cells) > 1 else cells[0]
    # A row with another context is for another place: lines were lost, or are in another order.
    if len(cells) > 1 and (example.row is None or cells[0] != example.row.context):
        faults.add("rows of another context", name, "they count as wrong.")
        return None
    return read_target({"target": text}, name, faults)


def score(instance: Instance, given: Target | None, _tally: Tally) -> Scored:
    """Scores a predicted target.

    Args:
        instance: the place where the agent goes on.
        given: the target; None where it cannot be read.
        _tally: none of it is a fault.
    """
    wanted: Target = instance.right
    predicted = given or Target()
    call = score_call(wanted.call, predicted.call)
    if given is None:
        # No prediction is no right prediction of "no call".
        call |= {"names_correct": 0, "exact": 0}
    counts: dict[str, Counts] = {
        ARGUMENT_F1.name: call,
        EXACT_TARGET.name: score_exact(wanted, given),
    }
    if wanted.text is not None:
        counts[BLEU.name] = score_text(wanted.text, predicted.text or "")
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts=counts,
        gold=instance.gold,
        predicted=None if given is None else render_target(given),
        answer=None if given is None else {"target": render_target(given)},
    )


def score_exact(wanted: Target, given: Target | None) -> Counts:
    """Counts one target, which is right as a whole or not at all; None where none is given."""
    exact = given is not None and _words(wanted.text) == _words(given.text)
    if given is not None:
        exact = exact and score_call(wanted.call, given.call)["exact"] == 1
    return {"n": 1, "exact": int(exact)}


def _words(text: str | None) -> list[str] | None:
    return None if text is None else text.casefold().split()


def combine_exact(sums: Counts) -> Values:
    """Returns the share of targets that are right as a whole."""
    return {"exact_target": ratio(sums.get("exact", 0), sums.get("n", 0))}


EXACT_TARGET = Metric(
    name="exact_target",
    version="1",
    title="Share of targets whose words and call match, ignoring case and white space.",
    score=score_exact,
    combine=combine_exact,
)
BLEU_OF_WORDS = msgspec.structs.replace(
    BLEU,
    title="Mean sentence BLEU-4 of the words, where there are words to say.",
    matches=None,
)


def show_target(answer: str) -> dict[str, Any]:
    """Returns a target, right or predicted, as its words and its call."""
    target = parse_target(answer)
    call = target.call
    return {
        "text": target.text,
        "call": None if call is None else call.name,
        "arguments": {} if call is None else call.arguments,
    }


TASK = Task(
    name="taskmaster3/actions",
    title="the agent's next API call and its arguments, or its next utterance",
    corpora=("taskmaster3", "taskmaster4"),
    summary=(
        f"{_LINE} Scored: rows of the split files (train*.tsv, dev*.tsv, test*.tsv; the store "
        "gives them where it has them), else whatever the agent says or calls right after the "
        "user or an API in the dialogues of generation 3 or 4."
    ),
    allowed={
        "context": "The dialogue so far in the tag language of the split rows, latest turn first.",
        "history": "The same turns in chronological order, as plain values.",
    },
    measures=(
        ARGUMENT_F1,
        EXACT_TARGET,
        BLEU_OF_WORDS,
    ),
    instances=list_instances,
    read=read,
    score=score,
    show=show_target,
    main=(
        "argument_f1:name_accuracy",
        "argument_f1:call_f1",
        "argument_f1:argument_f1",
        "argument_f1:exact_match",
        "exact_target:exact_target",
        "bleu:bleu",
    ),
)
