"""The Jinja environment of the site: one for all pages, with the globals of their templates.

Everything that comes from data is escaped; no template uses ``safe``. A page is rendered with
its :class:`Shell`, from which the globals know how to write addresses and find pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import jinja2
import msgspec
from markupsafe import Markup, escape

from commonground.corpora import get_corpus
from commonground.errors import UsageError
from commonground.site.embedding import EmbeddedPictures
from commonground.site.images import Missing, PictureFile, PictureFolder
from commonground.site.links import Links, Page
from commonground.site.marking import render_marked
from commonground.site.rows import start_row
from commonground.site.spans import render_spans
from commonground.stats.views import show_cell

HERE = Path(__file__).parent
STATIC = HERE / "static"
SIZES = {"s": (96, 72), "m": (160, 120), "l": (320, 240)}
"""Boxes, in pixels, that pictures are fitted into."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class Shell(msgspec.Struct, kw_only=True):
    """What every page needs beside its own data.

    Attributes:
        links: how addresses are written.
        corpora: names of the corpora, for the tabs.
        corpus: corpus of the page; null for pages of none.
        pictures: image folders by corpus.
        query: query of the reader, for the search box.
        twin: address of the page as JSON; null where it has none.
        kind: ``server``, ``files`` (static site) or ``single`` (one file).
        sections: further pages of the corpus that exist.
        embedded: pictures that are in the page itself, where it is a single file.
        drawn: pictures that this page has shown, since a page shows some of them often.
    """

    links: Links
    corpora: list[str] = []
    corpus: str | None = None
    pictures: Mapping[str, PictureFolder] = {}
    query: str = ""
    twin: str | None = None
    kind: Literal["server", "files", "single"] = "server"
    sections: tuple[str, ...] = ("browse", "findings")
    embedded: EmbeddedPictures = msgspec.field(default_factory=EmbeddedPictures)
    drawn: dict[tuple[str, ...], Markup] = msgspec.field(default_factory=dict)


def render_page(template: str, shell: Shell, **values: Any) -> str:
    """Renders a template.

    Args:
        template: ``browse.html``, or ``<corpus>/view.html`` for a file of the corpus's folder.
        shell: what every page needs.
        values: what this one needs, such as ``page``.
    """
    return environment().get_template(template).render(shell=shell, **values)


@cache
def environment() -> jinja2.Environment:
    """Returns the environment, made once."""
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.FileSystemLoader(HERE / "templates"),
                jinja2.FunctionLoader(_load_corpus_template),
            ]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    made.globals.update(
        url=_url,
        dialogue_url=_dialogue_url,
        static_url=_static_url,
        style_url=_style_url,
        picture=_picture,
        text_with_spans=text_with_spans,
        start_row=start_row,
        marked=render_marked,
        show_cell=show_cell,
        compact=compact,
        seconds=seconds,
        web_link=web_link,
        csp_files=CONTENT_SECURITY_POLICY.partition("; frame-ancestors")[0],
    )
    made.filters["compact"] = compact
    made.filters["seconds"] = seconds
    made.filters["pretty"] = lambda value: json.dumps(value, ensure_ascii=False, indent=1)
    made.filters["precise"] = lambda number: f"{number:,.7g}"
    made.filters["thousands"] = lambda number: f"{number:,}"
    return made


def _load_corpus_template(name: str) -> str | None:
    corpus, slash, file = name.partition("/")
    if not slash or "/" in file or not file.endswith(".html"):
        return None
    try:
        return (get_corpus(corpus).folder / file).read_text(encoding="utf-8")
    except (UsageError, FileNotFoundError):
        return None


def has_file(corpus: str, name: str) -> bool:
    """Tells whether a corpus's folder has a file such as ``view.html``."""
    return (get_corpus(corpus).folder / name).is_file()


def _shell(context: jinja2.runtime.Context) -> Shell:
    shell = context["shell"]
    assert isinstance(shell, Shell)  # noqa: S101 - render_page gives it
    return shell


@jinja2.pass_context
def _url(
    context: jinja2.runtime.Context, page: Page, corpus: str | None = None, /, **parameters: object
) -> str:
    return _shell(context).links.page(page, corpus, **parameters)


