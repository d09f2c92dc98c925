"""Retrieval: the numbers of the official script, on predictions defined by a rule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.retrieval_ranks import combine, score_candidates, std_err
from commonground.corpora.simmc.tasks.answers import is_last_turn
from commonground.metric import Counts
from commonground.statistics.counts import sum_counts
from tests.golden.conftest import hash_text, read_json


def score_bonus(d: int, u: int, j: int) -> float:
    """Rule R1."""
    return hash_text(f"{d}:{u}:{j}") / 2**32 + (0.5 if j == 0 and (d + u) % 3 != 0 else 0)


def score_equal(_d: int, _u: int, _j: int) -> float:
    """Rule R2."""
    return 0.0


def score_ties(d: int, u: int, j: int) -> float:
    """Rule R3."""
    return (hash_text(f"{d}:{u}:{j}") % 11) / 10


RULES = {"R1_hash_bonus": score_bonus, "R2_all_equal": score_equal, "R3_hash_ties": score_ties}


def score_split(data: Path, split: str, rule: str, single: bool) -> Iterator[Counts]:
    name = f"fashion_{split}_dials_retrieval_candidates.json"
    gold = read_json(data / "simmc1" / "fashion" / name)["retrieval_candidates"]
    for each in gold:
        turns = each["retrieval_candidates"]
        for u, turn in enumerate(turns):
            if single and not is_last_turn(u, len(turns)):
                continue
            candidates = range(len(turn["retrieval_candidates"]))
            scores = [RULES[rule](each["dialogue_idx"], u, j) for j in candidates]
            yield score_candidates(scores, 0)


NAMES = (
    "devtest|R1_hash_bonus",
    "devtest|R1_hash_bonus|single",
    "devtest|R2_all_equal",
    "devtest|R2_all_equal|single",
    "dev|R3_hash_ties",
    "dev|R3_hash_ties|single",
)


@pytest.mark.parametrize("name", NAMES)
def test_official_values(data: Path, expected: Any, name: str) -> None:
    entry = expected["simmc_retrieval"][name]
    split, rule, *single = name.split("|")
    sums = sum_counts(score_split(data, split, rule, bool(single)))
    assert sums["n"] == entry["n"]
    assert combine(sums) == pytest.approx(entry["metrics"], rel=0, abs=1e-9)
    assert std_err(sums) == pytest.approx(entry["std_err"], rel=0, abs=1e-9)


def test_every_entry_is_tested(expected: Any) -> None:
    assert set(expected["simmc_retrieval"]) == set(NAMES)
