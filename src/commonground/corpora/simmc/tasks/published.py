"""Published results for the sub-tasks of SIMMC.

The organisers' READMEs name no split for their baselines; that of the data says that results
outside of the challenge are reported on devtest, and the data they train on has no other test
split. Of the five teams of the DSTC9 track, the third printed what the same scripts say of its
entries on devtest, and the first and the second released some reports of these scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonground.corpora.simmc.tasks.released import OFFICIAL
from commonground.task import Published

_UNNAMED = (
    "perhaps: SIMMC 1.0, scored by the same script; the source names no split and says that the "
    "paper's figures are of others, and the data README names devtest for such reports"
)
_SAME = "yes: SIMMC 1.0 devtest, scored by the same script, whole dialogues"
_TEAM = "boychaboy/DSTC9-SIMMC@0eb7863 README.md, results for the devtest set"
"""Team 3 of the DSTC9 track: one GPT-2 for all sub-tasks, several trained and joined."""
TEAM_2 = "inkoon/simmc@f5bc22e mm_dst/gpt2_dst/results"
"""Reports of team 2: a GPT-2 whose belief states and answers its other models were given."""
TEAM_2_PARTS = {"furniture": "furniture/td_small", "fashion": "fashion/td_small"}
AVERAGE = "no: average of both domains on the test-std split, whose answers were not released"
FASHION = "no: the test-std split, whose answers were not released"
SUMMARY = f"{OFFICIAL} figures/simmc_dstc9_results_summary.png"
UNLISTED = (
    "Of the teams of the DSTC9 track, the first, second and fourth released their predictions for "
    "devtest, for `commonground evaluate`, and few numbers or none; the fifth released neither: "
    "billkunghappy/DSTC_TRACK4_ENTER, inkoon/simmc, i2r-simmc/i2r-simmc-2020, D2KLab/dstc9-SIMMC."
)
_FIRST = f"{OFFICIAL} mm_action_prediction/README.md, Results"
_SECOND = f"{OFFICIAL} mm_response_generation/README.md, Results"
ORGANISERS = "DSTC9 organisers' baseline"

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

_ENSEMBLES = {
    "furniture": (
        (0.111, 26.0, 49.6, 61.2, 15.9, 0.376),
        (0.117, 26.5, 50.5, 61.9, 16.0, 0.382),
        (0.117, 26.2, 50.3, 61.6, 15.8, 0.379),
    ),
    "fashion": (
        (0.135, 24.8, 49.9, 63.5, 15.0, 0.373),
        (0.141, 24.2, 49.7, 64.2, 14.5, 0.368),
        (0.141, 25.2, 50.5, 64.5, 14.3, 0.379),
    ),
}
"""The three entries of team 3, in the same columns."""
_TEAM_2_RESPONSES = {
    "furniture": {
        "r1": 0.2398368456832087,
        "r5": 0.48429639700883753,
        "r10": 0.605574439157036,
        "mean": 16.161522773623386,
        "mrr": 0.3597504722275579,
        "bleu": 0.10641361781482157,
    },
    "fashion": {
        "r1": 0.22771910320548452,
        "r5": 0.4706318324995368,
        "r10": 0.6175653140633686,
        "mean": 15.474522883083194,
        "mrr": 0.3496207777170162,
        "bleu": 0.12495535186145558,
    },
}
_ENTRIES = {
    ORGANISERS: "79.3 63.7 1.9 0.061 0.145 7.2 19.8 27.3 39.2",
    "DSTC9 team 1": "80.2 74.6 2 0.105 0.326 21.1 43.6 56.8 18.8",
    "DSTC9 team 2": "82.5 69.8 1.8 0.082 0.074 2.5 8.3 13.6 47.7",
    "DSTC9 team 3": "79.4 73.2 - 0.128 0.381 26.3 50.3 61.8 15.5",
    "DSTC9 team 4": "81.3 73.9 3.5 0.108 0.673 52.6 87.4 95.1 3.2",
    "DSTC9 team 5, fashion": "- - - - 0.39 26.7 52.1 66 14.8",
}
"""The organisers' summary: action accuracy, attribute accuracy and perplexity, BLEU-4, mean
reciprocal rank, recall at 1, 5 and 10 in percent, mean rank; without the third sub-task."""
_COLUMNS = ("action_accuracy", "attribute_accuracy", "action_perplexity", "bleu", "mrr")
_RANKS = ("r1", "r5", "r10")
_PERCENT = ("action_accuracy", "attribute_accuracy", *_RANKS)


def _list_entries(*names: str) -> Iterator[Published]:
    """Yields what the organisers' summary has under these names."""
    for system, line in _ENTRIES.items():
        cells = zip((*_COLUMNS, *_RANKS, "mean"), line.split(), strict=True)
        found = {name: float(cell) for name, cell in cells if name in names and cell != "-"}
        if found:
            yield Published(
                system=system,
                split="teststd",
                values={k: _share(v) if k in _PERCENT else v for k, v in found.items()},
                source=SUMMARY,
                comparable=FASHION if system.endswith("fashion") else AVERAGE,
            )


def _share(percent: float) -> float:
    return round(percent / 100, 5)


def _baseline(name: str, values: dict[str, float], source: str) -> Published:
    return Published(
        system=name, split="not named", values=values, source=source, comparable=_UNNAMED
    )


def _team(domain: str, values: dict[str, float], entry: str = "") -> Published:
    return Published(
        system=f"DSTC9 team 3, {entry}{domain}",
        split="devtest",
        values=values,
        source=_TEAM,
        comparable=_SAME,
    )


def _list_ensembles(*names: str) -> Iterator[Published]:
    """Yields the numbers of these names of team 3's entries."""
    for domain, lines in _ENSEMBLES.items():
        for number, (bleu, *ranks) in enumerate(lines, 1):
            values = {"bleu": bleu, **_name_ranks(ranks)}
            yield _team(domain, {name: values[name] for name in names}, f"ensemble {number}, ")


def _list_reports(*names: str) -> Iterator[Published]:
    """Yields the numbers of these names of team 2's reports."""
    for domain, values in _TEAM_2_RESPONSES.items():
        yield Published(
            system=f"DSTC9 team 2, GPT-2, {domain}",
            split="devtest",
            values={name: values[name] for name in names},
            source=f"{TEAM_2}/{TEAM_2_PARTS[domain]}/{domain}_devtest_dials_task2_report.json",
            comparable=_SAME,
        )


def _name_ranks(row: Sequence[float]) -> dict[str, float]:
    shares = dict(zip(_RANKS, (_share(value) for value in row[:3]), strict=True))
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
    _team("furniture", {"action_accuracy": 0.794, "attribute_accuracy": 0.6895}),
    _team("fashion", {"action_accuracy": 0.8562, "attribute_accuracy": 0.8064}),
    *_list_entries("action_accuracy", "attribute_accuracy", "action_perplexity"),
)
RETRIEVAL = (
    *(
        _baseline(f"{name}, {domain}", _name_ranks(ranks), _SECOND)
        for domain, rows in _RESPONSES.items()
        for name, _bleu, *ranks in rows
    ),
    *_list_ensembles(*_RANKS, "mean", "mrr"),
    *_list_reports(*_RANKS, "mean", "mrr"),
    *_list_entries(*_RANKS, "mean", "mrr"),
)
GENERATION = (
    *(
        _baseline(f"{name}, {domain}", {"bleu": bleu}, _SECOND)
        for domain, rows in _RESPONSES.items()
        for name, bleu, *_ranks in rows
    ),
    *_list_ensembles("bleu"),
    *_list_reports("bleu"),
    *_list_entries("bleu"),
)
