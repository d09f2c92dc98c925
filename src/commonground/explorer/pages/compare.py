"""Two dialogues side by side: what is known of each, and which objects both have."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonground.explorer.pages.dialogue import DialoguePage
from commonground.model import Object

SIDES = 2
"""Dialogues that are compared."""

MOST_SHARED = 24
"""Objects of both that are listed."""


class Fact(msgspec.Struct, frozen=True):
    """What is known of each dialogue under one name.

    Attributes:
        values: one for each dialogue; None where one does not have it.
    """

    name: str
    values: list[str | None]
    differs: bool


class ComparePage(msgspec.Struct, frozen=True, kw_only=True):
    """Dialogues beside each other.

    Attributes:
        unit: what a dialogue of the corpus is called.
        dialogues: their ids, from left to right.
        shared: the first objects that both have.
        n_shared: how many they are in all.
    """

    corpus: str
    title: str
    unit: str
    dialogues: list[str]
    facts: list[Fact] = []
    shared: list[Object] = []
    n_shared: int = 0


def build_compare_page(
    corpus: str, title: str, unit: str, pages: Sequence[DialoguePage]
) -> ComparePage:
    """Compares dialogues of one corpus: fewer than two where the reader has yet to choose."""
    shared = _share(pages) if len(pages) == SIDES else []
    return ComparePage(
        corpus=corpus,
        title=title,
        unit=unit,
        dialogues=[each.dialogue_id for each in pages],
        facts=_list_facts(pages) if pages else [],
        shared=shared[:MOST_SHARED],
        n_shared=len(shared),
    )


def _share(pages: Sequence[DialoguePage]) -> list[Object]:
    first, *rest = (page.objects for page in pages)
    both = [each for key, each in first.items() if all(key in other for other in rest)]
    # Those with a picture first: the others are names only.
    return sorted(both, key=lambda each: each.uri is None)


def _list_facts(pages: Sequence[DialoguePage]) -> list[Fact]:
    found: dict[str, list[str | None]] = {}
    for place, page in enumerate(pages):
        for name, value in _facts_of(page).items():
            found.setdefault(name, [None] * len(pages))[place] = value
    return [Fact(name, values, len(set(values)) > 1) for name, values in found.items()]


def _facts_of(page: DialoguePage) -> dict[str, str]:
    """Returns what is known of a whole dialogue, by name; outcomes of speakers come after it."""
    facts = {"split": page.split, "domain": page.domain}
    if page.started_at is not None:
        facts["began"] = f"{page.started_at:%Y-%m-%d %H:%M}"
    if page.duration_s is not None:
        minutes, rest = divmod(round(page.duration_s), 60)
        facts["lasted"] = f"{minutes}:{rest:02}"
    said = [row.text for row in page.rows if row.text is not None]
    facts["events"] = f"{len(page.rows):,}"
    facts["utterances"] = f"{len(said):,}"
    facts["words"] = f"{sum(len(text.split()) for text in said):,}"
    for line in page.speakers:
        if line.agent_id not in (None, line.speaker):
            facts[line.speaker] = f"no. {line.agent_id}"
    # Of a part comes once for each; their sum is the dialogue's.
    sums: dict[str, float] = {}
    for each in page.outcomes:
        if each.value is not None:
            name = page.outcome_titles.get(each.name, each.name)
            key = f"{name}, {each.speaker}" if each.speaker is not None else name
            sums[key] = sums.get(key, 0) + each.value
    return {key: text for key, text in facts.items() if text is not None} | {
        key: f"{value:g}" for key, value in sums.items()
    }
