"""The corpora of a store as the pages use them: opened once, shared by all requests."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from commonground.corpora import get_corpus
from commonground.errors import UsageError, close_names
from commonground.site.facets import Facet, FacetCounter
from commonground.site.figure_rows import FigureRows
from commonground.site.searching import Found, Searcher
from commonground.stats.work import choose_work
from commonground.store.corpus import Corpus
from commonground.store.index import CorpusIndex, Progress, make_index, open_index
from commonground.store.opening import Store, open_store
from commonground.store.pictures import PictureFolder
from commonground.store.postings import Numbers

T = TypeVar("T")
KEPT = 256
"""Answers that are kept of each kind, the last ones asked for."""


class Sort(msgspec.Struct, frozen=True):
    """An order of dialogues.

    Attributes:
        name: as in an address; empty for the order of the files.
        label: for people.
    """

    name: str
    label: str


class Selection(msgspec.Struct, frozen=True):
    """The dialogues that a query found, in order.

    Attributes:
        found: what the query found.
        ordinals: numbers of the dialogues, in the order asked for.
        events: ascending numbers of the events that the query speaks of; null where it speaks
            of none.
    """

    found: Found
    ordinals: Numbers
    events: Numbers | None


class LibraryPlan(msgspec.Struct, frozen=True):
    """What another process needs to open the same corpora.

    Attributes:
        store: folder of the store.
        images: image folders by corpus, where others are meant than those named at import.
        results: a file of scored instances; null where there is none.
        corpora: names of the corpora to show; null for all.
    """

    store: Path
    images: dict[str, Path]
    results: Path | None
    corpora: list[str] | None


class Shelf:
    """One corpus, open for pages.

    Args:
        corpus: the corpus, or a part of it.
        images: its image folder; null for the one named at import.
        place: where its index is, or is to be; null for its own. A part needs one.
    """

    def __init__(
        self, corpus: Corpus, images: Path | None = None, *, place: Path | None = None
    ) -> None:
        self.corpus = corpus
        self.place = place
        self.name = corpus.name
        self.entry = get_corpus(corpus.name)
        folder = images or corpus.images
        self.pictures = PictureFolder(folder)
        self._lock = threading.RLock()
        self._index: CorpusIndex | None = None
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def open(self, progress: Progress | None = None) -> CorpusIndex:
        """Opens the index; makes it first where there is none.

        Raises:
            StoreError: it can be written nowhere.
        """
        with self._lock:
            if self._index is None:
                self._index = self._open(progress)
            return self._index

    def warm_up(self) -> None:
        """Opens what the first pages need.

        Raises:
            StoreError: its index can be written nowhere.
        """
        self.count_facets("")

    def _open(self, progress: Progress | None) -> CorpusIndex:
        if self.place is None:
            return open_index(self.corpus, progress)
        if not self.place.is_dir():
            make_index(self.corpus, self.place, progress)
        return CorpusIndex(self.place)

    @cached_property
    def searcher(self) -> Searcher:
        """Answers queries."""
        return Searcher(self.open(), self._figure_rows())

    def _figure_rows(self) -> FigureRows | None:
        """Returns the rows of its figures; a part of a corpus has no figures."""
        if self.corpus.whole is not self.corpus:
            return None
        work = choose_work(self.corpus.store, self.name)
        return FigureRows(work.find_behind, self.open().blocks.ordinals)

    @cached_property
    def facets(self) -> FacetCounter:
        """Counts facets."""
        return FacetCounter(self.open(), self.searcher, self.entry.manifest.title_outcome)

    def sorts(self) -> list[Sort]:
        """Returns the orders that its dialogues can be put in."""
        orders = [Sort("", "as released"), Sort("events-down", "longest first")]
        orders.append(Sort("events-up", "shortest first"))
        for name in self.searcher.measures:
            label = self.entry.manifest.title_outcome(name)
            orders += [Sort(f"{name}-down", f"{label}, high first")]
            orders += [Sort(f"{name}-up", f"{label}, low first")]
        return orders

    def select(self, query: str, sort: str = "") -> Selection:
        """Finds dialogues.

        Args:
            query: a query; empty for all.
            sort: name of an order.

        Raises:
            QueryError: the query is wrong.
            UsageError: there is no such order.
        """
        return self.keep(("select", query, sort), lambda: self._select(query, sort))

    def count_facets(self, query: str) -> list[Facet]:
        """Counts the facets of what a query finds.

        Raises:
            QueryError: the query is wrong.
        """
        found = self.select(query).found
        return self.keep(
            ("facets", query), lambda: self.facets.count(found.dialogues, query, found.terms)
        )

    def ordinal(self, dialogue_id: str) -> int:
        """Returns the number of a dialogue.

        Raises:
            UsageError: there is none of that id.
        """
        ordinals = self.open().blocks.ordinals
        if dialogue_id not in ordinals:
            advice = "It may be of another import; browse the corpus to find it."
            raise UsageError(f"There is no dialogue in {self.name} {dialogue_id!r}.", advice)
        return ordinals[dialogue_id]

    def keep(self, key: Any, make: Callable[[], T]) -> T:
        """Returns an answer that was given before, or gives it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                kept: T = self._kept[key]
                return kept
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return made

    def _select(self, query: str, sort: str) -> Selection:
        found = self.searcher.search(query)
        ordinals = np.flatnonzero(found.dialogues)
        if sort:
            ordinals = self._sorted(ordinals, sort)
        return Selection(found, ordinals, self.searcher.hit_events(found.terms))

    def _sorted(self, ordinals: Numbers, sort: str) -> Numbers:
        known = [each.name for each in self.sorts() if each.name]
        if sort not in known:
            raise UsageError(f"There is no order {sort!r}.", close_names(sort, known))
        name, _, direction = sort.rpartition("-")
        measures = self.open().postings.measures
        values = measures["n_events" if name == "events" else name][ordinals]
        # Dialogues without the number come last either way.
        keys = -values if direction == "down" else values
        sorted_: Numbers = ordinals[np.argsort(keys, kind="stable")]
        return sorted_


