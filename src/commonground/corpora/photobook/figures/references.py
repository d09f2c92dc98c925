"""Segments and reference chains of PhotoBook: how people refer to one image again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from commonground.corpora.photobook.chains import Chain, build_chains
from commonground.corpora.photobook.figures.published import SITE_CHAINS
from commonground.corpora.photobook.figures.segmented import SegmentedGame, segment_games
from commonground.figure import Behind, Chart, Data, Figure, FigureColumn, PublishedValue, Row

_LONGEST = 8


def _list_targets(data: Data) -> list[Row]:
    """Lists for each segment the number of its images, and the game."""
    return [
        (len(each.targets), game.dialogue_id)
        for game in data.share(segment_games)
        for each in game.segmentation.segments
    ]


def _count_shares(listed: list[Row]) -> list[Row]:
    """Returns for each number that is listed how often it is, and which share of all in %."""
    counts = Counter(number for number, _ in listed)
    return [[n, counts[n], 100 * counts[n] / len(listed)] for n in sorted(counts)]


def _compute_targets(data: Data) -> list[Row]:
    return _count_shares(data.share(_list_targets))


TARGETS = Figure(
    name="segment-targets",
    title="Images that a segment is about",
    caption="Segments by the number of images that were marked at their end (their targets).",
    columns=(
        FigureColumn("targets", "images"),
        FigureColumn("segments", "segments"),
        FigureColumn("share", "share of segments", "%", 2),
    ),
    compute=_compute_targets,
    chart=Chart(x="targets", y=("share",)),
    behind=Behind(keys=("targets",), compute=lambda data: dict.fromkeys(data.share(_list_targets))),
    published=(
        PublishedValue(
            name="segments with one target",
            column="share",
            row={"targets": 1},
            value=72,
            source=SITE_CHAINS,
            tolerance=0.5,
        ),
        PublishedValue(
            name="segments with two targets",
            column="share",
            row={"targets": 2},
            value=25,
            source=SITE_CHAINS,
            tolerance=0.5,
        ),
    ),
)


def _compute_splits(data: Data) -> list[Row]:
    splits: dict[str, list[int]] = {}
    for game in data.share(segment_games):
        counts = splits.setdefault(game.split or "none", [0, 0, 0, 0])
        segments = game.segmentation.segments
        found = 1, len(build_chains(segments)), len(segments), sum(len(s.targets) for s in segments)
        splits[game.split or "none"] = [a + b for a, b in zip(counts, found, strict=True)]
    return [[split, *counts] for split, counts in sorted(splits.items())]


_WHY_SPLITS = (
    "The published table has chains and segments of val and test the wrong way round: each "
    "number is ours of the other split, and the targets are in the right rows."
)
_RELEASED_SPLITS = {
    "train": (12694, 30992, 40898),
    "val": (2811, 6801, 9070),
    "test": (2816, 6876, 9025),
}

SPLITS = Figure(
    name="segments-by-split",
    title="Segments and chains of each split",
    caption="What the authors' heuristic finds; a segment about two images is in two chains.",
    columns=(
        FigureColumn("split", "split"),
        FigureColumn("games", "games"),
        FigureColumn("chains", "chains"),
        FigureColumn("segments", "segments"),
        FigureColumn("targets", "targets of segments"),
    ),
    compute=_compute_splits,
    link=lambda row: None if row["split"] == "none" else f"split:{row['split']}",
    published=tuple(
        PublishedValue(
            name=f"{name} of {split}",
            column=name,
            row={"split": split},
            value=value,
            source=SITE_CHAINS,
            why=_WHY_SPLITS,
        )
        for split, values in _RELEASED_SPLITS.items()
        for name, value in zip(("chains", "segments", "targets"), values, strict=True)
    ),
)


def _list_lengths(data: Data) -> list[Row]:
    """Lists for each chain the number of its segments, and the game."""
    return [
        (len(chain.segments), game.dialogue_id)
        for game in data.share(segment_games)
        for chain in build_chains(game.segmentation.segments)
    ]


def _compute_lengths(data: Data) -> list[Row]:
    return _count_shares(data.share(_list_lengths))


CHAIN_LENGTHS = Figure(
    name="chain-lengths",
    title="Length of reference chains",
    caption="Chains (all segments of a game about one image) by their number of segments.",
    columns=(
        FigureColumn("segments", "segments of a chain"),
        FigureColumn("chains", "chains"),
        FigureColumn("share", "share of chains", "%", 2),
    ),
    compute=_compute_lengths,
    chart=Chart(kind="histogram", x="segments", y=("chains",)),
    behind=Behind(
        keys=("segments",), compute=lambda data: dict.fromkeys(data.share(_list_lengths))
    ),
)


def _compute_groups(data: Data) -> list[Row]:
    groups = {"1 or 2": 0, "3 to 6": 0, "7 or more": 0}
    for length, chains, _ in _compute_lengths(data):
        groups["1 or 2" if length < 3 else "3 to 6" if length < 7 else "7 or more"] += chains
    total = sum(groups.values()) or 1
    return [[name, chains, 100 * chains / total] for name, chains in groups.items()]


CHAIN_GROUPS = Figure(
    name="chain-groups",
    title="Short and long chains",
    caption="Chains by their number of segments, in three groups.",
    columns=(
        FigureColumn("segments", "segments of a chain"),
        FigureColumn("chains", "chains"),
        FigureColumn("share", "share of chains", "%", 2),
    ),
    compute=_compute_groups,
    published=(
        PublishedValue(
            name="chains of three to six segments",
            column="share",
            row={"segments": "3 to 6"},
            value=75,
            source=SITE_CHAINS,
            tolerance=0.5,
        ),
    ),
)


def _chain_words(game: SegmentedGame, chain: Chain) -> list[int]:
    """Returns the number of words of each segment of a chain."""
    segments = game.segmentation.segments
    return [sum(game.words[n] for n in segments[number].messages) for number in chain.segments]


def _list_places(data: Data) -> list[Row]:
    """Lists the places of segments in their chains, with the number of words, and the game."""
    listed: list[Row] = []
    for game in data.share(segment_games):
        for chain in build_chains(game.segmentation.segments):
            words = _chain_words(game, chain)
            if len(words) < 2:
                continue
            for place, count in enumerate(words[:_LONGEST], start=1):
                listed.append((str(place), count, game.dialogue_id))
            listed.append(("last", words[-1], game.dialogue_id))
    return listed


def _compute_shortening(data: Data) -> list[Row]:
    places: dict[str, list[int]] = {}
    for place, words, _ in data.share(_list_places):
        places.setdefault(place, []).append(words)
    # Digits stand before letters.
    return [[p, len(words), sum(words) / len(words)] for p, words in sorted(places.items())]


def _find_places(data: Data) -> Iterable[Row]:
    return dict.fromkeys((place, game) for place, _, game in data.share(_list_places))


SHORTENING = Figure(
    name="reference-length",
    title="References get shorter",
    caption=(
        "Words (divided at white space) of the first, second, ... segment of chains with two or "
        "more, and of their last one."
    ),
    columns=(
        FigureColumn("place", "segment of a chain"),
        FigureColumn("segments", "segments"),
        FigureColumn("words", "words of a segment", "", 2),
    ),
    compute=_compute_shortening,
    chart=Chart(x="place", y=("words",)),
    behind=Behind(keys=("place",), compute=_find_places),
)

REFERENCES_FIGURES = (TARGETS, SPLITS, CHAIN_LENGTHS, CHAIN_GROUPS, SHORTENING)
