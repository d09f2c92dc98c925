"""Agreement that is kept up while a study is served."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from commonground.play.labelling import assigning
from commonground.play.labelling.assigning import AT_ONCE, LiveAlpha
from commonground.statistics.agreement import compute_alpha

PATIENCE_S = 60  # a server that waited would end here, and its first value be one


def fill(alpha: LiveAlpha, elements: int) -> list[tuple[str, ...]]:
    rng = Random(1)
    ratings = [tuple(rng.choice(("yes", "no")) for _ in range(3)) for _ in range(elements)]
    for number, votes in enumerate(ratings):
        alpha.put((str(number), "c"), votes)
    return ratings


def test_it_is_that_of_the_votes_there_are_now() -> None:
    alpha = LiveAlpha()
    assert alpha.value is None
    ratings = fill(alpha, 40)
    assert alpha.value == compute_alpha(ratings)
    alpha.put(("0", "c"), ())
    assert alpha.value == compute_alpha(ratings[1:])


class Background:
    """Computes alpha only when it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.before = {*threading.enumerate()}
        self.times = 0

    def compute(self, ratings: Sequence[tuple[str, ...]]) -> float | None:
        self.times += 1
        self.let.wait(PATIENCE_S)
        return compute_alpha(ratings)

    def finish(self) -> None:
        """Waits for all threads that began since, but for the one that waits."""
        self.let.set()
        for each in {*threading.enumerate()} - self.before - {threading.current_thread()}:
            each.join()


@pytest.fixture
def background(monkeypatch: pytest.MonkeyPatch) -> Background:
    made = Background()
    monkeypatch.setattr(assigning, "compute_alpha", made.compute)
    return made


def serve(background: Background, changed: int = 0) -> list[float | None]:
    """Returns the values before and after the first was computed; votes may change between."""
    alpha = LiveAlpha()

    async def run() -> list[float | None]:
        fill(alpha, AT_ONCE + 1)
        at_once = alpha.value
        for number in range(changed):
            alpha.put((str(number), "c"), ("yes", "yes", "yes"))
        background.finish()
        values = [at_once, alpha.value]
        background.finish()
        return [*values, alpha.value]

    # In a thread of its own, since other tests may leave an event loop running in this one.
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(asyncio.run, run()).result()


def test_a_server_does_not_wait_for_it(background: Background) -> None:
    values = serve(background)
    alpha = compute_alpha(fill(LiveAlpha(), AT_ONCE + 1))
    assert values == [None, alpha, alpha]
    assert background.times == 1


def test_what_changes_while_it_is_computed_is_in_the_next(background: Background) -> None:
    values = serve(background, changed=10)
    ratings = fill(LiveAlpha(), AT_ONCE + 1)
    before = compute_alpha(ratings)
    changed: list[tuple[str, ...]] = [("yes",) * 3] * 10
    assert values == [None, before, compute_alpha(changed + ratings[10:])]


def test_a_small_change_in_much_is_left_for_later() -> None:
    alpha = LiveAlpha()
    ratings = fill(alpha, 400)
    first = alpha.value
    alpha.put(("0", "c"), ("yes", "yes", "yes"))
    assert alpha.value == first == compute_alpha(ratings)
    for number in range(1, 6):
        alpha.put((str(number), "c"), ("yes", "yes", "yes"))
    assert alpha.value != first
