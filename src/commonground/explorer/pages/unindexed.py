"""The dialogues of a corpus as they can be listed before its index is made."""

from __future__ import annotations

import msgspec

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.parts.paging import Paging, cut_page

SIZE = 50
"""Dialogues of a page."""

_ROWS = (
    "SELECT dialogue_id, split, domain, n_events FROM dialogues "
    "WHERE corpus = ? AND list_contains(?, dialogue_id)"
)


class PlainCard(msgspec.Struct, frozen=True):
    """What the tables say of a dialogue.

    Attributes:
        dialogue_id: unique in the corpus.
        split: as released; None where it has none.
        domain: as released; None where it has none.
        n_events: utterances and actions of all speakers.
    """

    dialogue_id: str
    split: str | None
    domain: str | None
    n_events: int


class UnindexedPage(msgspec.Struct, frozen=True, kw_only=True):
    """Dialogues in the order of the files, and what was asked that only an index can answer.

    Attributes:
        corpus: name of the corpus.
        title: its title.
        unit: what a dialogue is called there.
        query: what is to be found once the index is there.
        dialogues: those of this page.
        paging: which part of the list this is.
    """

    corpus: str
    title: str
    unit: str
    query: str
    dialogues: list[PlainCard]
    paging: Paging


def build_unindexed_page(opened: OpenCorpus, *, query: str = "", page: int = 1) -> UnindexedPage:
    """Lists dialogues without an index.

    Args:
        opened: the corpus.
        query: what the reader asks for; it waits.
        page: number of the page, from 1.

    Raises:
        UsageError: there is no such page.
    """
    manifest = opened.entry.manifest
    ids = opened.corpus.ids()
    paging = cut_page(len(ids), page, SIZE)
    shown = ids[max(paging.first - 1, 0) : paging.last]
    cards = {row[0]: PlainCard(*row) for row in opened.corpus.rows(_ROWS, [opened.name, shown])}
    return UnindexedPage(
        corpus=opened.name,
        title=manifest.title,
        unit=manifest.unit,
        query=query,
        # SQL gives the rows in any order; the page has that of the files.
        dialogues=[cards[each] for each in shown],
        paging=paging,
    )
