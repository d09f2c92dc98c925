"""Instances as files: inputs for a model to read, scores for a person to open."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from commonground.evaluation.subsets import list_instances
from commonground.files.outputs import new_file
from commonground.metric import Counts
from commonground.store.arrow import pa, pq
from commonground.task import Gold, Instance, Scored, Task, select_inputs


def write_instances(
    task: Task, gold: Gold, out: Path, *, inputs: Sequence[str] = (), with_gold: bool = True
) -> int:
    """Writes the instances of a task as JSON lines and returns their number.

    Args:
        task: the task.
        gold: where they come from.
        out: file to write.
        inputs: inputs to write; empty means all that the authors allow.
        with_gold: whether to write what is to be predicted, too.

    Raises:
        TaskError: an input is not allowed.
        SourceError: the file cannot be written.
    """
    encoder = msgspec.json.Encoder()
    count = 0
    with new_file(out) as beside, beside.open("wb") as file:
        for instance in list_instances(task, gold):
            file.write(encoder.encode(_row(task, instance, inputs, with_gold)) + b"\n")
            count += 1
    return count


def _row(
    task: Task, instance: Instance, inputs: Iterable[str], with_gold: bool
) -> dict[str, object]:
    names = tuple(inputs) or tuple(name for name in task.allowed if name in instance.inputs)
    row: dict[str, object] = {
        "instance_id": instance.instance_id,
        "dialogue_id": instance.dialogue_id,
        "event": instance.event,
        "inputs": select_inputs(task, instance, names),
    }
    if with_gold:
        row["gold"] = instance.gold
    return row


TASK_KEY = b"commonground.task"
"""Key of the metadata of a file of scored instances that holds the name of their task."""


def write_scored(
    instances: Sequence[Scored], out: Path, *, task: Task | None = None, gold: Gold | None = None
) -> None:
    """Writes scored instances as Parquet: ids, counts of each measure, gold and predicted.

    Args:
        instances: the instances.
        out: file to write.
        task: their task, whose name the file keeps; None where readers need not know it.
        gold: where their right answers come from, which says what event each is about; None to
            leave the events out. Without a task it is not looked at.

    Raises:
        SourceError: the file cannot be written.
    """
    # In order of first mention, each once: not every instance counts in every measure.
    measures = list(dict.fromkeys(name for each in instances for name in each.counts))
    columns: dict[str, list[str | None]] = {
        "instance_id": [each.instance_id for each in instances],
        "dialogue_id": [each.dialogue_id for each in instances],
        "gold": [_json(each.gold) for each in instances],
        "predicted": [_json(each.predicted) for each in instances],
    }
    for name in measures:
        columns[name] = [
            _dump_counts(each.counts[name]) if name in each.counts else None for each in instances
        ]
    arrays = {name: pa.array(values, pa.string()) for name, values in columns.items()}
    if task is not None and gold is not None:
        events = {each.instance_id: each.event for each in list_instances(task, gold)}
        numbers = [events.get(each.instance_id) for each in instances]
        arrays["event"] = pa.array(numbers, pa.int64())
    table = pa.Table.from_arrays(list(arrays.values()), names=list(arrays))
    if task is not None:
        table = table.replace_schema_metadata({TASK_KEY: task.name.encode()})
    # Opened here, since what Arrow says of a path it cannot write is not for people.
    with new_file(out) as beside, beside.open("wb") as file:
        pq.write_table(table, file, compression="zstd")


def _dump_counts(counts: Counts) -> str:
    """Writes counts as JSON; one that is not finite as Python's own encoder does."""
    if all(map(math.isfinite, counts.values())):
        return msgspec.json.encode(dict(counts)).decode()
    # msgspec writes null for inf and nan; json writes Infinity and NaN, which Python reads back.
    return json.dumps(dict(counts))


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
