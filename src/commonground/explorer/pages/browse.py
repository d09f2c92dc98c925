"""The page that lists what a corpus has: dialogues, events or objects, filtered and sorted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal

import msgspec
import numpy as np

from commonground.errors import find_named
from commonground.explorer.corpora import FoundDialogues, OpenCorpus, Sort
from commonground.explorer.pages.parts.columns import (
    Column,
    cut_bar,
    head_column,
    list_columns,
    measure_bars,
)
from commonground.explorer.pages.parts.paging import Paging, cut_page
from commonground.explorer.pages.parts.previews import preview_dialogues
from commonground.explorer.search.facets import Facet, is_constant
from commonground.explorer.search.highlights import Marked, mark_words
from commonground.explorer.search.histograms import Histogram, draw_histograms
from commonground.explorer.search.language import FIELDS, QUANTITY_NAMES, QueryField, write_term
from commonground.model import Object
from commonground.store.index.full_text import WordSequence
from commonground.store.index.summaries import DialogueCard

Tab = Literal["dialogues", "events", "objects"]
TABS: tuple[Tab, ...] = ("dialogues", "events", "objects")
SIZES: dict[Tab, int] = {"dialogues": 25, "events": 50, "objects": 48}
"""Items of a page."""

MOST_HITS = 3
"""Events that are shown of one dialogue."""

ROOM, LOW_ROOM = 240, 28
"""Characters of a text that a list shows, and one of low rows, which have a line each."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """An event that was found.

    Attributes:
        text: what was said; None for an action.
        name: what was done; None for an utterance.
        tone: number of the speaker's colour; None where labels say nothing of roles.
    """

    event: int
    speaker: str
    text: Marked | None
    name: str | None
    tone: int | None = None


class DialogueHit(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue that was found.

    Attributes:
        position: its place in the list, from 1.
        measures: its outcomes that are numbers.
        hits: the first events that were found in it, of ``n_hits``.
        preview: what it is about: the first text in it that says something.
        bars: length of the bar of each number, in percent of the corpus's highest.
        pictures: some of the objects with a picture in it.
    """

    position: int
    card: DialogueCard
    measures: dict[str, float]
    hits: list[Hit]
    n_hits: int
    preview: str = ""
    bars: dict[str, int] = {}
    pictures: list[Object] = []


class EventHit(msgspec.Struct, frozen=True, kw_only=True):
    """An event in the list of events, with its dialogue."""

    dialogue_id: str
    split: str | None
    hit: Hit


class ObjectHit(msgspec.Struct, frozen=True, kw_only=True):
    """An object in the list of objects.

    Attributes:
        kind: ``image``, ``item``, ...
        title: what a person would call it; None where the corpus does not say.
        uri: its picture; None where it has none.
        shown: dialogues of the selection that show it.
        pointed: events of the selection that point at it.
        query: the query for the dialogues with it.
        attributes: released facts about it, if any.
    """

    object_id: str
    kind: str
    title: str | None
    uri: str | None
    shown: int
    pointed: int
    query: str
    attributes: Any = None


class BrowsePage(msgspec.Struct, kw_only=True):
    """What there is of a corpus that a query asks for.

    Attributes:
        unit: what a dialogue of the corpus is called.
        facets: those that would narrow nothing are left out.
        histograms: numbers of the dialogues that were found, by field.
        head: the first column of a list of dialogues.
        columns: what it can have beside that.
        dense: whether its rows are as low as they can be.
        pictured: whether dialogues of the corpus have pictures.
        fields: the query language as this corpus has it.
        outcome_titles: what people call the outcomes, by name.
        dialogues, events, objects: those listed; empty on other tabs.
        asked_columns: names of the columns that the address asks for, with commas; empty for the
            usual ones.
    """

    corpus: str
    title: str
    unit: str
    tab: Tab
    tabs: list[Tab]
    query: str
    sort: str
    sorts: list[Sort]
    dialogues_found: int
    dialogues_all: int
    facets: list[Facet]
    histograms: dict[str, Histogram]
    head: Column
    columns: list[Column]
    dense: bool
    pictured: bool
    paging: Paging
    fields: list[QueryField]
    outcome_titles: dict[str, str]
    dialogues: list[DialogueHit] = []
    events: list[EventHit] = []
    objects: list[ObjectHit] = []
    asked_columns: str = ""

    @property
    def shown_columns(self) -> list[Column]:
        """The columns that the list has."""
        return [each for each in self.columns if each.shown]

    @property
    def look(self) -> dict[str, str]:
        """What addresses of further pages say of how the list looks."""
        density = "dense" if self.dense else ""
        return {"columns": self.asked_columns, "density": density}


