"""How many dialogues of a selection have each value of each field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from commonground.explorer.search.language import (
    QUALIFIERS,
    QUANTITY_NAMES,
    Term,
    is_term,
    toggle_term,
)
from commonground.explorer.search.searcher import Mask, Searcher
from commonground.store.index import CorpusIndex
from commonground.store.index.postings import FieldPostings, Numbers

FACETS: tuple[tuple[str, str], ...] = (
    ("split", "Split"),
    ("domain", "Domain"),
    ("speaker", "Speaker"),
    ("act", "Act"),
    ("action", "Action"),
    ("label", "Span label"),
    ("layer", "Layer"),
    ("grounding", "Reference type"),
    ("finding", "Finding"),
)
"""Fields that are facets, with their headings, in order."""

MOST_VALUES = 200
"""Values of a facet that are counted: the most frequent."""

MOST_NUMBERS = 8
"""Different numbers of an outcome that are values by themselves; more are put into ranges."""

_CACHED = 4
"""Choices of events, such as those of one speaker, among which values stay counted."""

_RANGES = 6  # that a number is cut into; where many are equal there are fewer


class FacetValue(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a facet.

    Attributes:
        count: dialogues of the selection that have it.
        chosen: whether the query asks for it.
        query: the query with it, or without it where it is chosen.
        title: what people call it; empty where the label says it.
    """

    label: str
    count: int
    chosen: bool
    query: str
    title: str = ""


class Facet(msgspec.Struct, frozen=True, kw_only=True):
    """A field with its values.

    Attributes:
        field: its name in the query language.
        values: most frequent first, or in order where they are numbers.
    """

    field: str
    title: str
    values: list[FacetValue]


def is_constant(facet: Facet, found: int) -> bool:
    """Tells whether a facet says the same of all dialogues found, so that no value narrows it."""
    return all(each.count == found and not each.chosen for each in facet.values)


class _Counter:
    """Counts, for each value of one facet, how many dialogues of a selection have it."""

    def __init__(
        self, field: str, title: str, labels: list[str], masks: Sequence[Any], *, in_order: bool
    ) -> None:
        self.field = field
        self.title = title
        self.labels = labels
        self.in_order = in_order
        # A bit for each dialogue: selections are counted eight dialogues at a time.
        self._bits = np.packbits(np.asarray(masks, dtype=bool), axis=1)

    def count(self, selected: Numbers) -> list[int]:
        both = np.bitwise_count(self._bits & selected)
        counts: list[int] = both.sum(axis=1, dtype=np.int64).tolist()
        return counts


