"""What dialogues have in common: images, domains, speakers, services.

A split leaks where what its test side shows also occurs in what is learned from. Here that is
counted, and dialogues are put into groups that have nothing in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from commonground.corpora import Manifest
from commonground.errors import unknown_name
from commonground.printing import count_of

_EVERYWHERE = {
    "domain": "SELECT dialogue_id, domain AS value FROM dialogues",
    "speaker": "SELECT dialogue_id, agent_id AS value FROM speakers",
}
"""What a dialogue of any corpus may show; the others stand in ``corpus.toml``."""


class Asked(Protocol):
    """What can be asked for the rows of one corpus."""

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one SQL query and returns its rows as tuples."""


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """How much of what one split shows also occurs in another.

    Attributes:
        what: what is shown, such as ``image``.
        shared: how many different ones of the tested dialogues also occur in the others.
        of: how many different ones the tested dialogues have.
        test: what is tested on, such as ``test``.
        train: what is learned from, such as ``train``.
    """

    what: str
    shared: int
    of: int
    test: str
    train: str

    def describe(self) -> str:
        """Says it in a few words: ``360 of 360 images of test also occur in train``."""
        verb = "occurs" if self.shared == 1 else "occur"
        whole = count_of(self.of, self.what)
        return f"{self.shared:,} of {whole} of {self.test} also {verb} in {self.train}"


UNCOUNTED = "could not be counted"
"""What is said of the overlap of a baseline, or of files, where there is none."""


def describe_overlaps(overlaps: Iterable[Overlap]) -> str:
    """Lists overlaps in a line; empty where there are none."""
    return "; ".join(each.describe() for each in overlaps)


def list_kinds(about: Manifest) -> dict[str, str]:
    """Returns the queries for what dialogues of a corpus may have in common, by name."""
    return {**about.shared, **_EVERYWHERE}


def find_query(about: Manifest, kind: str) -> str:
    """Returns the query for one thing that dialogues may have in common.

    Args:
        kind: its name, such as ``image``.

    Raises:
        UsageError: the corpus has no such thing.
    """
    kinds = list_kinds(about)
    if kind not in kinds:
        raise unknown_name("thing to keep apart", kind, kinds, f"in {about.name}")
    return kinds[kind]


def read_values(database: Asked, query: str) -> dict[str, list[str]]:
    """Returns the different values of each dialogue that has one, by one of :func:`list_kinds`."""
    found: dict[str, list[str]] = {}
    pairs = f"SELECT DISTINCT dialogue_id, value FROM ({query}) WHERE value IS NOT NULL"
    for dialogue_id, value in database.rows(f"{pairs} AND value != '' ORDER BY ALL"):
        found.setdefault(dialogue_id, []).append(value)
    return found


def group_dialogues(ids: Iterable[str], values: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Groups dialogues so that no two groups have a value in common.

    These are the connected components of the graph of dialogues and values. A dialogue without
    a value is a group of its own.

    Args:
        values: those of each dialogue, as :func:`read_values` gives them.

    Returns:
        The groups, each sorted, in order of their first dialogues.
    """
    above: dict[tuple[str, str], tuple[str, str]] = {}

    def find_root(node: tuple[str, str]) -> tuple[str, str]:
        while (up := above.setdefault(node, node)) != node:
            above[node] = above[up]
            node = above[up]
        return node

    dialogues = sorted(ids)
    for each in dialogues:
        for value in values.get(each, ()):
            above[find_root(("value", value))] = find_root(("dialogue", each))
    groups: dict[tuple[str, str], list[str]] = {}
    for each in dialogues:
        groups.setdefault(find_root(("dialogue", each)), []).append(each)
    return list(groups.values())


def count_overlaps(
    database: Asked,
    about: Manifest,
    rounds: Sequence[tuple[Collection[str], Collection[str]]],
    *,
    train: str,
    test: str,
) -> list[Overlap]:
    """Counts how much of what tested dialogues show also occurs in those that are learned from.

    Of several rounds, as with folds, the counts are summed.

    Args:
        rounds: ids of the dialogues that are learned from, and of those that are tested.
        train: what is learned from, in words.
        test: what is tested on, in words.

    Returns:
        One for each thing that a tested dialogue shows.
    """
    if not rounds:
        return []
    found = []
    for kind, query in list_kinds(about).items():
        values = read_values(database, query)
        shared = of = 0
        for learned, tested in rounds:
            mine = _collect(values, tested)
            shared += len(mine & _collect(values, learned))
            of += len(mine)
        if of:
            found.append(Overlap(what=kind, shared=shared, of=of, test=test, train=train))
    return found


def _collect(values: Mapping[str, Sequence[str]], ids: Iterable[str]) -> set[str]:
    return {value for each in ids for value in values.get(each, ())}


def find_most_frequent(values: Mapping[str, Sequence[str]]) -> tuple[str, int]:
    """Returns which of some values, at least one, most dialogues have, and how many these are."""
    return Counter(value for each in values.values() for value in each).most_common(1)[0]
