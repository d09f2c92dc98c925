"""The page that looks for something in all corpora at once."""

from __future__ import annotations

from functools import partial

import msgspec
import numpy as np

from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.pages.browse import Hit, list_hits
from commonground.explorer.search.language import QueryError

EXAMPLES = 3
"""Events that are shown of each corpus."""


class FoundEvent(msgspec.Struct, frozen=True):
    """An event that was found, with its dialogue."""

    dialogue_id: str
    hit: Hit


class CorpusFound(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one corpus.

    Attributes:
        unit: what a dialogue of the corpus is called.
        dialogues: how many were found; None where the query does not fit the corpus.
        of: how many there are.
        events: how many events the query speaks of were found; None where it speaks of none.
        examples: the first of them.
        problem: why the query does not fit; None where it does.
    """

    corpus: str
    title: str
    unit: str
    dialogues: int | None
    of: int
    events: int | None = None
    examples: list[FoundEvent] = []
    problem: str | None = None


class SearchPage(msgspec.Struct, frozen=True):
    """What a query finds, corpus by corpus, most dialogues first.

    Attributes:
        found: dialogues in all corpora together.
    """

    query: str
    found: int
    corpora: list[CorpusFound]


def build_search_page(corpora: OpenCorpora, *, query: str = "") -> SearchPage:
    """Asks every corpus.

    Args:
        query: a field that one corpus lacks is no fault in another.

    Raises:
        QueryError: the query fits no corpus at all.
    """
    answers = [(each, _ask(each, query)) for each in corpora]
    errors = [answer for _, answer in answers if isinstance(answer, QueryError)]
    if errors and len(errors) == len(answers):
        raise errors[0]
    found = [_explain(opened, answer) for opened, answer in answers]
    # Corpora that the query does not fit come last, after those in which it finds nothing.
    found.sort(key=lambda each: -1 if each.dialogues is None else each.dialogues, reverse=True)
    return SearchPage(query, sum(each.dialogues or 0 for each in found), found)


def _ask(opened: OpenCorpus, query: str) -> CorpusFound | QueryError:
    try:
        return opened.remember(("everywhere", query), partial(_find, opened, query))
    except QueryError as error:
        return error


def _explain(opened: OpenCorpus, answer: CorpusFound | QueryError) -> CorpusFound:
    if isinstance(answer, CorpusFound):
        return answer
    return CorpusFound(
        corpus=opened.name,
        title=opened.entry.manifest.title,
        unit=opened.entry.manifest.unit,
        dialogues=None,
        of=opened.searcher.n_dialogues,
        problem=str(answer.args[0]),
    )


def _find(opened: OpenCorpus, query: str) -> CorpusFound:
    selection = opened.select(query)
    events = opened.searcher.hit_events(selection.found.terms) if query else None
    shown, count = [], 0
    if events is not None:
        # Only those of dialogues in which all of it is found.
        lengths = np.diff(opened.index.postings.event_starts)
        found = np.repeat(selection.found.dialogues, lengths)[events]
        count = int(np.count_nonzero(found))
        shown = events[np.flatnonzero(found)[:EXAMPLES]].tolist()
    ids = opened.index.blocks.ids
    hits = list_hits(opened, shown, selection.found.words)
    places = [opened.searcher.event_place(each)[0] for each in shown]
    return CorpusFound(
        corpus=opened.name,
        title=opened.entry.manifest.title,
        unit=opened.entry.manifest.unit,
        dialogues=len(selection.ordinals),
        of=opened.searcher.n_dialogues,
        events=None if events is None else count,
        examples=[FoundEvent(ids[o], hit) for o, hit in zip(places, hits, strict=True)],
    )
