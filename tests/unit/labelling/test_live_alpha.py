"""Agreement that is kept up while a study is served."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from random import Random

from commonground.labelling.assigning import AT_ONCE, LiveAlpha
from commonground.metrics.agreement import compute_alpha


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


def test_a_server_does_not_wait_for_it() -> None:
    alpha = LiveAlpha()

    async def serve() -> tuple[float | None, float | None]:
        ratings = fill(alpha, AT_ONCE + 1)
        at_once = alpha.value
        for _ in range(1000):
            if alpha.value is not None:
                break
            await asyncio.sleep(0.01)
        assert alpha.value == compute_alpha(ratings)
        return at_once, alpha.value

    # In a thread of its own, since other tests may leave an event loop running in this one.
    with ThreadPoolExecutor(1) as alone:
        at_once, later = alone.submit(asyncio.run, serve()).result()
    assert at_once is None
    assert later is not None


def test_a_small_change_in_much_is_left_for_later() -> None:
    alpha = LiveAlpha()
    ratings = fill(alpha, 400)
    first = alpha.value
    alpha.put(("0", "c"), ("yes", "yes", "yes"))
    assert alpha.value == first == compute_alpha(ratings)
    for number in range(1, 6):
        alpha.put((str(number), "c"), ("yes", "yes", "yes"))
    assert alpha.value != first