class FacetCounter:
    """The facets of one corpus.

    Args:
        titles: what people call values whose labels are codes, by field and value.
    """

    def __init__(
        self,
        index: CorpusIndex,
        searcher: Searcher,
        title_outcome: Callable[[str], str] = str,
        titles: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.titles = titles or {}
        self._searcher = searcher
        self._fields = index.postings.fields
        self._length = searcher.n_dialogues
        keywords = (self._keyword(index, name, title) for name, title in FACETS)
        quantities = (
            self._quantity(name, title_outcome(name), values)
            for name, values in index.postings.quantities.items()
            if name not in QUANTITY_NAMES.values()
        )
        self._counters = [each for each in (*keywords, *quantities) if each is not None]
        # A bit for each dialogue and value each time, so few are kept.
        self._qualify = lru_cache(_CACHED)(self._count_qualified)

    def count(self, dialogues: Mask, query: str, terms: list[Term]) -> list[Facet]:
        """Counts the values of every facet in a selection.

        A value counts for a dialogue as in the query with it: for a speaker those are the
        dialogues in which that one says what is asked for; where a query says of which events it
        speaks, an act counts if one of those has it.

        Args:
            query: the query that gave the selection.
            terms: the same, read.
        """
        selected = np.packbits(dialogues)
        # Wherever they stand in the query.
        qualifiers = tuple(
            msgspec.structs.replace(term, start=0, end=0)
            for term in terms
            if term.field in QUALIFIERS
        )
        qualified = self._qualify(qualifiers) if qualifiers else {}
        facets = []
        for counter in self._counters:
            counts = self._count_speakers(counter, terms)
            if counts is None:
                counts = qualified.get(counter.field, counter).count(selected)
            values = [
                FacetValue(
                    label=label,
                    count=count,
                    chosen=any(is_term(term, counter.field, label) for term in terms),
                    query=toggle_term(query, terms, counter.field, label),
                    title=self.titles.get(counter.field, {}).get(label, ""),
                )
                for label, count in zip(counter.labels, counts, strict=True)
                if count
            ]
            if not counter.in_order:
                values.sort(key=lambda value: -value.count)
            facets.append(Facet(field=counter.field, title=counter.title, values=values))
        return facets

    def listed(self) -> list[tuple[str, str, list[str]]]:
        """Returns the field, the heading and the values of each facet, in order."""
        return [(each.field, each.title, each.labels) for each in self._counters]

    def _count_speakers(self, counter: _Counter, terms: list[Term]) -> list[int] | None:
        if counter.field != "speaker" or not terms:
            return None
        return self._searcher.count_speakers(terms, counter.labels)

    def _count_qualified(self, qualifiers: tuple[Term, ...]) -> dict[str, _Counter]:
        """Returns facets of events that count only some events, by field."""
        among = self._searcher.qualified(qualifiers)
        assert among is not None  # noqa: S101 - there is at least one term
        return {
            each.field: _Counter(
                each.field,
                each.title,
                each.labels,
                [self._mask(field, field.codes[label], among) for label in each.labels],
                in_order=each.in_order,
            )
            for each in self._counters
            for field in [self._fields.get(each.field)]
            if field is not None and field.level == "event"
        }

    def _keyword(self, index: CorpusIndex, name: str, title: str) -> _Counter | None:
        field = index.postings.fields.get(name)
        if field is None or not field.values:
            return None
        codes = np.argsort(-field.counts())[:MOST_VALUES].tolist()
        masks = {code: self._mask(field, code) for code in codes}
        codes.sort(key=lambda code: (-int(masks[code].sum()), field.values[code]))
        labels = [field.values[code] for code in codes]
        return _Counter(name, title, labels, [masks[code] for code in codes], in_order=False)

    def _mask(self, field: FieldPostings, code: int, among: Mask | None = None) -> Mask:
        """Returns for each dialogue whether it has a value.

        Args:
            among: for each event whether it counts; None for all.
        """
        numbers = field.numbers(code)
        if field.level == "event":
            return self._searcher.dialogues_having(numbers, among)
        mask = np.zeros(self._length, dtype=bool)
        mask[numbers] = True
        return mask

    def _quantity(self, name: str, title: str, values: Numbers) -> _Counter | None:
        given = values[~np.isnan(values)]
        if not len(given):
            return None
        distinct = np.unique(given)
        if len(distinct) <= MOST_NUMBERS:
            labels = [_number(each) for each in distinct]
            masks = [values == each for each in distinct]
        else:
            ranges = _cut_ranges(distinct, given)
            labels = [_range(low, high) for low, high in ranges]
            masks = [(values >= low) & (values <= high) for low, high in ranges]
        title = title[:1].upper() + title[1:]
        return _Counter(name, title, labels, masks, in_order=True)


def _cut_ranges(distinct: Numbers, given: Numbers) -> list[tuple[float, float]]:
    """Cuts numbers into ranges that hold about as many dialogues each, without overlap."""
    # "lower" gives numbers that occur, so that each range ends at one and the next begins at
    # another.
    quantiles = np.quantile(given, np.linspace(0, 1, _RANGES + 1)[1:], method="lower")
    highs = np.unique(quantiles)
    lows = [distinct[0], *(distinct[np.searchsorted(distinct, high) + 1] for high in highs[:-1])]
    return [(float(low), float(high)) for low, high in zip(lows, highs, strict=True)]


def _range(low: float, high: float) -> str:
    return _number(low) if low == high else f"{_number(low)}..{_number(high)}"


def _number(value: float) -> str:
    return f"{value:g}"
