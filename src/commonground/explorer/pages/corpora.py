"""The first page: every corpus of the store, with what is in it and what is known of it."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import msgspec

from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.pages.figures import has_comparisons
from commonground.explorer.pages.findings import list_rules
from commonground.explorer.pages.parts.shapes import Shape, find_shape
from commonground.findings import SEVERITIES
from commonground.model import Object
from commonground.printing import sort_naturally
from commonground.store.findings import rules_of
from commonground.store.pictures import PictureFile

SAMPLES = 8
"""Pictures on a card."""


class FindingCount(msgspec.Struct, frozen=True):
    """How many places of one severity were found."""

    severity: str
    count: int


class ImageCoverage(msgspec.Struct, frozen=True):
    """How many objects have a picture.

    Attributes:
        named: objects that name a picture.
        there: those of them whose file is in the image folder.
    """

    named: int
    there: int


class CorpusCard(msgspec.Struct, frozen=True, kw_only=True):
    """A corpus as the first page shows it.

    Attributes:
        title: as its authors call it.
        unit: what a dialogue of the corpus is called.
        licence: licence of the data, as stated.
        terms: what to keep in mind.
        counts: rows per table.
        splits: dialogues per split; "" for those in none.
        checked: whether its rules were run at import.
        images: None where no object names a picture.
        imported_at: UTC.
        shape: how long its dialogues are, and how the talk goes in some; empty while the
            index is being made.
        samples: some of its pictures that are there, spread over all; empty where none is,
            and while the index is being made.
    """

    corpus: str
    title: str
    summary: str
    unit: str
    homepage: str
    licence: str
    terms: str
    counts: dict[str, int]
    splits: dict[str, int]
    checked: bool
    findings: list[FindingCount]
    images: ImageCoverage | None
    imported_at: datetime
    shape: Shape
    samples: list[Object] = []

    @property
    def dialogues(self) -> int:
        """How many dialogues it has."""
        return self.counts.get("dialogues", 0)


class CorporaPage(msgspec.Struct, frozen=True):
    """All corpora of the store, in order of name, and whether there is a page to compare them."""

    corpora: list[CorpusCard]
    compared: bool


def build_corpora_page(corpora: OpenCorpora) -> CorporaPage:
    """Describes every corpus, each once for its import: counts and coverage take time."""
    cards = [
        # Without an index a card is short, and made again as soon as that is there.
        each.remember("card", partial(_card, each))
        for each in corpora
    ]
    return CorporaPage(cards, has_comparisons(corpora))


def _card(opened: OpenCorpus) -> CorpusCard:
    about, imported = opened.entry.manifest, opened.corpus.manifest
    counts = imported.counts
    if opened.is_part:
        searcher = opened.searcher
        counts = {"dialogues": searcher.n_dialogues, "events": searcher.n_events}
    images, samples = _cover(opened)
    splits = opened.corpus.splits()
    return CorpusCard(
        corpus=opened.name,
        title=about.title,
        summary=about.summary,
        unit=about.unit,
        homepage=about.homepage,
        licence=about.licence,
        terms=about.terms,
        counts=counts,
        splits={name: splits[name] for name in sort_naturally(splits)},
        checked=imported.checked,
        findings=_count_findings(opened),
        images=images,
        imported_at=imported.imported_at,
        shape=find_shape(opened),
        samples=samples,
    )


def _count_findings(opened: OpenCorpus) -> list[FindingCount]:
    rules = rules_of([opened.name])
    found = opened.corpus.manifest.findings
    if opened.is_part:
        found = {each.code: each.count for each in list_rules(opened)}
    counts = dict.fromkeys(SEVERITIES, 0)
    for code, count in found.items():
        counts[rules[code].severity if code in rules else "warning"] += count
    return [FindingCount(severity, count) for severity, count in counts.items() if count]


def _cover(opened: OpenCorpus) -> tuple[ImageCoverage | None, list[Object]]:
    """Counts the pictures that are there, and chooses some of them."""
    named = opened.list_named_pictures()
    if not named:
        return None, []
    there = [each for each, uri in named if isinstance(opened.pictures.find(uri), PictureFile)]
    # Neighbours are often alike, as those of one domain are.
    places = [len(there) * number // SAMPLES for number in range(min(SAMPLES, len(there)))]
    chosen = [there[place] for place in places]
    samples = opened.index.blocks.objects(chosen)
    return ImageCoverage(len(named), len(there)), samples
