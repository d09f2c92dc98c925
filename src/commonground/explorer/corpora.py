"""The corpora that pages show: opened once, shared by all requests, opened anew after an import."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from commonground.corpora import find_corpus
from commonground.errors import CommongroundError, UsageError, unknown_name
from commonground.explorer.rendering.colours import TONES, speaker_tone
from commonground.explorer.rendering.sketches import is_drawn
from commonground.explorer.search.facets import Facet, FacetCounter
from commonground.explorer.search.language import QUANTITY_NAMES
from commonground.explorer.search.ranks import FINDINGS, ID, list_ranks, rank_dialogues
from commonground.explorer.search.searcher import LateField, Searcher, SearchResult
from commonground.explorer.thumbnails import Thumbnails
from commonground.exports.terms import Licensed
from commonground.figures.figure_files import find_figures
from commonground.figures.figure_runs import choose_figures
from commonground.schema import NAMING_OBJECTS
from commonground.store.corpus import Corpus
from commonground.store.findings import rules_of
from commonground.store.index import CorpusIndex, make_index, open_index
from commonground.store.index.postings import Numbers
from commonground.store.layout.manifest import MANIFEST_NAME
from commonground.store.opening import Store, open_store
from commonground.store.pictures import PictureFolder

T = TypeVar("T")
MOST_REMEMBERED = 256
"""Answers of one corpus that are remembered, the last ones asked for."""

REMEMBERED_BYTES = 64 << 20
"""What lists of numbers among them take together: of a million dialogues, one takes megabytes."""

MOST_HITS = "hits-down"
"""Order by how often what a query asks for is there; without such a query it changes nothing."""

_RANK_LABELS = {
    ID: ("by id", "by id, last first"),
    FINDINGS: ("fewest findings first", "most findings first"),
}

_TONED = 16
"""Dialogues whose speakers are looked at for their roles: one block."""

GC_THRESHOLD = 50_000
"""Objects that are made before Python looks for cycles, in processes that make pages: much is open,
and little of it ever goes."""

_MARKS = """
    SELECT outcome, dialogue_id, list(event) FROM (
        SELECT dialogue_id, event, CASE
            WHEN NOT is_last THEN 'revised' WHEN correct THEN 'right' ELSE 'wrong' END AS outcome
        FROM marks WHERE corpus = ? AND correct IS NOT NULL
    ) GROUP BY ALL
