"""Where the published numbers of SIMMC stand, and a reason that several of them share."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from commonground.figure import PublishedValue

README = "facebookresearch/simmc@2747421 data/README.md, dataset splits"
README_2 = "facebookresearch/simmc2 data/README.md, dataset splits"

IMPORTED = "Only what was imported is counted: not all files of this split were, or none."

_DIALOGUES: Mapping[str, Mapping[str, int]] = {
    "furniture": {"train": 3839, "dev": 640, "devtest": 960, "teststd": 960},
    "fashion": {"train": 3929, "dev": 655, "devtest": 982, "teststd": 983},
}
_DIALOGUES_2: Mapping[str, int] = {"train": 7307, "dev": 563, "devtest": 1687, "teststd": 1687}


def published_splits(splits: Collection[str], what: str = "dialogues") -> list[PublishedValue]:
    """Returns the published numbers of dialogues for a figure of columns domain and split.

    Args:
        splits: the splits to compare.
        what: what is counted.
    """
    return [
        PublishedValue(
            name=f"{what} of {domain} {split}",
            column="dialogues",
            row={"domain": domain, "split": split},
            value=dialogues,
            source=README,
            why=IMPORTED,
        )
        for domain, counts in _DIALOGUES.items()
        for split, dialogues in counts.items()
        if split in splits
    ]


def published_splits_2() -> list[PublishedValue]:
    """Returns the published numbers of dialogues of SIMMC 2, for a figure with a column split."""
    return [
        PublishedValue(
            name=f"dialogues of {split}",
            column="dialogues",
            row={"split": split},
            value=dialogues,
            source=README_2,
            why=IMPORTED,
        )
        for split, dialogues in _DIALOGUES_2.items()
    ]