@jinja2.pass_context
def _dialogue_url(
    context: jinja2.runtime.Context,
    corpus: str,
    dialogue_id: str,
    event: int | None = None,
    **parameters: object,
) -> str:
    return _shell(context).links.dialogue(corpus, dialogue_id, event, **parameters)


@jinja2.pass_context
def _static_url(context: jinja2.runtime.Context, name: str) -> str:
    return _shell(context).links.static(name)


@jinja2.pass_context
def _style_url(context: jinja2.runtime.Context, corpus: str) -> str:
    return _shell(context).links.style(corpus)


@jinja2.pass_context
def _picture(
    context: jinja2.runtime.Context,
    shown: Any,
    size: Literal["s", "m", "l"] = "m",
    marks: Iterable[str] = (),
    corpus: str | None = None,
) -> Markup:
    """Writes the picture of an object, or a placeholder of the same size with id and reason.

    Args:
        context: of the template.
        shown: an object with ``object_id``, ``title`` and ``uri``.
        size: key of :data:`SIZES`.
        marks: words that become classes ``mark-<word>`` of the frame around it.
        corpus: its corpus; null for that of the page.
    """
    shell = _shell(context)
    name = corpus or shell.corpus or ""
    marks = tuple(marks)
    key = (name, shown.object_id, size, *marks)
    if key not in shell.drawn:
        shell.drawn[key] = _draw_picture(shell, name, shown, size, marks)
    return shell.drawn[key]


def _draw_picture(
    shell: Shell, name: str, shown: Any, size: Literal["s", "m", "l"], marks: Iterable[str]
) -> Markup:
    folder = shell.pictures.get(name) or PictureFolder(None)
    found = folder.find(shown.uri)
    classes = " ".join([f"pic pic-{size}", *(f"mark-{mark}" for mark in marks)])
    opened = Markup('<span class="{}" data-object="{}">').format(classes, shown.object_id)
    inside = (
        _placeholder(shown, found)
        if isinstance(found, Missing)
        else _img(shell, folder, found, shown, name, SIZES[size])
    )
    return opened + inside + Markup("</span>")


def _img(
    shell: Shell,
    folder: PictureFolder,
    file: PictureFile,
    shown: Any,
    corpus: str,
    box: tuple[int, int],
) -> Markup:
    width, height = folder.size(file)
    scale = min(box[0] / width, box[1] / height)
    if shell.kind == "single":
        title = shown.title or shown.object_id
        return shell.embedded.show(file, (width, height), title)
    source = shell.links.picture(corpus, file.name)
    return Markup('<img src="{}" alt="{}" width="{}" height="{}" loading="lazy">').format(
        source,
        shown.title or shown.object_id,
        max(1, round(width * scale)),
        max(1, round(height * scale)),
    )


def _placeholder(shown: Any, missing: Missing) -> Markup:
    return Markup(
        '<span class="pic-none" role="img" aria-label="{0}: {1}">'
        '<bdi class="pic-id">{0}</bdi><span class="pic-why">{1}</span></span>'
    ).format(shown.title or shown.object_id, missing.reason)


def text_with_spans(row: Any) -> Markup:
    """Writes the text of a row with its spans; see :func:`render_spans`."""
    return render_spans(row.text or "", row.spans)


def compact(number: float | None) -> str:
    """Writes a number in few characters: ``9,876``, ``29.4k``, ``1.2M``; a dash for null."""
    if number is None:
        return "–"
    for limit, unit in ((1_000_000, "M"), (1_000, "k")):
        if abs(number) >= max(limit, 10_000):
            short = f"{number / limit:.1f}".removesuffix(".0")
            return short + unit
    return f"{number:,.6g}" if isinstance(number, float) else f"{number:,}"


def seconds(value: float | None) -> str:
    """Writes seconds as ``m:ss``, or ``h:mm:ss`` from an hour on; nothing for null."""
    if value is None:
        return ""
    minutes, rest = divmod(int(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def web_link(text: str | None) -> Markup:
    """Writes an address from data: a link if it is http or https, else plain text."""
    if text and text.lower().startswith(("http://", "https://")):
        return Markup('<a href="{0}" rel="noreferrer nofollow external">{0}</a>').format(text)
    return escape(text or "")
