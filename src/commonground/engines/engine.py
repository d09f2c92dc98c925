"""What every engine can do: run a function over items, on whatever workers it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec

Item = TypeVar("Item")
Result = TypeVar("Result")

Step = Callable[[int], None]
"""Called with the weight of each item that is done."""


class Died(msgspec.Struct, frozen=True):
    """In place of a result: every worker that took the item up ended over it."""

    tries: int


@runtime_checkable
class Engine(Protocol):
    """Runs a function over items, each on some worker, and knows how to go on where one dies."""

    def map(
        self,
        work: Callable[[Any, Item], Result],
        items: Sequence[Item],
        *,
        shared: Any = None,
        weights: Sequence[int] = (),
        step: Step | None = None,
    ) -> list[Result | Died]:
        """Runs ``work(shared, item)`` for every item, in any order and on any worker.

        Args:
            work: a function of a module, which workers import by its name.
            shared: what it is given every time, sent to each worker once.
            weights: how much work each item is, for ``step``; none where there is no ``step``.
            step: called with the weight of each item that has a result.

        Returns:
            What it returned, in order of the items; :class:`Died` where no try was survived.

        Raises:
            Exception: what ``work`` raised for the first item that failed.
            StoreError: the workers cannot be reached any more.
        """
        ...