"""

LOOK_S = 2.0
"""Seconds between two looks for new imports."""


class Sort(msgspec.Struct, frozen=True):
    """An order of dialogues; its name, as in addresses, is empty for that of the files."""

    name: str
    label: str


class FoundDialogues(msgspec.Struct, frozen=True):
    """What a query found, and the numbers of the dialogues in the order asked for."""

    found: SearchResult
    ordinals: Numbers


class OpenCorpus:
    """One corpus or a part of one, open for pages: its index, its search, its pictures.

    Args:
        images: None for the image folder named at import.
        index_folder: where its index is, or is to be; None for its own. A part needs one.
    """

    def __init__(
        self, corpus: Corpus, images: Path | None = None, *, index_folder: Path | None = None
    ) -> None:
        self.corpus = corpus
        self.name = corpus.name
        self.entry = find_corpus(corpus.name)
        self.pictures = PictureFolder(images or corpus.images)
        self._index_folder = index_folder
        # Reentrant: to make the index asks for the corpus again while it is held.
        self._lock = threading.RLock()
        self._index: CorpusIndex | None = None
        self._remembered: OrderedDict[Any, Any] = OrderedDict()

    @property
    def index(self) -> CorpusIndex:
        """The index, opened when it is first asked for.

        Raises:
            StoreError: it is damaged; or it is that of a part, and can be written nowhere.
        """
        # Without the lock where it is open already, which is nearly always.
        index = self._index
        return self._open_index() if index is None else index

    def _open_index(self) -> CorpusIndex:
        with self._lock:
            if self._index is None:
                folder = self._index_folder
                if folder is not None and not folder.is_dir():
                    make_index(self.corpus, folder)
                self._index = CorpusIndex(folder) if folder else open_index(self.corpus)
            return self._index

    def warm_up(self) -> None:
        """Opens what the first pages need.

        Raises:
            StoreError: its index is damaged.
        """
        self.count_facets("")

    @property
    def is_part(self) -> bool:
        """Whether it is only some dialogues of a corpus; the tables then hold more than it."""
        return self.corpus.whole is not self.corpus

    def describe_licensed(self) -> Licensed:
        """Returns the licence and terms of what of it is shown."""
        counts = self.corpus.manifest.counts
        dialogues = self.searcher.n_dialogues if self.is_part else counts.get("dialogues", 0)
        simulated = self.corpus.manifest.simulated
        return Licensed(about=self.entry.manifest, dialogues=dialogues, simulated=simulated)

    def list_named_pictures(self) -> list[tuple[str, str]]:
        """Returns id and picture of the objects that name one; of a part, those that it shows."""
        query = "SELECT object_id, uri FROM objects WHERE corpus = ? AND uri IS NOT NULL"
        if self.is_part:
            used = " UNION ".join(f"SELECT object_id FROM {name}" for name in NAMING_OBJECTS)
            query += f" AND object_id IN ({used})"
        return self.corpus.rows(query, [self.name])

    @cached_property
    def has_figures(self) -> bool:
        """Whether figures can be shown: its folder has some, and they are of all its dialogues."""
        return not self.is_part and bool(find_figures(self.name))

    @cached_property
    def searcher(self) -> Searcher:
        """Finds what queries ask for, in the index."""
        late = {"mark": LateField("event", self._find_marks)}
        if not self.is_part:
            late = {"figure": LateField("dialogue", self._find_row_dialogues), **late}
        return Searcher(self.index, late)

    def _find_marks(self) -> dict[str, Numbers]:
        """Returns the numbers of the events that are marks, by what became of them."""
        starts, ids = self.index.postings.event_starts, self.index.blocks.ids
        found: dict[str, list[int]] = {}
        for outcome, dialogue, events in self.corpus.rows(_MARKS, [self.name]):
            ordinal = ids.find(dialogue)
            if ordinal is not None:
                start = int(starts[ordinal])
                found.setdefault(outcome, []).extend(start + event for event in events)
        return {name: np.asarray(numbers, dtype=np.int64) for name, numbers in found.items()}

    def _find_row_dialogues(self) -> dict[str, Numbers]:
        """Returns the numbers of the dialogues of each row of a figure."""
        rows = choose_figures(self.corpus.store, self.name).find_row_dialogues()
        return {name: self.index.blocks.ids.find_all(ids) for name, ids in rows.items()}

    @cached_property
    def facets(self) -> FacetCounter:
        """Counts how many dialogues of a selection have each value of each field."""
        rules = rules_of([self.name]).values()
        titles = {"finding": {each.code: each.title.rstrip(".") for each in rules}}
        title_outcome = self.entry.manifest.title_outcome
        return FacetCounter(self.index, self.searcher, title_outcome, titles)

    @cached_property
    def thumbnails(self) -> Thumbnails:
        """Chooses pictures of dialogues for lists."""
        return Thumbnails(self.index, partial(is_drawn, self.name))

    @cached_property
    def tones(self) -> dict[str, int]:
        """The colour of each speaker, by label; empty where every dialogue has other labels."""
        field = self.index.postings.fields.get("speaker")
        # More labels than colours: each dialogue has names of its own, which say nothing of roles.
        if field is None or len(field.values) > TONES:
            return {}
        found: dict[str, int] = {}
        for ordinal in range(min(self.searcher.n_dialogues, _TONED)):
            rows = self.index.blocks.rows("speakers", ordinal)
            for number, (label, role) in enumerate(zip(rows["speaker"], rows["role"], strict=True)):
                found.setdefault(label, speaker_tone(role, number))
        return found

    def sorts(self) -> list[Sort]:
        """Returns the orders that its dialogues can be put in."""
        orders = [Sort("", "as released"), Sort("events-down", "longest first")]
        orders.append(Sort("events-up", "shortest first"))
        orders.append(Sort("utterances-down", "most utterances first"))
        orders.append(Sort("utterances-up", "fewest utterances first"))
        for name in self.searcher.quantities:
            label = self.entry.manifest.title_outcome(name)
            orders += [Sort(f"{name}-down", f"{label}, high first")]
            orders += [Sort(f"{name}-up", f"{label}, low first")]
        ranked = [each for each in list_ranks(self.index) if each not in self.searcher.quantities]
        for name in ranked:
            up, down = _RANK_LABELS.get(name, (name, f"{name}, last first"))
            orders += [Sort(f"{name}-up", up), Sort(f"{name}-down", down)]
        return [*orders, Sort(MOST_HITS, "most hits first")]

    def rank(self, name: str) -> Numbers:
        """Returns the number of each dialogue that an order goes by; NaN where one has none.

        Args:
            name: of the order, without its direction.
        """
        quantities = self.index.postings.quantities
        known = QUANTITY_NAMES.get(name, name)
        if known in quantities:
            values: Numbers = quantities[known]
            return values
        return self.remember(("rank", name), lambda: rank_dialogues(self.index, name))

    def select(self, query: str, sort: str = "") -> FoundDialogues:
        """Finds dialogues.

        Args:
            query: empty for all.

        Raises:
            QueryError: the query is wrong.
            UsageError: there is no such order.
        """
        return self.remember(("select", query, sort), lambda: self._select(query, sort))

    def count_facets(self, query: str) -> list[Facet]:
        """Counts the facets of what a query finds.

        Raises:
            QueryError: the query is wrong.
        """
        found = self.select(query).found
        return self.remember(
            ("facets", query), lambda: self.facets.count(found.dialogues, query, found.terms)
        )

    def ordinal(self, dialogue_id: str) -> int:
        """Returns the number of a dialogue.

        Raises:
            UsageError: there is none of that id.
        """
        ordinal = self.index.blocks.ids.find(dialogue_id)
        if ordinal is None:
            advice = "It may be in another import; browse the corpus to find it."
            raise UsageError(f"There is no dialogue {dialogue_id!r} in {self.name}.", advice)
        return ordinal

    def remember(self, key: Any, make: Callable[[], T]) -> T:
        """Returns an answer that was given before, or gives it.

        Args:
            key: what is asked; the first part of it names the kind of question.
            make: answers it. It runs outside the lock, so two may do the same work at once, but
                nobody waits for another's question.
        """
        with self._lock:
            if key in self._remembered:
                self._remembered.move_to_end(key)
                known: T = self._remembered[key]
                return known
        made = make()
        with self._lock:
            self._remembered[key] = made
            sizes = {each: _weigh(answer) for each, answer in self._remembered.items()}
            total = sum(sizes.values())
            # The one just made stays, whatever it takes.
            while len(sizes) > 1 and (len(sizes) > MOST_REMEMBERED or total > REMEMBERED_BYTES):
                first = next(iter(sizes))
                total -= sizes.pop(first)
                del self._remembered[first]
        return made

    def _select(self, query: str, sort: str) -> FoundDialogues:
        found = self.searcher.search(query)
        if not sort:
            return FoundDialogues(found, np.flatnonzero(found.dialogues).astype(np.int32))
        known = [each.name for each in self.sorts() if each.name]
        if sort not in known:
            raise unknown_name("order", sort, known)
        return FoundDialogues(found, self._sorted(found, sort))

    def _sorted(self, found: SearchResult, sort: str) -> Numbers:
        if sort != MOST_HITS:
            order = self.remember(("order", sort), lambda: self._order(sort))
            ordered: Numbers = order[found.dialogues[order]]
            return ordered
        ordinals = np.flatnonzero(found.dialogues).astype(np.int32)
        hits = self.searcher.hit_events(found.terms)
        if hits is None:
            return ordinals
        # Where each dialogue begins among the ascending hits; the differences are hits of a
        # dialogue.
        counts = np.diff(np.searchsorted(hits, self.index.postings.event_starts))
        by_hits: Numbers = ordinals[np.argsort(-counts[ordinals], kind="stable")]
        return by_hits

    def _order(self, sort: str) -> Numbers:
        """Returns the numbers of all dialogues in an order; of some, it keeps the same."""
        name, _, direction = sort.rpartition("-")
        values = self.rank(name)
        # Dialogues without the number come last either way.
        # NaN stays NaN when it is negated, and numpy sorts it after all numbers.
        keys = -values if direction == "down" else values
        return np.argsort(keys, kind="stable").astype(np.int32)


def _weigh(answer: object) -> int:
    """Returns the bytes of the arrays of an answer; the rest of it is small."""
    if isinstance(answer, np.ndarray):
        return answer.nbytes
    if isinstance(answer, FoundDialogues):
        return answer.ordinals.nbytes + answer.found.dialogues.nbytes
    if isinstance(answer, tuple):
        return sum(map(_weigh, answer))
    return 0


class OpenCorpora:
    """All corpora of a store that pages show, by name in ``by_name``.

    Args:
        images: image folders by corpus, where others are meant than those named at import.
        results: files of scored instances.
        names: the corpora to show; None for all.

    Raises:
        StoreError: one of the names is not in the store.
    """

    def __init__(
        self,
        store: Store,
        *,
        images: Mapping[str, Path] | None = None,
        results: Sequence[Path] = (),
        names: list[str] | None = None,
    ) -> None:
        self.store = store
        self.results = tuple(results)
        self.images = dict(images or {})
        self.shows_all = names is None
        for name in self.images:
            store.corpus(name)  # says what is there where it is not
        self.by_name = {
            name: OpenCorpus(store.corpus(name), self.images.get(name))
            for name in (store.corpora() if names is None else names)
        }

    @classmethod
    def of(cls, opened: Iterable[OpenCorpus]) -> OpenCorpora:
        """Gathers corpora that are open already."""
        # Without a store: these may be parts of corpora, with indexes of their own.
        made = cls.__new__(cls)
        made.by_name = {each.name: each for each in opened}
        made.results = ()
        made.images = {}
        made.shows_all = False
        return made

    def plan(self) -> CorporaPlan:
        """Returns what opens the same in another process, or raises StoreError where it is gone."""
        names = None if self.shows_all else self.names
        return partial(
            _open_corpora, self.store.path, images=self.images, results=self.results, names=names
        )

    def __iter__(self) -> Iterator[OpenCorpus]:
        return iter(self.by_name.values())

    def __len__(self) -> int:
        return len(self.by_name)

    def put(self, opened: OpenCorpus) -> None:
        """Shows a corpus, in place of what was shown under its name."""
        by_name = {**self.by_name, opened.name: opened}
        # A new dict, since pages may be going through the one before; caches notice it, too.
        self.by_name = {name: by_name[name] for name in sorted(by_name)}

    @property
    def names(self) -> list[str]:
        """Names of the corpora, in order."""
        return list(self.by_name)

    @property
    def pictures(self) -> dict[str, PictureFolder]:
        """The image folder of each corpus, by name."""
        return {each.name: each.pictures for each in self}

    def get(self, name: str) -> OpenCorpus:
        """Returns a corpus.

        Raises:
            StoreError: it is damaged.
            UsageError: it is not there.
        """
        if name not in self.by_name and self.shows_all and name in self.store.damaged:
            raise self.store.damaged[name]
        if name not in self.by_name:
            raise unknown_name("corpus", name, self.by_name, "here")
        return self.by_name[name]


CorporaPlan = Callable[[], OpenCorpora]
"""Opens corpora in another process; pickled."""


def _open_corpora(store: Path, **shown: Any) -> OpenCorpora:
    return OpenCorpora(open_store(store), **shown)


_Signs = dict[str, tuple[int, int]]


class Reloader:
    """Shows what is imported while the explorer runs."""

    def __init__(self, corpora: OpenCorpora) -> None:
        self.corpora = corpora
        self._looked_at = time.monotonic()
        self._signs: _Signs = {}

    def look(self) -> None:
        """Looks at the store, unless that was done a moment ago."""
        if time.monotonic() - self._looked_at >= LOOK_S:
            self._looked_at = time.monotonic()
            self.reload()

    def watch(self, ended: threading.Event) -> None:
        """Looks again and again, until it is ended."""
        while not ended.wait(LOOK_S):
            self.reload()

    def reload(self) -> None:
        """Opens every import that is not the one shown; what is damaged is left as it is."""
        signs = _signs_of(self.corpora.store.path)
        if signs == self._signs:
            return
        with suppress(CommongroundError, OSError):
            store = open_store(self.corpora.store.path)
            for name in store.corpora():
                self._reload(store, name)
            self._signs = signs

    def _reload(self, store: Store, name: str) -> None:
        """Shows the import of a corpus that is in force."""
        corpora = self.corpora
        shown = corpora.by_name.get(name)
        if shown is None and not corpora.shows_all:
            return
        corpus = store.corpus(name)
        # By the whole manifest: the same files that are imported again are another import.
        if shown is not None and shown.corpus.manifest == corpus.manifest:
            return
        opened = OpenCorpus(corpus, corpora.images.get(name))
        opened.warm_up()
        corpora.put(opened)


def is_outdated(opened: OpenCorpus) -> bool:
    """Tells whether the import that is shown is no longer in the store."""
    corpus = opened.corpus
    return not (corpus.store.path / corpus.name / corpus.manifest.data).is_dir()


def _signs_of(store: Path) -> _Signs:
    """Returns what changes with every import, without reading a file."""
    signs: _Signs = {}
    for path in store.glob(f"*/{MANIFEST_NAME}"):
        with suppress(OSError):
            about = path.stat()
            # A manifest is replaced, never written over: its number changes even within one tick of
            # time.
            signs[path.parent.name] = about.st_mtime_ns, about.st_ino
    return signs
