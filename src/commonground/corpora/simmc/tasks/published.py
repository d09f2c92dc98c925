"""Published results for sub-tasks 1 and 2 of SIMMC."""

from __future__ import annotations

from collections.abc import Sequence

from commonground.corpora.simmc.tasks.released import OFFICIAL
from commonground.task import Published

_SAME = "yes: SIMMC 1.0 devtest, scored by the same script"
_TEAMS = "no: average of both domains on the test-std split, whose answers were not released"
_FIRST = f"{OFFICIAL} mm_action_prediction/README.md, Results"
_SECOND = f"{OFFICIAL} mm_response_generation/README.md, Results"
_CHALLENGE = f"{OFFICIAL} DSTC9_SIMMC_RESULTS.md"
_ORGANISERS = "organisers' baseline of the DSTC9 track"

_ACTIONS = {
    "furniture": (
        ("TF-IDF", 77.1, 2.59, 57.5),
        ("HAE", 79.7, 1.70, 53.6),
        ("HRE", 80.0, 1.66, 54.7),
        ("MN", 79.2, 1.71, 53.3),
        ("T-HAE", 78.4, 1.83, 53.6),
    ),
    "fashion": (
        ("TF-IDF", 78.1, 3.51, 57.9),
        ("HAE", 81.0, 1.75, 60.2),
        ("HRE", 81.9, 1.76, 62.1),
        ("MN", 81.6, 1.74, 61.6),
        ("T-HAE", 81.4, 1.78, 62.1),
    ),
}
_RESPONSES = {
    "furniture": (
        ("LSTM", 0.022, 4.1, 11.1, 17.3, 46.4, 0.094),
        ("HAE", 0.075, 12.9, 28.9, 38.4, 31.0, 0.218),
        ("HRE", 0.075, 13.8, 30.5, 40.2, 30.0, 0.229),
        ("MN", 0.084, 15.3, 31.8, 42.2, 29.1, 0.244),
        ("T-HAE", 0.044, 8.5, 20.3, 28.9, 37.9, 0.156),
    ),
    "fashion": (
        ("LSTM", 0.022, 5.3, 11.4, 16.5, 46.9, 0.102),
        ("HAE", 0.059, 10.5, 25.3, 34.1, 33.5, 0.190),
        ("HRE", 0.079, 16.3, 33.1, 41.7, 27.4, 0.253),
        ("MN", 0.065, 16.1, 31.0, 39.4, 29.3, 0.245),
        ("T-HAE", 0.051, 10.3, 23.2, 31.1, 37.1, 0.178),
    ),
}
"""BLEU-4, recall at 1, 5 and 10 in percent, mean rank, mean reciprocal rank."""


def _entry(values: dict[str, float], system: str = "best entry of the DSTC9 track") -> Published:
    return Published(
        system=system,
        split="teststd",
        values=values,
        source=_CHALLENGE,
        comparable=_TEAMS,
    )


def _baseline(name: str, values: dict[str, float], source: str) -> Published:
    return Published(system=name, split="devtest", values=values, source=source, comparable=_SAME)


def _name_ranks(row: Sequence[float]) -> dict[str, float]:
    shares = dict(zip(("r1", "r5", "r10"), (value / 100 for value in row[:3]), strict=True))
    return {**shares, "mean": row[3], "mrr": row[4]}


ACTIONS = (
    *(
        _baseline(
            f"{name}, {domain}",
            {
                "action_accuracy": accuracy / 100,
                "action_perplexity": perplexity,
                "attribute_accuracy": attributes / 100,
            },
            _FIRST,
        )
        for domain, rows in _ACTIONS.items()
        for name, accuracy, perplexity, attributes in rows
    ),
    _entry({"action_accuracy": 0.793, "attribute_accuracy": 0.637}, _ORGANISERS),
    _entry({"action_accuracy": 0.825, "attribute_accuracy": 0.739}),
)
RETRIEVAL = (
    *(
        _baseline(f"{name}, {domain}", _name_ranks(ranks), _SECOND)
        for domain, rows in _RESPONSES.items()
        for name, _bleu, *ranks in rows
    ),
    _entry({"r1": 0.072}, _ORGANISERS),
    _entry({"r1": 0.526}),
)
GENERATION = (
    *(
        _baseline(f"{name}, {domain}", {"bleu": bleu}, _SECOND)
        for domain, rows in _RESPONSES.items()
        for name, bleu, *_ranks in rows
    ),
    _entry({"bleu": 0.061}, _ORGANISERS),
    _entry({"bleu": 0.128}),
)