def build_browse_page(
    opened: OpenCorpus,
    *,
    query: str = "",
    tab: str = "dialogues",
    sort: str = "",
    page: int = 1,
    columns: Sequence[str] = (),
    density: str = "",
) -> BrowsePage:
    """Lists what a query finds.

    Args:
        query: empty for all.
        tab: what is listed, one of :data:`TABS`.
        sort: of the dialogues; empty for the order of the files.
        page: from 1.
        columns: those of the list of dialogues; empty for the usual ones.
        density: ``dense`` for low rows.

    Raises:
        QueryError: the query is wrong.
        UsageError: there is no such tab, order, page or column.
    """
    chosen = find_named("tab", tab, {each: each for each in TABS})
    manifest = opened.entry.manifest
    selection = opened.select(query, sort)
    facets = [each for each in opened.count_facets(query) if each.values]
    # What all dialogues have may still narrow their events and objects.
    if chosen == "dialogues":
        found = len(selection.ordinals)
        facets = [each for each in facets if not is_constant(each, found)]
    made = BrowsePage(
        corpus=opened.name,
        title=manifest.title,
        unit=manifest.unit,
        tab=chosen,
        tabs=[each for each in TABS if each != "objects" or opened.index.blocks.object_ids],
        query=query,
        sort=sort,
        sorts=opened.sorts(),
        dialogues_found=len(selection.ordinals),
        dialogues_all=opened.searcher.n_dialogues,
        facets=facets,
        histograms={each.field: each for each in count_histograms(opened, selection, query)},
        head=head_column(manifest.unit, sort),
        columns=list_columns(opened, columns, sort),
        dense=density == "dense",
        pictured=bool(opened.thumbnails),
        # Filled in below, as each list is of another length.
        paging=cut_page(0, 1, 1),
        fields=list_fields(opened),
        outcome_titles=title_outcomes(opened),
        asked_columns=",".join(columns),
    )
    if chosen == "events":
        _fill_events(made, opened, page)
    else:
        fill = _fill_dialogues if chosen == "dialogues" else _fill_objects
        fill(made, opened, selection, page)
    return made


def count_histograms(opened: OpenCorpus, selection: FoundDialogues, query: str) -> list[Histogram]:
    """Counts the numbers of the dialogues that a query found, by field."""
    found = selection.found
    return opened.remember(
        ("histograms", query),
        lambda: draw_histograms(
            opened.index.postings.quantities,
            found.dialogues,
            query,
            found.terms,
            opened.entry.manifest.title_outcome,
        ),
    )


def list_fields(opened: OpenCorpus) -> list[QueryField]:
    """Returns the fields that a corpus has something in."""
    postings = opened.index.postings
    always = {"id", *QUANTITY_NAMES}
    kept = [
        field
        for field in FIELDS
        if field.name in always
        or (field.name in postings.fields and postings.fields[field.name].values)
        or (field.name == "figure" and opened.has_figures)
    ]
    measures = [
        QueryField(name, (), f"An outcome: {title}; ranges as for all numbers.", f"{name}:>=4")
        for name, title in title_outcomes(opened).items()
    ]
    return kept + measures


def title_outcomes(opened: OpenCorpus) -> dict[str, str]:
    """Returns what people call the outcomes that are numbers, by name."""
    title_outcome = opened.entry.manifest.title_outcome
    return {name: title_outcome(name) for name in opened.searcher.quantities}


