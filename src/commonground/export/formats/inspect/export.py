"""Samples of the benchmark tasks as files, in the form that ``inspect_ai`` and others read.

A sample holds what the authors of a task allow as input, and the right answer. What of the source
it leaves out is found by looking for every value in the samples of its dialogue.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import UsageError
from commonground.evaluation.prompts import (
    Question,
    find_prompts,
    get_prompt,
    inspect_name,
    pose_question,
    render_inputs,
    render_target,
)
from commonground.evaluation.tasks import get_task, iterate_tasks
from commonground.export.format import Export, Option
from commonground.export.formats.inspect.held_values import (
    TABLES,
    HeldTexts,
    ValueLoss,
    count_unheld,
    pack_told,
)
from commonground.export.loss import Carried, Feature, Loss, carry_all
from commonground.export.selection import Selection
from commonground.method import Prompt, Told
from commonground.store.corpus import Part
from commonground.task import Gold, Task

WHY = "Samples hold of it what the authors of a task allow as input, or ask for."

_UNKNOWN = "instances without a right answer"
_UNASKED = "tasks without a prompt"
_NOWHERE = "instances of no dialogue"
_FEATURES = {
    _NOWHERE: Feature("Lines of a released file whose number is that of no dialogue in the store."),
    _UNKNOWN: Feature("It was never released, or the candidates lack it; nothing can be scored."),
    _UNASKED: Feature("Their corpus has no `PROMPT` for them."),
}

_encode = msgspec.json.Encoder().encode


class _Place(msgspec.Struct, frozen=True, gc=False):
    """Where a sample stands, and what numbers it tells for the first time.

    Attributes:
        path: its file.
        start: its first byte.
        length: its bytes.
        told: the numbers that no sample right before it tells, packed.
    """

    path: Path
    start: int
    length: int
    told: bytes


class Samples:
    """The samples of a corpus that were written, by dialogue; their texts stay in the files.

    Attributes:
        told_columns: columns of which any sample tells a number.
    """

    def __init__(self) -> None:
        self._places: defaultdict[str, list[_Place]] = defaultdict(list)
        self._last = ""
        self._known: set[Told] = set()
        self.told_columns: set[str] = set()

    def add(self, dialogue_id: str, path: Path, start: int, length: int, told: list[Told]) -> None:
        """Notes a sample.

        Args:
            dialogue_id: dialogue that it is about.
            path: its file.
            start: its first byte.
            length: its bytes.
            told: the numbers that it tells.
        """
        # The samples of a dialogue come one after the other, and tell the same again and again.
        if dialogue_id != self._last:
            self._last, self._known = dialogue_id, set()
        fresh = set(told) - self._known
        self._known |= fresh
        self.told_columns.update(each.column for each in fresh)
        self._places[dialogue_id].append(_Place(path, start, length, pack_told(fresh)))

    def read(self, dialogue_id: str) -> HeldTexts:
        """Reads the samples of a dialogue again, but for how the task is put."""
        places = self._places.get(dialogue_id, ())
        with ExitStack() as stack:
            files = {
                path: stack.enter_context(path.open("rb")) for path in {p.path for p in places}
            }
            samples = []
            for place in places:
                files[place.path].seek(place.start)
                line = files[place.path].read(place.length)
                samples.append(msgspec.json.decode(line, type=_Sample))
        return HeldTexts(
            # The last message is the question; the first one, how the task is put, holds no value.
            (text for s in samples for text in (s.input[-1]["content"], s.target)),
            (sample.metadata.event for sample in samples),
            (place.told for place in places),
        )


class _About(msgspec.Struct):
    event: int | None


class _Sample(msgspec.Struct):
    """A line of :func:`make_sample` as far as it is read again."""

    input: list[dict[str, str]]
    target: str
    metadata: _About


def write(selection: Selection, out: Path, *, task: str | None) -> Loss:
    """Writes ``TASK.jsonl`` for each task of each corpus.

    Args:
        selection: the dialogues.
        out: a new, empty folder.
        task: name of the only task wanted; None for all.

    Raises:
        UsageError: no instance of a task is in the dialogues.
    """
    # Nothing here refers to itself, and an eighth of the time went into looking for it.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _write(selection, out, list(iterate_tasks()) if task is None else [get_task(task)])
    finally:
        if collects:
            gc.enable()


def _write(selection: Selection, out: Path, tasks: Sequence[Task]) -> Loss:
    loss = Loss(_FEATURES)
    is_empty = True
    samples = {corpus: Samples() for corpus in selection.corpora}
    pairs = [(c, task) for c in selection.corpora for task in tasks if c in task.corpora]
    for done, (corpus, task) in enumerate(pairs):
        selection.report(done, len(pairs))
        if task.name not in find_prompts():
            loss.add(_UNASKED, f"{corpus} {task.name}")
            continue
        name = inspect_name(task.name)
        if len(task.corpora) > 1:
            name += f"_{corpus}"
        path = out / f"{name}.jsonl"
        is_empty &= not _write_samples(selection, corpus, task, path, samples[corpus], loss)
    if is_empty:
        raise UsageError(
            "No instance of a benchmark task is in what was chosen.",
            "See commonground tasks for the corpora that have some.",
        )
    values = ValueLoss(WHY)
    for corpus, of_corpus in samples.items():
        count_unheld(selection, corpus, of_corpus.read, of_corpus.told_columns, values)
    values.report(loss)
    return loss


def _write_samples(
    selection: Selection,
    corpus: str,
    task: Task,
    path: Path,
    samples: Samples,
    loss: Loss,
) -> int:
    """Writes the samples of a task and returns how many; no file where there are none.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        task: the task.
        path: file to write.
        samples: notes where each stands.
        loss: counts instances that are no samples.
    """
    opened = selection.store.corpus(corpus)
    chosen = frozenset(selection.ids(corpus))
    narrowed = opened if selection.is_whole else Part(opened, chosen)
    prompt = get_prompt(task.name)
    count = 0
    with path.open("wb") as file:
        for instance in task.instances(Gold(corpus=narrowed, dialogues=chosen)):
            where = f"{corpus} {task.name} {instance.instance_id}"
            if instance.dialogue_id not in chosen:
                loss.add(_NOWHERE, where, selection.is_whole)
                continue
            question = pose_question(prompt, instance)
            target = render_target(prompt, question.instance)
            if target is None:
                loss.add(_UNKNOWN, where)
                continue
            line = _encode(make_sample(task, prompt, question, corpus, target)) + b"\n"
            told = list(prompt.tells(instance)) if prompt.tells else []
            samples.add(instance.dialogue_id, path, file.tell(), len(line), told)
            file.write(line)
            count += 1
    if not count:
        path.unlink()
    return count


def make_sample(
    task: Task, prompt: Prompt, question: Question, corpus: str, target: str
) -> dict[str, Any]:
    """Returns one line: what the model sees, the right answer, and where it is from.

    Args:
        task: the task.
        prompt: how it is put.
        question: what is asked.
        corpus: name of the corpus.
        target: the right answer, as the prompt asks for it.
    """
    instance = question.instance
    return {
        "id": instance.instance_id,
        "input": [
            {"role": "system", "content": prompt.ask},
            {"role": "user", "content": render_inputs(task, instance)},
        ],
        "target": target,
        "metadata": {
            "task": task.name,
            "corpus": corpus,
            "dialogue_id": instance.dialogue_id,
            "event": instance.event,
            "order": list(question.order),
        },
    }


_CARRIED = Carried(columns=carry_all(*TABLES), counted=dict.fromkeys(TABLES, WHY), otherwise=WHY)

EXPORT = Export(
    name="inspect",
    title="Samples for inspect_ai, a file per benchmark task",
    summary="A file of samples per benchmark task (`frames_nlu.jsonl`): chat messages with the "
    "inputs that the authors allow and no others, the right answer as target, ids as metadata; "
    "`json_dataset` of inspect_ai reads it. `order` has the released number of each candidate, as "
    "they are shuffled. Who only wants to evaluate a model needs no files: `inspect eval "
    "commonground/frames_nlu --model MODEL` asks from the store.",
    carries=_CARRIED,
    write=write,
    features=_FEATURES,
    options=(Option(name="task", help="One benchmark task, such as frames/nlu; all by default."),),
    example="inspect OUT --corpus frames --split fold-10",
)
