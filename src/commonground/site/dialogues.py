"""From a stored dialogue to its page: view, page data, HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from commonground.corpora import get_corpus
from commonground.findings import Finding
from commonground.model import Dialogue
from commonground.site import default_view
from commonground.site.pages.dialogue import (
    DialoguePage,
    NativeRecord,
    Neighbours,
)
from commonground.site.pages.dialogue_rows import build_dialogue_page
from commonground.site.rendering import Shell, environment, find_view, render_page
from commonground.store.corpus import Corpus
from commonground.view import View

_FINDINGS = (
    "SELECT code, severity, message, source_file, source_path, dialogue_id, event, expected, found "
    "FROM findings WHERE corpus = ? AND dialogue_id = ? ORDER BY event NULLS FIRST, code"
)
_NATIVE = (
    "SELECT format, source_file, source_path, json FROM native WHERE corpus = ? AND dialogue_id = ?"
)


class Drawn(msgspec.Struct, frozen=True):
    """A dialogue that is ready to be shown.

    Attributes:
        page: what its page says.
        view: what its corpus adds.
        dialogue: the dialogue itself.
    """

    page: DialoguePage
    view: View
    dialogue: Dialogue


def build_view(corpus: str, dialogue: Dialogue) -> View:
    """Calls the corpus's ``view/page.py``, or makes the default view where it has none."""
    if find_view(corpus, "page.py") is None:
        return default_view.build_view(dialogue)
    made: View = get_corpus(corpus).module("view/page").build_view(dialogue)
    return made


def draw_dialogue(
    corpus: str,
    dialogue: Dialogue,
    *,
    findings: Iterable[Finding] = (),
    native: Sequence[NativeRecord] = (),
    neighbours: Neighbours | None = None,
) -> Drawn:
    """Gathers what the page of a dialogue shows.

    Args:
        corpus: name of its corpus.
        dialogue: the dialogue.
        findings: its findings.
        native: its released records; may be left out where they can be fetched.
        neighbours: its place in the list that the reader came from.
    """
    manifest = get_corpus(corpus).manifest
    view = build_view(corpus, dialogue)
    page = build_dialogue_page(
        dialogue,
        view,
        corpus=corpus,
        title=manifest.title,
        unit=manifest.unit,
        title_outcome=manifest.title_outcome,
        findings=findings,
        native=native,
        neighbours=neighbours,
    )
    return Drawn(page, view, dialogue)


def load_drawn(corpus: Corpus, dialogue_id: str) -> Drawn:
    """Loads a dialogue with its findings and released records from the tables.

    Raises:
        UsageError: there is none of that id.
    """
    key = [corpus.name, dialogue_id]
    names = Finding.__struct_fields__
    return draw_dialogue(
        corpus.name,
        corpus.dialogue(dialogue_id),
        findings=[
            Finding(**dict(zip(names, row, strict=True))) for row in corpus.rows(_FINDINGS, key)
        ],
        native=[
            NativeRecord(format=row[0], source_file=row[1], source_path=row[2], json=row[3])
            for row in corpus.rows(_NATIVE, key)
        ],
    )


def render_dialogue(
    drawn: Drawn, shell: Shell, *, native_href: str | None = None, **values: Any
) -> str:
    """Renders the page of a dialogue.

    Args:
        drawn: the dialogue.
        shell: what every page needs.
        native_href: address of its released records; null where there is none.
        values: what the template needs besides.
    """
    name = drawn.page.corpus
    template = f"{name}/page.html" if find_view(name, "page.html") else "default_view.html"
    return render_page(
        template,
        shell,
        page=drawn.page,
        view=drawn.view,
        dialogue=drawn.dialogue,
        has_style=find_view(name, "page.css") is not None,
        native_href=native_href,
        own_blocks=environment().get_template(template).blocks,
        **values,
    )