def _fill_dialogues(
    made: BrowsePage, opened: OpenCorpus, selection: FoundDialogues, page: int
) -> None:
    made.paging = cut_page(len(selection.ordinals), page, SIZES["dialogues"])
    first = made.paging.first
    shown = made.paging.take(selection.ordinals)
    quantities = opened.index.postings.quantities
    names = opened.searcher.quantities
    cards = opened.index.digest.cards(shown)
    found = [_events_of(opened, selection, ordinal) for ordinal in shown]
    # All at once: reading a line of the digest costs as much as reading a hundred.
    wanted = [number for events in found for number in events[:MOST_HITS]]
    most = LOW_ROOM if made.dense else ROOM
    hits = iter(list_hits(opened, wanted, selection.found.words, most))
    previews = preview_dialogues(opened, shown)
    pictures = opened.thumbnails.choose(shown)
    bounds = measure_bars(opened)
    for place, (ordinal, card, events) in enumerate(zip(shown, cards, found, strict=True)):
        numbers = {name: float(quantities[name][ordinal]) for name in names}
        barred = {"events": card.n_events, "utterances": card.n_utterances, **numbers}
        made.dialogues.append(
            DialogueHit(
                position=first + place,
                card=card,
                # Only NaN, which stands for no number, differs from itself.
                measures={name: value for name, value in numbers.items() if value == value},
                # Hits of all dialogues stand in one row, and each takes its own from it.
                hits=list(islice(hits, len(events[:MOST_HITS]))),
                n_hits=len(events),
                preview=previews[place],
                bars={
                    name: cut_bar(value, bounds[name])
                    for name, value in barred.items()
                    if name in bounds and value == value
                },
                pictures=pictures[place],
            )
        )


def _events_of(opened: OpenCorpus, selection: FoundDialogues, ordinal: int) -> list[int]:
    hits = opened.searcher.hits_in(selection.found.terms, ordinal)
    found: list[int] = [] if hits is None else hits.tolist()
    return found


def list_hits(
    opened: OpenCorpus, numbers: list[int], words: list[WordSequence], most: int = ROOM
) -> list[Hit]:
    """Reads events for a list, and marks what was looked for.

    Args:
        numbers: of the events.
        most: characters of a text that are shown, around what was looked for.
    """
    if not numbers:
        return []
    lines = opened.index.digest.lines(numbers)
    return [
        Hit(
            event=opened.searcher.event_place(number)[1],
            speaker=line.speaker,
            text=None if line.text is None else mark_words(line.text, words, most),
            name=line.name,
            tone=opened.tones.get(line.speaker),
        )
        for number, line in zip(numbers, lines, strict=True)
    ]


def _fill_events(made: BrowsePage, opened: OpenCorpus, page: int) -> None:
    query = made.query
    found, numbers = opened.remember(
        ("events", query), lambda: opened.searcher.search_events(query)
    )
    made.paging = cut_page(len(numbers), page, SIZES["events"])
    shown = made.paging.take(numbers)
    ordinals = [opened.searcher.event_place(number)[0] for number in shown]
    cards = opened.index.digest.cards(ordinals)
    hits = list_hits(opened, shown, found.words)
    made.events = [
        EventHit(dialogue_id=card.dialogue_id, split=card.split, hit=hit)
        for card, hit in zip(cards, hits, strict=True)
    ]


def _fill_objects(
    made: BrowsePage, opened: OpenCorpus, selection: FoundDialogues, page: int
) -> None:
    shown, pointed = opened.remember(
        ("objects", made.query), lambda: _count_objects(opened, selection)
    )
    used = np.flatnonzero((shown > 0) | (pointed > 0))
    # The last key of `lexsort` counts most: shown, then pointed at, then in order of rows.
    order = used[np.lexsort((used, -pointed[used], -shown[used]))]
    made.paging = cut_page(len(order), page, SIZES["objects"])
    for row in made.paging.take(order):
        (found,) = opened.index.blocks.object_rows([row])
        made.objects.append(
            ObjectHit(
                object_id=found.object_id,
                kind=found.kind,
                title=found.title,
                uri=found.uri,
                shown=int(shown[row]),
                pointed=int(pointed[row]),
                query=write_term("object", found.object_id),
                attributes=found.attributes,
            )
        )


def _count_objects(opened: OpenCorpus, selection: FoundDialogues) -> tuple[np.ndarray, np.ndarray]:
    """Counts for each object the dialogues that show it and the events that point at it."""
    index = opened.index
    rows = {object_id: row for row, object_id in enumerate(index.blocks.object_ids)}
    dialogues = selection.found.dialogues
    counts = []
    for name in ("shown", "object"):
        field = index.postings.fields.get(name)
        count = np.zeros(len(rows), dtype=np.int64)
        for code, value in enumerate(field.values if field else ()):
            # An object that is pointed at and not described has no row, and is not listed.
            if field is None or value not in rows:
                continue
            numbers = index.postings.dialogues_of(field.numbers(code), field.level)
            count[rows[value]] = np.count_nonzero(dialogues[numbers])
        counts.append(count)
    return counts[0], counts[1]
