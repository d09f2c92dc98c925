"""Generation: the number of the official script, on real predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.bleu import combine, score_text, std_err
from commonground.statistics.counts import sum_counts
from tests.golden.conftest import read_json
from tests.thorough import thorough

NAME = "simmc/fashion_devtest_responses_predicted.json"


@pytest.fixture(scope="module")
def pairs(data: Path, golden: Path) -> list[tuple[str, str]]:
    """What was said and what was generated; what was said is the first candidate."""
    name = "fashion_devtest_dials_retrieval_candidates.json"
    released = read_json(data / "simmc1" / "fashion" / name)
    pool = released["system_transcript_pool"]
    said = {}
    for each in released["retrieval_candidates"]:
        turns = each["retrieval_candidates"]
        said[each["dialogue_idx"]] = [pool[turn["retrieval_candidates"][0]] for turn in turns]
    return [
        (said[each["dialog_id"]][turn["turn_id"]], turn["response"])
        for each in read_json(golden / NAME)
        for turn in each["predictions"]
    ]


@thorough
def test_official_value(pairs: list[tuple[str, str]], expected: Any) -> None:
    entry = expected["simmc_bleu"][NAME]
    sums = sum_counts(score_text(*pair) for pair in pairs)
    assert sums["n"] == 5397
    assert combine(sums)["bleu"] == pytest.approx(entry["bleu"], rel=0, abs=1e-9)
    assert std_err(sums)["bleu"] == pytest.approx(entry["std_err"], rel=0, abs=1e-9)


def test_every_entry_is_tested(expected: Any) -> None:
    assert list(expected["simmc_bleu"]) == [NAME]
