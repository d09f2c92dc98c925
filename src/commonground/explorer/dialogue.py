"""The way of a dialogue to its page.

``draw_indexed`` (for the server and the static site) or ``draw_stored`` (for a file that stands
alone) reads a dialogue; ``draw_dialogue`` makes data of it, with the view of its corpus; and
``render_dialogue`` or ``render_single`` makes HTML of those.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec
import numpy as np
from markupsafe import Markup, escape

from commonground.corpora import find_corpus
from commonground.errors import UsageError
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.links import NoLinks
from commonground.explorer.pages.dialogue import (
    DialoguePage,
    NativeRecord,
    Neighbours,
    build_dialogue_page,
)
from commonground.explorer.pages.parts import default_view
from commonground.explorer.rendering.environment import (
    STATIC,
    Shell,
    environment,
    find_view,
    render_page,
)
from commonground.explorer.results.showing import Answered
from commonground.findings import Finding
from commonground.model import Dialogue
from commonground.store.corpus import Corpus
from commonground.store.pictures import PictureFolder
from commonground.view import View

T = TypeVar("T", bound=msgspec.Struct)


class DrawnDialogue(msgspec.Struct, frozen=True):
    """A dialogue that is ready to be shown, with the view that its corpus makes of it."""

    page: DialoguePage
    view: View
    dialogue: Dialogue


def draw_indexed(
    opened: OpenCorpus, ordinal: int, *, query: str = "", sort: str = "", with_native: bool = True
) -> DrawnDialogue:
    """Reads a dialogue from the index of its corpus, and draws it.

    Args:
        query, sort: of the list that the reader came from.

    Raises:
        StoreError: the index cannot be read.
    """
    blocks = opened.index.blocks
    return draw_dialogue(
        opened.name,
        blocks.dialogue(ordinal),
        findings=blocks.findings(ordinal),
        native=list_native(opened, ordinal) if with_native else (),
        neighbours=find_neighbours(opened, ordinal, query, sort),
    )


def draw_stored(corpus: Corpus, dialogue_id: str) -> DrawnDialogue:
    """Reads a dialogue from the tables of its corpus, for which no index is made, and draws it.

    Raises:
        UsageError: there is none of that id.
    """

    def read(kind: type[T], table: str, order: str = "") -> list[T]:
        names = kind.__struct_fields__
        query = f"SELECT {', '.join(names)} FROM {table} WHERE corpus = ? AND dialogue_id = ?"
        rows = corpus.rows(f"{query} {order}", [corpus.name, dialogue_id])
        return [kind(**dict(zip(names, row, strict=True))) for row in rows]

    return draw_dialogue(
        corpus.name,
        corpus.dialogue(dialogue_id),
        findings=read(Finding, "findings", "ORDER BY event NULLS FIRST, code"),
        native=read(NativeRecord, "native"),
    )


def draw_dialogue(
    corpus: str,
    dialogue: Dialogue,
    *,
    findings: Iterable[Finding] = (),
    native: Sequence[NativeRecord] = (),
    neighbours: Neighbours | None = None,
) -> DrawnDialogue:
    """Gathers what the page of a dialogue shows.

    Args:
        native: its released records; may be left out where they can be fetched.
    """
    manifest = find_corpus(corpus).manifest
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
    return DrawnDialogue(page, view, dialogue)


def build_view(corpus: str, dialogue: Dialogue) -> View:
    """Calls the corpus's ``view/page.py``, or makes the default view where it has none."""
    module = find_corpus(corpus).view_module("page") or default_view
    view: View = module.build_view(dialogue)
    return view


