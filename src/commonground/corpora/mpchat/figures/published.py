"""Where the published numbers of MPChat stand."""

from __future__ import annotations

from commonground.corpora.mpchat.native import CANDIDATES
from commonground.figure import PublishedValue, published_measure

DATASET = "ahnjaewoo/MPCHAT@e003477 DATASET.md"
TABLE_6 = "Ahn et al. 2023 (ACL), table 6"
TEXT = "Ahn et al. 2023 (ACL), sections 3.3 to 3.5"
WORKERS = "Ahn et al. 2023 (ACL), appendix A.3.4"
TABLE_7 = "Ahn et al. 2023 (ACL), table 7"

_WHY = "Not compared on the released files yet."
_MOST_PERSONAS = {"nrp": 5, "gpp": 4, "si": 5}


def published_candidates() -> tuple[PublishedValue, ...]:
    """Returns the published number of options, for a figure of columns task, fewest and most."""
    return tuple(
        PublishedValue(
            name=f"candidates of {task}, {column}",
            column=column,
            row={"task": task},
            value=CANDIDATES,
            source=DATASET,
            why=_WHY,
        )
        for task in _MOST_PERSONAS
        for column in ("fewest", "most")
    )


def published_elements() -> tuple[PublishedValue, ...]:
    """Returns the greatest number of elements a task gives, for columns task and most."""
    return tuple(
        PublishedValue(
            name=f"candidate elements of {task}, at most",
            column="most",
            row={"task": task},
            value=most,
            source=DATASET,
            why=_WHY,
        )
        for task, most in _MOST_PERSONAS.items()
    )


# The columns of the table, and its lines for train, validation and test.
_STATISTICS = {
    "dialogues": (11975, 1516, 1509),
    "speakers": (21197, 2828, 2797),
    "utterances": (34098, 4189, 4244),
    "main_authors": (8891, 1193, 1162),
    "responses": (19048, 2303, 2321),
    "grounded": (6628, 709, 676),
    "elements": (15.89, 25.6, 30.76),
    "communities": (4.2, 5.97, 5.88),
    "words": (18.39, 18.74, 19.05),
    "element_words": (10.16, 10.23, 10.02),
}
_NAMES = {
    "grounded_dialogues": "dialogues with a grounded message",
    "speakers": "authors",
    "utterances": "messages",
    "main_authors": "main authors",
    "responses": "messages of main authors",
    "grounded": "grounded messages",
    "elements": "elements of a persona",
    "communities": "communities of a persona",
    "words": "words of a message",
    "element_words": "words of an element",
}
_TOLERANCES = {"elements": 0.05, "communities": 0.05, "words": 0.005, "element_words": 0.005}
_TOTALS = {
    "dialogues": 15000,
    "grounded_dialogues": 7898,
    "speakers": 25877,
    "utterances": 42531,
}
_WHY_STATISTICS = (
    "Not compared on the released files yet; the paper says neither what a word is nor whether "
    "closed accounts count."
)


def published_statistics() -> tuple[PublishedValue, ...]:
    """Returns the numbers of the paper's table, for a figure with a row a split."""
    return tuple(
        _statistic(column, split, value, TABLE_6)
        for column, values in _STATISTICS.items()
        for split, value in zip(("train", "val", "test"), values, strict=True)
    )


def published_totals() -> tuple[PublishedValue, ...]:
    """Returns the numbers of all splits that the paper's text has."""
    return tuple(_statistic(column, "all", value, TEXT) for column, value in _TOTALS.items())


def _statistic(column: str, part: str, value: float, source: str) -> PublishedValue:
    return PublishedValue(
        name=f"{_NAMES.get(column, column)}, {part}",
        column=column,
        row={"part": part},
        value=value,
        source=source,
        tolerance=_TOLERANCES.get(column, 0),
        why=_WHY_STATISTICS,
    )


def published_images() -> tuple[PublishedValue, ...]:
    """Returns the published number of images, for a figure of columns measure and number."""
    return (
        PublishedValue(
            name="images (153K)",
            column="number",
            row={"measure": "images"},
            value=153000,
            source=TABLE_7,
            tolerance=500,
            why=(
                "Not compared on the released files yet; we count each image of a post or of a "
                "persona element once."
            ),
        ),
    )


def published_agreement() -> tuple[PublishedValue, ...]:
    """Returns what was published of the workers, for columns measure and number."""
    why = "Not compared on the released files yet; we count a pair of message and element once."
    known = (
        ("labelled pairs", "pairs of message and element", 16327, 0.0, "", TEXT),
        ("pairs found entailed by most workers", "pairs entailed for most", 50.4, 0.05, "%", TEXT),
        ("Krippendorff's alpha", "Krippendorff's alpha", 0.47, 0.005, "", TEXT),
        ("workers", "workers", 65, 0.0, "", WORKERS),
        ("votes of a pair, fewest", "votes of a pair, fewest", 3, 0.0, "", DATASET),
        ("votes of a pair, most", "votes of a pair, most", 3, 0.0, "", DATASET),
        ("labels of a pair, from 0/3 to 3/3", "labels of a pair", 4, 0.0, "", DATASET),
    )
    return tuple(
        published_measure(name, measure, value, source, unit=unit, tolerance=tolerance, why=why)
        for name, measure, value, tolerance, unit, source in known
    )
