"""What a query finds: dialogues and events by number, from postings and the full-text index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from commonground.errors import close_names
from commonground.site.search.language import (
    QUALIFIERS,
    QUANTITY_NAMES,
    QueryError,
    Term,
    parse_query,
)
from commonground.store.index import CorpusIndex
from commonground.store.index.full_text import Words, split_words
from commonground.store.index.postings import Field, Level, Numbers

Mask = np.ndarray[Any, np.dtype[np.bool_]]
"""For each dialogue, or each event, of a corpus whether it is meant."""

_PARTS = re.compile(r"[^0-9A-Za-z]+")
"""What stands between the parts of an object's id."""


class Found(msgspec.Struct, frozen=True):
    """What a query found.

    Attributes:
        terms: the query, read.
        dialogues: for each dialogue whether it is meant.
        words: the words that were looked for, to be marked in texts.
    """

    terms: list[Term]
    dialogues: Mask
    words: list[Words]


class NamedObjects:
    """Finds the objects of one corpus.

    Args:
        index: its index.
    """

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


class FigureRows:
    """The rows of figures as a field of the query language: ``figure:durations/15``.

    Figures take seconds, so they are run when the first row is looked for.

    Args:
        find: gives the ids of the dialogues behind each row, by its name.
        ordinals: number of each dialogue, by id.
    """

    level: Level = "dialogue"

    def __init__(
        self, find: Callable[[], Mapping[str, Sequence[str]]], ordinals: Mapping[str, int]
    ) -> None:
        self._find = find
        self._ordinals = ordinals

    @cached_property
    def _lists(self) -> dict[str, Numbers]:
        return {
            name: np.unique([self._ordinals[each] for each in ids if each in self._ordinals])
            for name, ids in sorted(self._find().items())
        }

    @cached_property
    def values(self) -> list[str]:
        """Names of the rows, each of its figure and its cells, with slashes."""
        return list(self._lists)

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The number of each name."""
        return {value: code for code, value in enumerate(self.values)}

    def numbers(self, code: int) -> Numbers:
        """Returns the ascending numbers of the dialogues behind a row."""
        return self._lists[self.values[code]].astype(np.int64)


class Searcher:
    """Answers queries about one corpus.

    Args:
        index: its index.
        figures: the rows of its figures; None where it has none.
    """

    def __init__(self, index: CorpusIndex, figures: FigureRows | None = None) -> None:
        self._index = index
        self.figures = figures
        self._starts = index.postings.event_starts
        self.n_dialogues = len(self._starts) - 1
        self.n_events = int(self._starts[-1])
        self._named = NamedObjects(index)
        # Kept, since facets count for every speaker again with each query.
        self._spoken: dict[str, tuple[Mask, Mask]] = {}
        self.quantities = tuple(
            name for name in index.postings.quantities if name not in QUANTITY_NAMES.values()
        )

    def parse(self, query: str) -> list[Term]:
        """Reads a query.

        Raises:
            QueryError: it cannot be read; the error says where.
        """
        return parse_query(query, self.quantities)

    def search(self, query: str) -> Found:
        """Finds dialogues: each term may hold of another event of the dialogue.

        Terms on speaker, part and kind say of which events the others speak.

        Raises:
            QueryError: the query cannot be read, or names a value that does not occur.
        """
        terms = self.parse(query)
        who = self.qualified(terms)
        mask = np.ones(self.n_dialogues, dtype=bool)
        if who is not None:
            mask &= self._dialogue_mask(np.flatnonzero(who))
        for term in terms:
            if term.field not in QUALIFIERS:
                found = self._dialogues_with(term, who)
                mask &= ~found if term.negated else found
        return Found(terms, mask, [words for term in terms for words in _shown_words(term)])

    def search_events(self, query: str) -> tuple[Found, Numbers]:
        """Finds events: all terms hold of the very same event, or of its dialogue.

        Raises:
            QueryError: as in :meth:`search`.
        """
        terms = self.parse(query)
        who = self.qualified(terms)
        events = np.ones(self.n_events, dtype=bool) if who is None else who
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
        numbers = np.flatnonzero(events)
        words = [each for term in terms for each in _shown_words(term)]
        return Found(terms, self._dialogue_mask(numbers), words), numbers

    def count_speakers(self, terms: Sequence[Term], speakers: Sequence[str]) -> list[int] | None:
        """Counts for each speaker the dialogues in which that one says all that is asked for.

        None where a query asks nothing of events, so that whoever is in a dialogue will do.
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
        counts = []
        for speaker in speakers:
            who, present = self._spoken_by(speaker)
            if qualified is not None:
                who = who & qualified
                present = self._dialogue_mask(np.flatnonzero(who))
            # What is asked of dialogues holds whoever speaks; only what is asked of events depends
            # on the speaker.
            mask = fixed & present
            for term, events in said:
                mask &= self._dialogue_mask(events[who[events]]) ^ term.negated
            counts.append(int(np.count_nonzero(mask)))
        return counts

    def _spoken_by(self, speaker: str) -> tuple[Mask, Mask]:
        """Returns for each event, and for each dialogue, whether a speaker is the one."""
        if speaker not in self._spoken:
            field = self._index.postings.fields["speaker"]
            events = field.numbers(field.codes[speaker])
            self._spoken[speaker] = self._event_mask(events), self._dialogue_mask(events)
        return self._spoken[speaker]

    def events_in(self, events: Numbers, ordinal: int) -> Numbers:
        """Returns those of some ascending events that lie in a dialogue."""
        first, last = np.searchsorted(events, self._starts[ordinal : ordinal + 2])
        return events[first:last]

    def hit_events(self, terms: Sequence[Term]) -> Numbers | None:
        """Returns the events that at least one term on events asks for; None without such terms."""
        who = self.qualified(terms)
        lists = [
            numbers
            for term in terms
            if term.field not in QUALIFIERS and not term.negated
            for numbers in [self._events_with(term)]
            if numbers is not None
        ]
        if not lists:
            return None if who is None else np.flatnonzero(who)
        # One list is sorted and without doubles already.
        events = lists[0] if len(lists) == 1 else np.unique(np.concatenate(lists))
        return events if who is None else events[who[events]]

    def event_place(self, number: int) -> tuple[int, int]:
        """Returns the dialogue of an event, and the event's number in it."""
        # To the right, since dialogues without events share their start with the next one.
        ordinal = int(np.searchsorted(self._starts, number, side="right")) - 1
        return ordinal, number - int(self._starts[ordinal])

    def qualified(self, terms: Sequence[Term]) -> Mask | None:
        """Returns for each event whether a query speaks of it; None where that is every one."""
        who: Mask | None = None
        for term in terms:
            if term.field in QUALIFIERS:
                mask = self._event_mask(self._keyword(term, term.field)) ^ term.negated
                who = mask if who is None else who & mask
        return who

    def _dialogues_with(self, term: Term, who: Mask | None) -> Mask:
        if term.span is not None:
            return self._compared(term)
        if term.field == "id":
            return self._with_id(term)
        if term.field is None and who is None:
            return self._numbers_mask(self._index.full_text.dialogues(self._words_of(term)))
        events = self._events_with(term)
        if events is not None:
            chosen = events if who is None else events[who[events]]
            mask = self._dialogue_mask(chosen)
            # What is shown is shown by nobody: it counts only where nobody is asked for.
            return mask | self._shown(term) if term.field == "object" and who is None else mask
        return self._numbers_mask(self._keyword(term, str(term.field)))

    def _events_with(self, term: Term) -> Numbers | None:
        """Returns the ascending events a term asks for; None for a term on dialogues."""
        if term.field is None:
            return self._index.full_text.events(self._words_of(term))
        field = self._index.postings.fields.get(term.field)
        if term.span is not None or field is None or field.level != "event":
            # Where objects are only shown, no event points at one.
            return None if term.field != "object" else np.zeros(0, dtype=np.int64)
        if term.field == "object":
            self._named.find(term)
            return self._union(field, self._object_codes(term, field))
        return self._keyword(term, term.field)

    def _words_of(self, term: Term) -> Words:
        words = _term_words(term)
        if words is None:
            raise QueryError(
                "There is no letter or digit to look for.",
                "Only words are indexed.",
                term.start,
                term.end,
            )
        return words

    def _keyword(self, term: Term, name: str) -> Numbers:
        field = self.figures if name == "figure" else self._index.postings.fields.get(name)
        values = field.values if field else []
        codes = {code for value in term.values for code in self._codes(term, name, value, values)}
        return self._union(field, codes) if field else np.zeros(0, dtype=np.int64)

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
                chosen = [blocks.ordinals[value]] if value in blocks.ordinals else []
            if not chosen:
                raise QueryError(
                    f"There is no dialogue {value!r}.",
                    f"Ids that begin with it: id:{value}*",
                    term.start,
                    term.end,
                )
            mask[chosen] = True
        return mask

    def _object_codes(self, term: Term, field: Field) -> list[int]:
        return [field.codes[each] for each in self._named.find(term) if each in field.codes]

    def _shown(self, term: Term) -> Mask:
        field = self._index.postings.fields.get("shown")
        codes = self._object_codes(term, field) if field else []
        return self._numbers_mask(self._union(field, codes)) if field else self._numbers_mask([])

    def _union(self, field: Field | FigureRows, codes: Iterable[int]) -> Numbers:
        lists = [field.numbers(code) for code in codes]
        if len(lists) == 1:
            return lists[0]
        return np.unique(np.concatenate(lists)) if lists else np.zeros(0, dtype=np.int64)

    def _event_mask(self, numbers: Numbers) -> Mask:
        mask = np.zeros(self.n_events, dtype=bool)
        mask[numbers] = True
        return mask

    def _dialogue_mask(self, events: Numbers) -> Mask:
        """Returns the dialogues that have at least one of some ascending events."""
        # A dialogue has one where its start and the next one's fall in different places.
        bounds = np.searchsorted(events, self._starts)
        mask: Mask = np.diff(bounds) > 0
        return mask

    def _numbers_mask(self, numbers: Any) -> Mask:
        mask = np.zeros(self.n_dialogues, dtype=bool)
        mask[np.asarray(numbers, dtype=np.int64)] = True
        return mask


def _is_of_events(term: Term) -> bool:
    return term.field not in QUALIFIERS and term.field != "id" and term.span is None


def _term_words(term: Term) -> Words | None:
    words = tuple(word.folded for word in split_words(term.values[0])) if term.values else ()
    return Words(words, term.prefix) if words else None


def _shown_words(term: Term) -> list[Words]:
    words = _term_words(term)
    return [words] if words is not None and term.field is None and not term.negated else []