def find_neighbours(opened: OpenCorpus, ordinal: int, query: str, sort: str) -> Neighbours:
    """Returns the place of a dialogue in the list that a query gives.

    A query or an order that is wrong is left out: the dialogue is there all the same.

    Args:
        query: empty for all.
        sort: empty for the order of the files.
    """
    try:
        selected = opened.select(query, sort)
    except UsageError:
        query, sort, selected = "", "", opened.select("")
    ordinals = selected.ordinals
    words = [" ".join(each.words) + "*" * each.prefix for each in selected.found.words]
    # The reader may have come by a link, with a query that does not find this dialogue.
    found = np.flatnonzero(ordinals == ordinal)
    if not len(found):
        return Neighbours(query=query, sort=sort, words=words, total=len(ordinals))
    place = int(found[0])
    ids = opened.index.blocks.ids
    return Neighbours(
        query=query,
        sort=sort,
        words=words,
        position=place + 1,
        total=len(ordinals),
        previous=ids[ordinals[place - 1]] if place else None,
        next=ids[ordinals[place + 1]] if place + 1 < len(ordinals) else None,
    )


def list_native(opened: OpenCorpus, ordinal: int) -> list[NativeRecord]:
    """Returns the released records of a dialogue."""
    columns = opened.index.blocks.rows("native", ordinal)
    names = NativeRecord.__struct_fields__
    rows = zip(*(columns[name] for name in names), strict=True)
    return [NativeRecord(**dict(zip(names, row, strict=True))) for row in rows]


def render_dialogue(
    drawn: DrawnDialogue,
    shell: Shell,
    *,
    native_href: str | None = None,
    answered: Answered | None = None,
    **values: Any,
) -> str:
    """Renders the page of a dialogue.

    Args:
        native_href: address of its released records; None where there is none.
        answered: what was predicted in it, to be marked in the talk; None for nothing.
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
        answered=answered,
        own_blocks=environment().get_template(template).blocks,
        **{"layout": "base.html", **values},
    )


# ` id="e5"` and ` href="#e5"`, but not `href="#"`, which leads to the top of any page.
_ANCHORS = re.compile(r' (id="|href="#)(?=[^"])')


def render_talk(drawn: DrawnDialogue, shell: Shell, side: str) -> Markup:
    """Renders the talk of a dialogue for a page of several; its links lead to its own page.

    Args:
        side: what tells its ids from those of the others.
    """
    address = escape(shell.links.dialogue(drawn.page.corpus, drawn.page.dialogue_id))
    own = {' id="': f' id="{side}-', ' href="#': f' href="{address}#'}
    html = render_dialogue(drawn, shell, layout="talk.html")
    # Words of data hold no quotation marks that are not escaped, so these are our own attributes.
    return Markup(_ANCHORS.sub(lambda found: own[found[0]], html))  # noqa: S704


def render_single(drawn: DrawnDialogue, pictures: PictureFolder, terms: Sequence[str] = ()) -> str:
    """Renders a dialogue as one file: styles, script, pictures and records are in it.

    Args:
        terms: lines that say its licence and terms, for whoever gets the page.
    """
    name = drawn.page.corpus
    shell = Shell(links=NoLinks(), corpus=name, pictures={name: pictures}, kind="single")
    records = drawn.page.native
    href = None
    if records:
        data = join_native(records, ",\n")
        href = "data:application/json;base64," + base64.b64encode(data.encode()).decode()
    return render_dialogue(drawn, shell, native_href=href, alone=_gather(name, terms))


def join_native(records: Sequence[NativeRecord], comma: str) -> str:
    """Writes released records as one JSON text: a single one as it is, several as a list."""
    texts = [each.json for each in records]
    return texts[0] if len(texts) == 1 else f"[{comma.join(texts)}]"


def _gather(corpus: str, terms: Sequence[str]) -> dict[str, Any]:
    """Gathers what stands in a page that needs no other file, instead of beside it."""
    sheets = [STATIC / "base.css", STATIC / "dialogue.css"]
    own = find_view(corpus, "page.css")
    if own is not None:
        sheets.append(own)
    style = "".join(each.read_text(encoding="utf-8") for each in sheets)
    script = "".join(
        (STATIC / name).read_text(encoding="utf-8") for name in ("words.js", "explorer.js")
    )
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    # Both are files of this package or of the corpus's own folder, no text of any data.
    own_files = {"style": Markup(style), "script": Markup(script)}  # noqa: S704
    return {"policy": policy, **own_files, "terms": terms}


def _hash(text: str) -> str:
    # A policy that names the hash lets this one script run inside the page, and no other.
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
