"""What a query finds: dialogues and events by number, from postings and the full-text index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from commonground.errors import close_names
from commonground.explorer.search.language import (
    QUALIFIERS,
    QUANTITY_NAMES,
    QueryError,
    Term,
    parse_query,
)
from commonground.store.index import CorpusIndex
from commonground.store.index.full_text import WordSequence, find_words
from commonground.store.index.postings import FieldPostings, Level, Numbers, find_window

Mask = np.ndarray[Any, np.dtype[np.bool_]]
"""For each dialogue, or each event, of a corpus whether it is meant."""

_DENSE = 16
"""One of so many events, or more, are many: to look at all is faster than to look at each."""

_CACHED = 64
"""Terms whose values stay looked up."""

_CACHED_WORDS = 4
"""Words whose events stay looked up: of a million dialogues, one takes megabytes."""

_PARTS = re.compile(r"[^0-9A-Za-z]+")
"""What stands between the parts of an object's id."""


class SearchResult(msgspec.Struct, frozen=True):
    """What a query found.

    Attributes:
        terms: the query, read.
        words: the words that were looked for, to be marked in texts.
    """

    terms: list[Term]
    dialogues: Mask
    words: list[WordSequence]


class NamedObjects:
    """Finds the objects of one corpus."""

    def __init__(self, index: CorpusIndex) -> None:
        self._index = index

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        """Ids by each of their parts: of ``a/b_0017.jpg`` those are a, b, 17, jpg."""
        parts: dict[str, list[str]] = {}
        for object_id in self._index.blocks.object_ids:
            # File names pad numbers with zeros; who looks for image 17 types 17.
            for part in {each.lstrip("0") for each in _PARTS.split(object_id.casefold())}:
                parts.setdefault(part, []).append(object_id)
        return parts

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(self._index.blocks.object_ids)

    def find(self, term: Term) -> set[str]:
        """Returns the objects a term names, by whole id or by a part such as an image's number.

        Raises:
            QueryError: there is none.
        """
        found: set[str] = set()
        for value in term.values:
            # A whole id wins over parts: an id that is a number may be a part of many others.
            if value in self._ids:
                found.add(value)
            elif term.prefix:
                found.update(each for each in self._ids if each.startswith(value))
            else:
                # As the parts are kept: without zeros in front.
                found.update(self._parts.get(value.casefold().lstrip("0"), ()))
        if not found:
            raise QueryError(
                f"No object is {','.join(term.values)!r}.",
                "Give its id, or a number in it; the objects tab lists them.",
                term.start,
                term.end,
            )
        return found


class LateField:
    """A field of the query language that no index has: rows of figures, and what became of marks.

    These take seconds to find, so they are found when the first is looked for.

    Args:
        find: gives the numbers of the dialogues or events of each value.
    """

    def __init__(self, level: Level, find: Callable[[], Mapping[str, Numbers]]) -> None:
        self.level: Level = level
        self._find = find

    @cached_property
    def _lists(self) -> dict[str, Numbers]:
        return {name: np.unique(numbers) for name, numbers in sorted(self._find().items())}

    @cached_property
    def values(self) -> list[str]:
        """The values in order; rows are named by figure and cells, with slashes."""
        return list(self._lists)

    def numbers(self, code: int) -> Numbers:
        """Returns the ascending numbers of the dialogues or events of a value."""
        return self._lists[self.values[code]].astype(np.int64)


class _EventSet:
    """Some events of a corpus: many of them as a mask of all, few of them as their numbers.

    Args:
        numbers: of the events; or for each event whether it is one.
    """

    def __init__(self, searcher: Searcher, numbers: Numbers | Mask) -> None:
        self._searcher = searcher
        self.is_dense = numbers.dtype == bool or len(numbers) * _DENSE > searcher.n_events
        self._numbers = numbers

    @cached_property
    def mask(self) -> Mask:
        """For each event whether it is one."""
        if self._numbers.dtype == bool:
            return self._numbers
        mask = np.zeros(self._searcher.n_events, dtype=bool)
        mask[self._numbers] = True
        return mask

    @cached_property
    def dialogues(self) -> Mask:
        """For each dialogue whether it has one."""
        return self._searcher.dialogue_mask(self.mask if self.is_dense else self._numbers)

    def within(self, mask: Mask) -> _EventSet:
        """Returns those for which a mask is true."""
        if self.is_dense:
            return _EventSet(self._searcher, self.mask & mask)
        return _EventSet(self._searcher, self._numbers[mask[self._numbers]])

    def dialogues_with(self, other: _EventSet) -> Mask:
        """Returns for each dialogue whether it has an event of both."""
        few, many = (other, self) if self.is_dense else (self, other)
        return few.within(many.mask).dialogues


