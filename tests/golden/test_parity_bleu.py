"""Generation: the number of the official script, on real predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.bleu import combine, score_text, std_err
from commonground.bench.metrics.words import CONVENTIONS, choose_tokenizer, split_words
from commonground.statistics.counts import sum_counts
from tests.golden.conftest import read_json

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


@pytest.mark.parametrize("split", [split_words, None], ids=["own", "default"])
def test_official_value(pairs: list[tuple[str, str]], expected: Any, split: Any) -> None:
    entry = expected["simmc_bleu"][NAME]
    sums = sum_counts(score_text(*pair, split) for pair in pairs)
    assert sums["n"] == 5397
    assert combine(sums)["bleu"] == pytest.approx(entry["bleu"], rel=0, abs=1e-9)
    assert std_err(sums)["bleu"] == pytest.approx(entry["std_err"], rel=0, abs=1e-9)


# response_evaluation.py of facebookresearch/simmc@2747421, run with each version of NLTK.
VERSIONS = {
    "nltk-3.3": (0.14081566959123562, 0.002807637810881986),
    "nltk-3.4.5": (0.14080285648816365, 0.0028073926776444797),
    "nltk-3.10.4": (0.14080821154680084, 0.002807993272338196),
}


@pytest.mark.parametrize("name", VERSIONS)
def test_the_rules_of_each_version(pairs: list[tuple[str, str]], name: str) -> None:
    sums = sum_counts(score_text(*pair, choose_tokenizer(name).split) for pair in pairs)
    found = combine(sums)["bleu"], std_err(sums)["bleu"]
    assert found == pytest.approx(VERSIONS[name], rel=0, abs=1e-9)


def test_every_version_is_tested() -> None:
    assert VERSIONS.keys() == CONVENTIONS.keys()


def test_every_entry_is_tested(expected: Any) -> None:
    assert list(expected["simmc_bleu"]) == [NAME]
