"""Instances of a task: those of some dialogues, for training loops, and as files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from commonground.bench.evaluation.tasks import get_task
from commonground.extras import needing
from commonground.files.outputs import new_file
from commonground.metric import Counts
from commonground.store.arrow import pa, pq
from commonground.store.corpus import CorpusPart
from commonground.store.opening import open_store
from commonground.task import Gold, Instance, Scored, Task, select_inputs

if TYPE_CHECKING:
    from torch.utils.data import IterableDataset


def narrow_gold(gold: Gold) -> Gold:
    """Returns a gold source whose corpus shows the dialogues to keep and no others.

    Raises:
        UsageError: the import has no such split.
    """
    gold = _name_dialogues(gold)
    if gold.dialogues is None or gold.corpus is None:
        return gold
    return msgspec.structs.replace(gold, corpus=CorpusPart(gold.corpus, gold.dialogues))


def _name_dialogues(gold: Gold) -> Gold:
    """Names the dialogues of a split that is not a released one: tasks know only those by name."""
    if gold.split is None or gold.corpus is None or gold.corpus.manifest.own_splits is None:
        return gold
    kept = frozenset(each for each in gold.corpus.ids(gold.split) if gold.keeps(each))
    return msgspec.structs.replace(gold, split=None, dialogues=kept)


def list_instances(task: Task, gold: Gold) -> Iterator[Instance]:
    """Yields the instances of the dialogues to keep.

    Raises:
        TaskError: there is nothing to take them from.
        UsageError: there is no such split.
    """
    gold = narrow_gold(gold)
    for each in task.instances(gold):
        # Looked at again, for instances of released files, which no part of a corpus narrows.
        if gold.keeps(each.dialogue_id):
            yield each


class Instances:
    """The instances of a task; they are made anew each time they are gone through.

    Little is held in memory: dialogues are read as they are needed. Can be pickled, for workers.

    Attributes:
        task: the task.
        gold: where they come from.
    """

    def __init__(self, task: Task, gold: Gold) -> None:
        self.task = task
        self.gold = gold

    def __repr__(self) -> str:
        return f"<Instances of {self.task.name}>"

    def __iter__(self) -> Iterator[Instance]:
        return list_instances(self.task, self.gold)

    def __reduce__(self) -> tuple[Any, ...]:
        corpus, kept = self.gold.corpus, self.gold.dialogues
        # A corpus has a connection that no other process can use; where to open it goes instead.
        plain = msgspec.structs.replace(self.gold, corpus=None)
        if corpus is None:
            return _reopen, (self.task.name, plain, None, "")
        # By id, since a corpus that is a part cannot be opened again by its name alone.
        mine = frozenset(each for each in corpus.ids() if kept is None or each in kept)
        plain = msgspec.structs.replace(plain, dialogues=mine)
        return _reopen, (self.task.name, plain, corpus.store.path, corpus.name)

    def batches(self, size: int, *, drop_last: bool = False) -> Iterator[list[Instance]]:
        """Yields lists of instances.

        Args:
            size: instances in each, above 0.
            drop_last: leave out a last one that is smaller.

        Raises:
            ValueError: the size is not above 0.
        """
        if size < 1:
            raise ValueError(f"A batch has at least one instance, not {size}.")
        left = iter(self)
        while batch := list(islice(left, size)):
            if len(batch) == size or not drop_last:
                yield batch

    def share(self, number: int, of: int) -> Iterator[Instance]:
        """Yields one of several shares that have every instance once together.

        Whole dialogues are dealt out where they are the store's, so that a share reads its own
        only; instances of released files are dealt out one by one.

        Args:
            number: which share, from 0.
            of: number of shares.
        """
        corpus, kept = self.gold.corpus, self.gold.dialogues
        if corpus is None:
            # Ids are not known before the files are read: each worker reads all, and keeps its
            # share.
            yield from islice(iter(self), number, None, of)
            return
        mine = [each for each in corpus.ids() if kept is None or each in kept]
        # Every `of`-th dialogue: long ones are spread more evenly than in blocks.
        gold = msgspec.structs.replace(self.gold, dialogues=frozenset(mine[number::of]))
        yield from list_instances(self.task, gold)

    def to_torch(self) -> IterableDataset[Instance]:
        """Returns a dataset for ``torch.utils.data.DataLoader``, which may have several workers.

        Give the loader ``collate_fn=list``, or one that makes tensors of a list of instances.

        Raises:
            MissingExtraError: torch is not installed.
        """
        with needing("torch", "A dataset for a DataLoader needs torch"):
            from commonground.bench.evaluation.torch_data import TorchInstances

        return TorchInstances(self)


def _reopen(task: str, gold: Gold, store: Path | None, corpus: str) -> Instances:
    """Opens the store anew: a process must not use a connection that another opened."""
    if store is not None:
        gold = msgspec.structs.replace(gold, corpus=open_store(store).corpus(corpus))
    return Instances(get_task(task), gold)


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
    if value is None:
        return None
    try:
        return msgspec.json.encode(value).decode()
    except OverflowError:  # a whole number beyond 64 bits
        return json.dumps(msgspec.to_builtins(value))