class Searcher:
    """Answers queries about one corpus.

    Args:
        late: fields that the index lacks, by name.
    """

    def __init__(self, index: CorpusIndex, late: Mapping[str, LateField] | None = None) -> None:
        self._index = index
        self.late = late or {}
        self._starts = index.postings.event_starts
        self.n_dialogues = len(self._starts) - 1
        self.n_events = int(self._starts[-1])
        self._named = NamedObjects(index)
        # One page asks for the same events several times.
        self._qualify = lru_cache(1)(self._mask_of)
        self._said = lru_cache(_CACHED_WORDS)(self._find_words)
        # One page asks for the same values several times: for each dialogue that it shows.
        self._codes_of = lru_cache(_CACHED)(self._find_codes)
        self._object_codes_of = lru_cache(_CACHED)(self._find_object_codes)
        self._spoken: dict[str, _EventSet] = {}
        self.quantities = tuple(
            name for name in index.postings.quantities if name not in QUANTITY_NAMES.values()
        )

    def parse(self, query: str) -> list[Term]:
        """Reads a query.

        Raises:
            QueryError: it cannot be read; the error says where.
        """
        return parse_query(query, self.quantities)

    def search(self, query: str) -> SearchResult:
        """Finds dialogues: each term may hold of another event of the dialogue.

        Terms on speaker, part and kind say of which events the others speak.

        Raises:
            QueryError: the query cannot be read, or names a value that does not occur.
        """
        terms = self.parse(query)
        who = self.qualified(terms)
        mask = np.ones(self.n_dialogues, dtype=bool)
        if who is not None:
            mask &= self.dialogue_mask(who)
        for term in terms:
            if term.field not in QUALIFIERS:
                found = self._dialogues_with(term, who)
                mask &= ~found if term.negated else found
        return SearchResult(terms, mask, [words for term in terms for words in _shown_words(term)])

    def search_events(self, query: str) -> tuple[SearchResult, Numbers]:
        """Finds events: all terms hold of the very same event, or of its dialogue.

        Raises:
            QueryError: as in :meth:`search`.
        """
        terms = self.parse(query)
        who = self.qualified(terms)
        events = np.ones(self.n_events, dtype=bool) if who is None else who.copy()
        dialogues = np.ones(self.n_dialogues, dtype=bool)
        for term in terms:
            if term.field in QUALIFIERS:
                continue
            numbers = self._events_with(term)
            if numbers is None:
                found = self._dialogues_with(term, None)
                dialogues &= ~found if term.negated else found
            else:
                # To xor a mask with true turns it round.
                events &= self._event_mask(numbers) ^ term.negated
        if not dialogues.all():
            events &= np.repeat(dialogues, np.diff(self._starts))
        words = [each for term in terms for each in _shown_words(term)]
        return SearchResult(terms, self.dialogue_mask(events), words), np.flatnonzero(events)

    def count_speakers(self, terms: Sequence[Term], speakers: Sequence[str]) -> list[int] | None:
        """Counts for each speaker the dialogues in which that one says all that is asked for.

        None where a query asks nothing of events, so that anyone who is in a dialogue will do.
        """
        asked = [(term, self._events_with(term)) for term in terms if _is_of_events(term)]
        said = [(term, events) for term, events in asked if events is not None]
        qualified = self.qualified(terms)
        if not said and qualified is None:
            return None
        fixed = np.ones(self.n_dialogues, dtype=bool)
        for term in terms:
            if term.field not in QUALIFIERS and all(term is not each for each, _ in said):
                # Exclusive or with a truth value turns a mask around, or leaves it.
                fixed &= self._dialogues_with(term, None) ^ term.negated
        wanted = [(_EventSet(self, events), term.negated) for term, events in said]
        counts = []
        for speaker in speakers:
            spoken = self._spoken_by(speaker)
            if qualified is not None:
                spoken = spoken.within(qualified)
            # What is asked of dialogues holds for every speaker; only what is asked of events
            # depends on the speaker.
            mask = fixed & spoken.dialogues
            for events, negated in wanted:
                mask &= spoken.dialogues_with(events) ^ negated
            counts.append(int(np.count_nonzero(mask)))
        return counts

    def _spoken_by(self, speaker: str) -> _EventSet:
        if speaker in self._spoken:
            return self._spoken[speaker]
        field = self._index.postings.fields["speaker"]
        spoken = _EventSet(self, field.numbers(field.codes[speaker]))
        # Kept, since facets count for every speaker again with each query; there is room for all
        # that speak much, as these cannot be many.
        if spoken.is_dense:
            self._spoken[speaker] = spoken
        return spoken

    def hits_in(self, terms: Sequence[Term], ordinal: int) -> Numbers | None:
        """Returns those of :meth:`hit_events` that lie in a dialogue; looks for no others."""
        return self.hit_events(terms, range(*self._starts[ordinal : ordinal + 2].tolist()))

    def hit_events(self, terms: Sequence[Term], window: range | None = None) -> Numbers | None:
        """Returns the events that at least one term on events asks for; None without such terms.

        Args:
            window: the events that are looked at; None for all.
        """
        lists = [
            numbers
            for term in terms
            if term.field not in QUALIFIERS and not term.negated
            for numbers in [self._events_with(term, window)]
            if numbers is not None
        ]
        if not lists and all(term.field not in QUALIFIERS for term in terms):
            return None
        start = 0 if window is None else window.start
        who = self.qualified(terms, window)
        if not lists:
            return None if who is None else np.flatnonzero(who) + start
        # One list is sorted and without doubles already.
        events = lists[0] if len(lists) == 1 else np.unique(np.concatenate(lists))
        return events if who is None else events[who[events - start]]

    def event_place(self, number: int) -> tuple[int, int]:
        """Returns the dialogue of an event, and the event's number in it."""
        # To the right, since dialogues without events share their start with the next one.
        ordinal = int(np.searchsorted(self._starts, number, side="right")) - 1
        return ordinal, number - int(self._starts[ordinal])

    def qualified(self, terms: Sequence[Term], window: range | None = None) -> Mask | None:
        """Returns for each event whether a query speaks of it; None where that is every one.

        Args:
            window: the events that are looked at; None for all.
        """
        qualifiers = tuple(term for term in terms if term.field in QUALIFIERS)
        if not qualifiers:
            return None
        return self._qualify(qualifiers) if window is None else self._mask_of(qualifiers, window)

    def _mask_of(self, qualifiers: tuple[Term, ...], window: range | None = None) -> Mask:
        """Returns for each event whether all of some terms hold of it."""
        who: Mask | bool = True
        for term in qualifiers:
            numbers = self._keyword(term, str(term.field), window)
            who = (self._event_mask(numbers, window) ^ term.negated) & who
        assert not isinstance(who, bool)  # noqa: S101 - there is at least one term
        # The same mask is given to the one who asks for these terms again.
        who.flags.writeable = False
        return who

    def _dialogues_with(self, term: Term, who: Mask | None) -> Mask:
        if term.span is not None:
            return self._compared(term)
        if term.field == "id":
            return self._with_id(term)
        events = self._events_with(term)
        if events is not None:
            mask = self.dialogues_having(events, who)
            # What is shown is shown by nobody: it counts only where nobody is asked for.
            return mask | self._shown(term) if term.field == "object" and who is None else mask
        return self._numbers_mask(self._keyword(term, str(term.field)))

    def _events_with(self, term: Term, window: range | None = None) -> Numbers | None:
        """Returns the ascending events a term asks for; None for a term on dialogues.

        Args:
            window: the events that are looked at; None for all.
        """
        if term.field is None:
            words = self._words_of(term)
            if window is None:
                return self._said(words)
            return self._index.full_text.events(words, window)
        field = self._field(term.field)
        if term.span is not None or field is None or field.level != "event":
            # Where objects are only shown, no event points at one.
            return None if term.field != "object" else np.zeros(0, dtype=np.int64)
        if term.field == "object" and isinstance(field, FieldPostings):
            return self._union(field, self._object_codes_of(term, "object"), window)
        return self._keyword(term, term.field, window)

    def _find_words(self, words: WordSequence) -> Numbers:
        """Returns the ascending events in which some words were said."""
        numbers = self._index.full_text.events(words)
        # The same numbers are given to the one who asks for these words again.
        numbers.flags.writeable = False
        return numbers

    def _words_of(self, term: Term) -> WordSequence:
        words = _term_words(term)
        if words is None:
            raise QueryError(
                "There is no letter or digit to search for.",
                "Only words are indexed.",
                term.start,
                term.end,
            )
        return words

    def _keyword(self, term: Term, name: str, window: range | None = None) -> Numbers:
        field = self._field(name)
        codes = self._codes_of(term, name)
        return self._union(field, codes, window) if field else np.zeros(0, dtype=np.int64)

    def _field(self, name: str) -> FieldPostings | LateField | None:
        return self.late[name] if name in self.late else self._index.postings.fields.get(name)

    def _find_codes(self, term: Term, name: str) -> frozenset[int]:
        field = self._field(name)
        values = field.values if field else []
        found = (self._codes(term, name, value, values) for value in term.values)
        return frozenset(chain.from_iterable(found))

    def _codes(self, term: Term, name: str, value: str, values: Sequence[str]) -> list[int]:
        folded = value.casefold()
        if term.prefix:
            found = [i for i, each in enumerate(values) if each.casefold().startswith(folded)]
        else:
            # As written first: two values may differ in nothing but case.
            found = [i for i, each in enumerate(values) if each == value]
            found = found or [i for i, each in enumerate(values) if each.casefold() == folded]
        if not found:
            raise self._no_value(term, name, value, values)
        return found

    def _no_value(self, term: Term, name: str, value: str, values: Sequence[str]) -> QueryError:
        advice = close_names(value, values) if values else f"This corpus has no {name}."
        return QueryError(f"No {name} is {value!r}.", advice, term.start, term.end)

    def _compared(self, term: Term) -> Mask:
        name = QUANTITY_NAMES.get(str(term.field), str(term.field))
        values = self._index.postings.quantities[name]
        span = term.span
        assert span is not None  # noqa: S101 - asked for by the caller
        # Dialogues without the quantity have NaN, for which no comparison holds.
        with np.errstate(invalid="ignore"):
            low = values > span.low if span.above else values >= span.low
            high = values < span.high if span.below else values <= span.high
        mask: Mask = low & high
        return mask

    def _with_id(self, term: Term) -> Mask:
        blocks = self._index.blocks
        mask = np.zeros(self.n_dialogues, dtype=bool)
        for value in term.values:
            if term.prefix:
                chosen = [i for i, each in enumerate(blocks.ids) if each.startswith(value)]
            else:
                chosen = blocks.ids.find_all([value]).tolist()
            if not chosen:
                raise QueryError(
                    f"There is no dialogue {value!r}.",
                    f"Ids that begin with it: id:{value}*",
                    term.start,
                    term.end,
                )
            mask[chosen] = True
        return mask

    def _find_object_codes(self, term: Term, name: str) -> list[int]:
        codes = self._index.postings.fields[name].codes
        return [codes[each] for each in self._named.find(term) if each in codes]

    def _shown(self, term: Term) -> Mask:
        field = self._index.postings.fields.get("shown")
        if field is None:
            return self._numbers_mask([])
        return self._numbers_mask(self._union(field, self._object_codes_of(term, "shown")))

    def _union(
        self, field: FieldPostings | LateField, codes: Iterable[int], window: range | None = None
    ) -> Numbers:
        lists = [field.numbers(code) for code in codes]
        if window is not None:
            lists = [each[find_window(each, window)] for each in lists]
        if len(lists) == 1:
            return lists[0]
        return np.unique(np.concatenate(lists)) if lists else np.zeros(0, dtype=np.int64)

    def _event_mask(self, numbers: Numbers, window: range | None = None) -> Mask:
        """Returns for each event, or each of some, whether it is one of some numbers."""
        among = range(self.n_events) if window is None else window
        mask = np.zeros(len(among), dtype=bool)
        mask[numbers - among.start if among.start else numbers] = True
        return mask

    def dialogue_mask(self, events: Numbers | Mask) -> Mask:
        """Returns the dialogues that have at least one of some events.

        Args:
            events: their numbers, or for each event whether it is one.
        """
        mask = np.zeros(self.n_dialogues, dtype=bool)
        if events.dtype != bool:
            mask[self._index.postings.dialogues_of(events)] = True
        elif self.n_events:
            # A dialogue without events would take those of the one that follows it.
            mask[self._filled] = np.logical_or.reduceat(events, self._starts[:-1][self._filled])
        return mask

    def dialogues_having(self, events: Numbers, among: Mask | None = None) -> Mask:
        """Returns for each dialogue whether it has at least one of some events.

        Args:
            events: their ascending numbers.
            among: for each event whether it counts; None for all.
        """
        found = _EventSet(self, events)
        return found.dialogues if among is None else found.within(among).dialogues

    @cached_property
    def _filled(self) -> Any:
        """Chooses the dialogues that have events."""
        filled = np.diff(self._starts) > 0
        return slice(None) if filled.all() else filled

    def _numbers_mask(self, numbers: Any) -> Mask:
        mask = np.zeros(self.n_dialogues, dtype=bool)
        mask[np.asarray(numbers, dtype=np.int64)] = True
        return mask


def _is_of_events(term: Term) -> bool:
    return term.field not in QUALIFIERS and term.field != "id" and term.span is None


def _term_words(term: Term) -> WordSequence | None:
    words = tuple(word.folded for word in find_words(term.values[0])) if term.values else ()
    return WordSequence(words, term.prefix) if words else None


def _shown_words(term: Term) -> list[WordSequence]:
    words = _term_words(term)
    return [words] if words is not None and term.field is None and not term.negated else []
