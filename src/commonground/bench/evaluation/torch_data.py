"""Instances as torch reads them; imported only where torch is wanted."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch.utils.data import IterableDataset, get_worker_info

from commonground.task import Instance

if TYPE_CHECKING:
    from commonground.bench.evaluation.instances import Instances


class TorchInstances(IterableDataset[Instance]):
    """The instances of a task; workers of a loader divide them among themselves."""

    def __init__(self, instances: Instances) -> None:
        super().__init__()
        # Pickled here already, so that a forked worker opens the store itself, too.
        self._instances = pickle.dumps(instances)

    def __iter__(self) -> Iterator[Instance]:
        instances: Instances = pickle.loads(self._instances)  # noqa: S301 - made just above
        worker = get_worker_info()
        return instances.share(worker.id, worker.num_workers) if worker else iter(instances)
