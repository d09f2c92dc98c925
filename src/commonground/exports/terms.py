"""Licence and terms of what is handed on: the file that says them, and which data may not be.

What a corpus says of itself stands in its ``corpus.toml`` and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from commonground.corpora import Manifest
from commonground.exports.files import render_text
from commonground.exports.selection import Selection
from commonground.printing import count_of

TERMS_NAME = "LICENCE-AND-TERMS.md"

_REDISTRIBUTION = {
    "allowed": "allowed, under the licence and the terms above.",
    "barred": "**barred**. Do not pass on this folder, or any part of the data in it.",
    "yours": "yours to decide, with those who wrote the messages.",
    "not stated": "not stated. Ask the authors before you pass on this folder.",
}


class Licensed(msgspec.Struct, frozen=True, kw_only=True):
    """What is handed on of one corpus.

    Dialogues that are ``simulated`` were invented, so that no terms bind them.
    """

    about: Manifest
    dialogues: int
    simulated: bool

    @property
    def is_barred(self) -> bool:
        """Whether its terms bar passing it on."""
        return self.about.redistribution == "barred" and not self.simulated


def list_licensed(selection: Selection) -> list[Licensed]:
    """Returns what a selection hands on of each of its corpora."""
    return [
        Licensed(
            about=about,
            dialogues=len(selection.ids(name)),
            simulated=selection.store.manifests[name].simulated,
        )
        for name, about in selection.manifests.items()
    ]


def state_terms(corpora: Iterable[Licensed]) -> list[str]:
    """Returns a line for each corpus with its licence and terms; none for invented dialogues."""
    return [
        f"Licence of {each.about.title}: {each.about.licence}. {each.about.terms}"
        for each in corpora
        if not each.simulated
    ]


def list_terms(licensed: Licensed) -> list[str]:
    """Returns the lines that a single page says of its corpus; one where it was invented."""
    about = licensed.about
    if licensed.simulated:
        return [f"commonground invented this in the format of {about.title}: no terms bind you."]
    return [about.title, *_list_facts(about)]


def _list_facts(about: Manifest) -> list[str]:
    source = [f"From: {about.homepage}"] if about.homepage else []
    return [*source, f"Licence: {about.licence}", f"Terms: {about.terms}"]


def write_terms(folder: Path, corpora: Sequence[Licensed], losses: str = "") -> None:
    """Writes the file that goes with the data.

    ``losses`` is the name of the file beside it that lists what was left out; empty for none.
    """
    text = render_text(
        "terms.md",
        corpora=corpora,
        losses=losses,
        count_of=count_of,
        list_facts=_list_facts,
        redistribution=_REDISTRIBUTION,
    )
    (folder / TERMS_NAME).write_text(text, encoding="utf-8", newline="")
