"""The task ``taskmaster3/spans``: which stretches of an utterance are entities, and which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.metrics.span_f1 import (
    SPAN_F1,
    SPAN_F1_BY_LABEL,
    LabelledSpan,
    score_labels,
    score_spans,
)
from commonground.corpora.taskmaster.tasks.dialogues import Source, load_source, read_released
from commonground.corpora.taskmaster.tasks.predictions import (
    NO_SCRIPT,
    parse_json_lines,
    read_text,
)
from commonground.errors import TaskError
from commonground.metric import Counts
from commonground.model import Dialogue, Utterance
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
    'A line is {"instance_id": "dlg-...:3", "spans": [{"start": 0, "end": 4, "label": '
    '"name.movie"}]}, in code points, end exclusive; or the file is a released one with '
    "predicted segments."
)
# Where a span is that cannot be read: it is no right one, and counts as predicted.
_NOWHERE = -1


class UtteranceSpans(msgspec.Struct, frozen=True):
    """An utterance with its spans.

    Attributes:
        instance: the utterance; its inputs are left out, since scoring looks at none.
        said: its event.
        dialogue: dialogue it is from.
    """

    instance: Instance
    said: Utterance
    dialogue: Dialogue


def list_said(source: Source) -> dict[str, UtteranceSpans]:
    """Lists all utterances by id."""
    found: dict[str, UtteranceSpans] = {}
    for dialogue in source.dialogues:
        spans = _spans_by_event(dialogue)
        for number, event in enumerate(dialogue.events):
            if isinstance(event, Utterance):
                name, mine = f"{dialogue.dialogue_id}:{number}", spans.get(number, [])
                instance = Instance(
                    instance_id=name,
                    dialogue_id=dialogue.dialogue_id,
                    event=number,
                    inputs={},
                    gold=_dump(mine),
                    right=mine,
                )
                found[name] = UtteranceSpans(instance, event, dialogue)
    return found


def _spans_by_event(dialogue: Dialogue) -> dict[int, list[LabelledSpan]]:
    found: dict[int, list[LabelledSpan]] = {}
    for span in dialogue.spans:
        each = LabelledSpan(span.start_char, span.end_char, span.label)
        found.setdefault(span.event, []).append(each)
    return found


def list_instances(gold: Gold) -> Iterator[Instance]:
    """Yields all utterances, those without entities as well."""
    for each in list_said(load_source(gold, with_rows=False)).values():
        before = each.dialogue.events[: each.instance.event]
        history = [[e.speaker, e.text] for e in before if isinstance(e, Utterance)]
        inputs = {"text": each.said.text, "speaker": each.said.speaker, "history": history}
        yield msgspec.structs.replace(each.instance, inputs=inputs)


def _dump(spans: list[LabelledSpan]) -> list[dict[str, Any]]:
    return [msgspec.structs.asdict(span) for span in spans]


def read(path: Path, gold: Gold) -> Predictions:
    """Reads a file of predictions; an utterance that it lacks has no spans.

    Raises:
        TaskError: nothing in the file can be scored.
        SourceError: a file cannot be read.
    """
    source = load_source(gold, with_rows=False)
    wanted = list_said(source)
    faults = Tally(prefix=NO_SCRIPT)
    # Released files are lists; lines of JSON begin with a brace.
    if read_text(path).lstrip().startswith("["):
        given, problems = _from_released(path, wanted, faults)
    else:
        given, problems = _from_lines(path, wanted, faults)
    for name in (each for each in wanted if each not in given):
        faults.add("missing instances", name, f"{MISSING} they count as having no spans.")
    return Predictions(
        found=(
            Prediction(
                instance=each.instance, value=given.get(name, []), is_missing=name not in given
            )
            for name, each in wanted.items()
        ),
        tally=faults,
        problems=[*source.problems, *problems],
    )


Given = tuple[dict[str, list[LabelledSpan]], list[Problem]]
"""Spans by utterance, and what is wrong with the file that they are from."""


def _from_lines(path: Path, wanted: Mapping[str, UtteranceSpans], faults: Tally) -> Given:
    found = parse_json_lines(read_text(path), path, wanted.keys(), _LINE)
    given = {}
    for name, line in found.by_id.items():
        spans = line.get("spans")
        if isinstance(spans, list):
            given[name] = read_spans(spans, name, wanted[name].said.text, faults)
        else:
            faults.add("lines without a list of spans", name, "they count as having none.")
            given[name] = []
    if not any(isinstance(line.get("spans"), list) for line in found.by_id.values()):
        raise TaskError(f"No line of {path} has a list of spans.", _LINE)
    return given, found.problems


def read_spans(values: list[Any], name: str, text: str, faults: Tally) -> list[LabelledSpan]:
    """Reads the spans of an utterance, and counts what is odd about them.

    Args:
        values: the spans, as predicted.
        name: id of the utterance.
        text: what was said.
        faults: counts what is odd.
    """
    return [_read_span(each, name, text, faults) for each in values]


def _read_span(value: Any, name: str, text: str, faults: Tally) -> LabelledSpan:
    """Reads one span; what is none is one that is nowhere, and so wrong."""
    fields = value if isinstance(value, dict) else {}
    start, end, label = (fields.get(name) for name in ("start", "end", "label"))
    numbers = all(isinstance(n, int) and not isinstance(n, bool) for n in (start, end))
    if not numbers or not isinstance(label, str):
        faults.add("spans of another form", name, "each counts as a wrong one.")
        return LabelledSpan(_NOWHERE, _NOWHERE, "")
    return _check_span(LabelledSpan(start, end, label), name, text, faults)  # type: ignore[arg-type]


def _check_span(span: LabelledSpan, name: str, text: str, faults: Tally) -> LabelledSpan:
    if not 0 <= span.start < span.end <= len(text):
        place = f"{name}: {span.start} to {span.end} of {len(text)}"
        faults.add("spans outside the text", place, "they are scored as they are.")
    return span


def _from_released(path: Path, wanted: Mapping[str, UtteranceSpans], faults: Tally) -> Given:
    """Reads predicted segments of a file in the released form."""
    predicted = read_released(path)
    # What cannot be read here is a prediction, not an instance that is left out.
    problems = [
        msgspec.structs.replace(p, kind=f"{p.kind} in the predictions", skipped=0)
        for p in predicted.problems
    ]
    given = {}
    for name, each in list_said(predicted).items():
        if name not in wanted:
            faults.add("unknown instances", name, "they are ignored.")
            continue
        text = wanted[name].said.text
        if text != each.said.text:
            faults.add("other texts", name, "their spans are scored as they are.")
        given[name] = [_check_span(span, name, text, faults) for span in each.instance.right]
    if not given:
        counted = [*problems, *faults.problems()]
        found = "; ".join(f"{p.count} {p.kind} ({p.example})" for p in counted)
        raise TaskError(f"No utterance of {path} can be scored: {found}.", _LINE)
    # What is named and cannot be read counts as having no spans.
    for name, each in wanted.items():
        if each.dialogue.dialogue_id in predicted.unread:
            given.setdefault(name, [])
    return given, problems


def score(instance: Instance, spans: list[LabelledSpan] | None, _tally: Tally) -> Scored:
    """Scores the predicted spans of an utterance.

    Args:
        instance: the utterance.
        spans: the spans; None where they cannot be read, which is none.
        _tally: none of it is a fault.
    """
    wanted, given = instance.right, spans or []
    counts: dict[str, Counts] = {
        SPAN_F1.name: score_spans(wanted, given),
        SPAN_F1_BY_LABEL.name: score_labels(wanted, given),
    }
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts=counts,
        gold=instance.gold,
        predicted=_dump(given),
        answer={"spans": _dump(given)},
    )


TASK = Task(
    name="taskmaster3/spans",
    title="the entities of an utterance: labelled spans of text",
    corpora=("taskmaster3", "taskmaster1", "taskmaster2", "taskmaster4"),
    summary=(
        f"{_LINE} All utterances of the dialogues are scored, also those without entities; "
        "a span with two labels is two spans. No official script was released; the measures are "
        "ours."
    ),
    allowed={
        "text": "What was said.",
        "speaker": "Who said it.",
        "history": "Speaker and text of each utterance before it.",
    },
    measures=(
        SPAN_F1,
        SPAN_F1_BY_LABEL,
    ),
    instances=list_instances,
    read=read,
    score=score,
    main=(
        "span_f1:exact_precision",
        "span_f1:exact_recall",
        "span_f1:exact_f1",
        "span_f1:overlap_f1",
    ),
)
