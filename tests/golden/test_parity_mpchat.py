"""MPChat: the numbers of the official code, on predictions defined by a rule."""

from __future__ import annotations

from typing import Any

import pytest

from commonground.bench.metrics.recall_at_k import combine, score_ranking
from commonground.statistics.counts import sum_counts
from tests.golden.conftest import hash_text


def score_lcg(b: int, j: int) -> float:
    return ((b * 7919 + j * 104729 + 17) % 1000003) / 1000003


def score_hash(b: int, j: int) -> float:
    return hash_text(f"{b}:{j}") / 2**32


def score_bonus(b: int, j: int) -> float:
    return score_hash(b, j) + (0.5 if j == 0 and b % 3 != 0 else 0)


RULES = {"lcg": score_lcg, "hash": score_hash, "hash_bonus": score_bonus}
NAMES = (
    "lcg|B1000|N100|target=0",
    "hash_bonus|B1000|N100|target=0",
    "hash|B500|N10|target=b%N",
    "hash|B500|N2|target=b%N",
    "hash|B500|N25|target=b%N",
)


@pytest.mark.parametrize("name", NAMES)
def test_official_values(expected: Any, name: str) -> None:
    entry = expected["mpchat"][name]
    rule, batch, candidates, target = name.split("|")
    number, width = int(batch[1:]), int(candidates[1:])
    sums = sum_counts(
        score_ranking([RULES[rule](b, j) for j in range(width)], 0 if "0" in target else b % width)
        for b in range(number)
    )
    assert combine(sums) == pytest.approx(entry["recall"] | {"mrr": entry["mrr"]}, rel=0, abs=1e-9)


def test_every_entry_is_tested(expected: Any) -> None:
    assert set(expected["mpchat"]) == set(NAMES)