class Library:
    """All corpora of a store, open for pages.

    Args:
        store: the store.
        images: image folders by corpus, where others are meant than those named at import.
        results: a file of scored instances; null where there is none.
        corpora: names of the corpora to show; null for all.

    Raises:
        StoreError: one of the names is not in the store.
    """

    def __init__(
        self,
        store: Store,
        *,
        images: Mapping[str, Path] | None = None,
        results: Path | None = None,
        corpora: list[str] | None = None,
    ) -> None:
        self.store = store
        self.results = results
        self.images = dict(images or {})
        self.shows_all = corpora is None
        for name in self.images:
            store.corpus(name)  # says what is there where it is not
        self.shelves = {
            name: Shelf(store.corpus(name), self.images.get(name))
            for name in (store.corpora() if corpora is None else corpora)
        }

    @classmethod
    def of(cls, shelves: Iterable[Shelf]) -> Library:
        """Makes a library of corpora that are open already."""
        made = cls.__new__(cls)
        made.shelves = {shelf.name: shelf for shelf in shelves}
        made.results = None
        made.images = {}
        made.shows_all = False
        return made

    @classmethod
    def from_plan(cls, plan: LibraryPlan) -> Library:
        """Opens the corpora as another process did.

        Raises:
            StoreError: there is no store, or a corpus is gone.
        """
        store = open_store(plan.store)
        return cls(store, images=plan.images, results=plan.results, corpora=plan.corpora)

    def plan(self) -> LibraryPlan:
        """Returns what another process needs to open the same."""
        names = None if self.shows_all else self.names
        return LibraryPlan(self.store.path, self.images, self.results, names)

    def put(self, shelf: Shelf) -> None:
        """Shows a corpus, in place of what was shown under its name."""
        shelves = {**self.shelves, shelf.name: shelf}
        # A new dict, since pages may be going through the one before.
        self.shelves = {name: shelves[name] for name in sorted(shelves)}

    @property
    def names(self) -> list[str]:
        """Names of the corpora, in order."""
        return list(self.shelves)

    @property
    def pictures(self) -> dict[str, PictureFolder]:
        """Image folders by corpus."""
        return {name: shelf.pictures for name, shelf in self.shelves.items()}

    def shelf(self, name: str) -> Shelf:
        """Returns a corpus.

        Raises:
            StoreError: it is damaged.
            UsageError: it is not there.
        """
        if name not in self.shelves and self.shows_all and name in self.store.damaged:
            raise self.store.damaged[name]
        if name not in self.shelves:
            raise UsageError(f"There is no corpus {name!r} here.", close_names(name, self.shelves))
        return self.shelves[name]
