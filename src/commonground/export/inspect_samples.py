"""Samples of the benchmark tasks that ``inspect_ai`` runs, with a file of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import UsageError
from commonground.evaluation.asking import (
    find_prompts,
    get_prompt,
    render_inputs,
    write_json,
)
from commonground.evaluation.discovery import get_task, iterate_tasks
from commonground.export.base import Export, Option, Options
from commonground.export.inspect_held import Place, pack_told
from commonground.export.inspect_loss import TABLES, WHY, Tally, count_unheld
from commonground.export.inspect_task import render_tasks
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.method import Prompt
from commonground.store.corpus import Corpus, Part
from commonground.task import Gold, Instance, Task

_UNKNOWN = "instances without a right answer"
_UNASKED = "tasks without a prompt"
_NOWHERE = "instances of no dialogue"
_FEATURES = {
    _NOWHERE: "Lines of a released file that stand for no dialogue of the store by number.",
    _UNKNOWN: "It was never released, or the candidates lack it; nothing can be scored.",
    _UNASKED: "Their corpus has no `PROMPT` for them.",
}

_encode = msgspec.json.Encoder().encode


def write(selection: Selection, out: Path, options: Options) -> Loss:
    """Writes ``TASK.jsonl`` for each task of each corpus, and ``task.py``."""
    loss = Loss()
    written: dict[str, tuple[str, str]] = {}
    places: dict[str, dict[str, list[Place]]] = {corpus: {} for corpus in selection.corpora}
    pairs = [
        (corpus, task)
        for corpus in selection.corpora
        for task in _choose_tasks(options["task"])
        if corpus in task.corpora
    ]
    for done, (corpus, task) in enumerate(pairs):
        selection.report(done, len(pairs))
        if task.name not in find_prompts():
            loss.add(_UNASKED, f"{corpus} {task.name}", _FEATURES[_UNASKED])
            continue
        name = task.name.replace("/", "_").replace("-", "_")
        if len(task.corpora) > 1:
            name += f"_{corpus}"
        path = out / f"{name}.jsonl"
        if _write_samples(selection, corpus, task, path, places[corpus], loss):
            written[name] = task.name, corpus
    if not written:
        raise UsageError(
            "No instance of a benchmark task is in what was chosen.",
            "See commonground tasks for the corpora that have some.",
        )
    (out / "task.py").write_text(render_tasks(written), encoding="utf-8")
    tally = Tally()
    for corpus in selection.corpora:
        count_unheld(selection, corpus, places[corpus], tally)
    tally.report(loss)
    return loss


def _choose_tasks(name: str | None) -> Iterator[Task]:
    if name is None:
        yield from iterate_tasks()
    else:
        yield get_task(name)


def _write_samples(
    selection: Selection,
    corpus: str,
    task: Task,
    path: Path,
    places: dict[str, list[Place]],
    loss: Loss,
) -> int:
    """Writes the samples of a task and returns how many; no file where there are none.

    Where each stands is noted by dialogue.
    """
    opened = selection.store.corpus(corpus)
    chosen = frozenset(selection.ids(corpus))
    gold = Gold(corpus=_narrow(opened, selection, chosen), dialogues=chosen)
    prompt = get_prompt(task.name)
    count = 0
    with path.open("wb") as file:
        for instance in task.instances(gold):
            if instance.dialogue_id not in chosen:
                if selection.is_whole:
                    loss.add(_NOWHERE, _name(corpus, task, instance), _FEATURES[_NOWHERE])
                continue
            target = None if instance.gold is None else prompt.target(instance)
            if target is None:
                loss.add(_UNKNOWN, _name(corpus, task, instance), _FEATURES[_UNKNOWN])
                continue
            line = _encode(make_sample(task, prompt, instance, corpus, target)) + b"\n"
            told = pack_told(prompt.tells(instance) if prompt.tells else ())
            place = Place(path, file.tell(), len(line), told)
            places.setdefault(instance.dialogue_id, []).append(place)
            file.write(line)
            count += 1
    if not count:
        path.unlink()
    return count


def _name(corpus: str, task: Task, instance: Instance) -> str:
    return f"{corpus} {task.name} {instance.instance_id}"


def _narrow(opened: Corpus, selection: Selection, chosen: frozenset[str]) -> Corpus:
    return opened if selection.is_whole else Part(opened, chosen)


def make_sample(
    task: Task, prompt: Prompt, instance: Instance, corpus: str, target: Any
) -> dict[str, Any]:
    """Returns one line: what the model sees, the right answer, and where it is from."""
    return {
        "id": instance.instance_id,
        "input": [
            {"role": "system", "content": prompt.ask},
            {"role": "user", "content": render_inputs(task, instance)},
        ],
        "target": target if prompt.is_text else write_json(target),
        "metadata": {
            "task": task.name,
            "corpus": corpus,
            "dialogue_id": instance.dialogue_id,
            "event": instance.event,
        },
    }


def carries(_options: Options) -> Carried:
    """Says that samples hold what a task allows, which is counted value by value."""
    return Carried(columns=carry_all(*TABLES), counted=dict.fromkeys(TABLES, WHY), otherwise=WHY)


EXPORT = Export(
    name="inspect",
    title="Samples for inspect_ai, a file per benchmark task",
    summary="A file of samples per benchmark task (`frames_nlu.jsonl`): chat messages with the "
    "inputs that the authors allow and no others, the right answer as target, ids as metadata; and "
    "`task.py`, which `inspect eval OUT/task.py@frames_nlu --model MODEL` runs. It scores with the "
    "measures of `commonground evaluate`, over all answers together, from the store that the "
    "samples came from (`COMMONGROUND_STORE`). Dialogues asked in part are left out of the "
    "numbers, which `left_out` counts; answers that cannot be read are counted as `unread`.",
    carries=carries,
    write=write,
    features=_FEATURES,
    options=(Option(name="task", help="One benchmark task, such as frames/nlu; all by default."),),
    example="inspect OUT --corpus frames --split fold-10",
)
