"""Instances as torch reads them; imported only where torch is wanted."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Protocol

from torch.utils.data import IterableDataset, get_worker_info

from commonground.task import Instance


class Shared(Protocol):
    """Instances that can be gone through whole, or dealt out among workers."""

    def __iter__(self) -> Iterator[Instance]: ...

    def share(self, number: int, of: int) -> Iterator[Instance]:
        """Yields one of several shares that have every instance once together."""
        ...


class TorchInstances(IterableDataset[Instance]):
    """The instances of a task; workers of a loader divide them among themselves."""

    def __init__(self, instances: Shared) -> None:
        super().__init__()
        # Pickled here already, so that a forked worker opens the store itself, too.
        self._instances = pickle.dumps(instances)

    def __iter__(self) -> Iterator[Instance]:
        instances: Shared = pickle.loads(self._instances)  # noqa: S301 - made just above
        worker = get_worker_info()
        return instances.share(worker.id, worker.num_workers) if worker else iter(instances)
