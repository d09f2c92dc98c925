"""Instances of a task for training loops: one by one, in batches, or as torch reads them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from commonground.evaluation.subsets import list_instances
from commonground.evaluation.tasks import get_task
from commonground.extras import needing
from commonground.store.opening import open_store
from commonground.task import Gold, Instance, Task

if TYPE_CHECKING:
    from torch.utils.data import IterableDataset


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
            from commonground.evaluation.torch_data import TorchInstances

        return TorchInstances(self)


def _reopen(task: str, gold: Gold, store: Path | None, corpus: str) -> Instances:
    """Opens the store anew: a process must not use a connection that another opened."""
    if store is not None:
        gold = msgspec.structs.replace(gold, corpus=open_store(store).corpus(corpus))
    return Instances(get_task(task), gold)
