"""What every engine can do: run a function over items, on whatever workers it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec

from commonground.errors import StoreError

Item = TypeVar("Item")
Result = TypeVar("Result")

Step = Callable[[int], None]
"""Called with the weight of each item that is done."""


class Died(msgspec.Struct, frozen=True):
    """In place of a result: every worker that took the item up ended over it.

    Attributes:
        tries: how often it was tried.
    """

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
            items: what it is given one by one.
            shared: what it is given every time, sent to each worker once.
            weights: how much work each item is, as ``step`` is told; none where nobody is told.
            step: called with the weight of each item that has a result.

        Returns:
            What it returned, in order of the items; :class:`Died` where no try was survived.

        Raises:
            Exception: what ``work`` raised for the first item that failed.
            StoreError: the workers cannot be reached any more.
        """
        ...


def map_named(
    engine: Engine,
    work: Callable[[Any, Item], Result],
    items: Mapping[str, Item],
    *,
    shared: Any = None,
    step: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Runs work that only counts if all of it is done.

    Args:
        engine: what runs it.
        work: a function of a module, which workers import by its name.
        items: what it is given one by one, each with its name for people.
        shared: what it is given every time.
        step: told how many items are done, and how many there are.

    Returns:
        What it returned, in order of the items.

    Raises:
        Exception: what ``work`` raised for the first item that failed.
        StoreError: workers end over an item, or cannot be reached any more.
    """
    done = 0

    def count(weight: int) -> None:
        nonlocal done
        done += weight
        if step is not None:
            step(done, len(items))

    found = engine.map(
        work, list(items.values()), shared=shared, weights=[1] * len(items), step=count
    )
    results: list[Result] = []
    for name, each in zip(items, found, strict=True):
        if isinstance(each, Died):
            raise StoreError(
                f"Workers die over {name}; it was tried {each.tries} times.",
                "See whether they have memory left, or leave out --engine and --scheduler.",
            )
        results.append(each)
    return results
