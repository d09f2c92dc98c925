"""The Jinja environment of the site: one for all pages, with the filters of their templates.

Everything that comes from data is escaped; no template uses ``safe``. A page is rendered with
its :class:`Shell`, from which they know how to write addresses and find pictures.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import jinja2
import msgspec
from markupsafe import Markup, escape

from commonground.corpora import find_corpus
from commonground.errors import UsageError
from commonground.explorer.links import Links
from commonground.explorer.pages.parts.shapes import draw_lengths, draw_talks
from commonground.explorer.rendering.colours import corpus_hue
from commonground.explorer.rendering.fragments import (
    beside,
    breakable,
    compact,
    measured,
    precise,
    pretty,
    render_marked,
    sensible,
    start_row,
    thousands,
    web_link,
    with_spans,
)
from commonground.explorer.rendering.lists import draw_cells, draw_histogram, filter_address
from commonground.explorer.rendering.sketches import draw_sketch, find_sketch, list_facts
from commonground.explorer.web.addresses import encode_id
from commonground.explorer.web.headers import page_headers
from commonground.explorer.web.templates import make_environment, plain_text
from commonground.figure import FigureColumn
from commonground.figures.views import show_cell
from commonground.printing import write_clock
from commonground.store.pictures import Missing, PictureFile, PictureFolder

HERE = Path(__file__).parents[1]
STATIC = HERE / "static"
SIZES = {"s": (96, 72), "m": (160, 120), "l": (320, 240)}
"""Boxes, in pixels, that pictures are fitted into."""


class EmbeddedPictures:
    """The pictures of a page that stands alone: each is in it once, however often it is shown.

    Their data are written at the end of the page.
    """

    def __init__(self) -> None:
        # Numbers as ids: names of files may hold what ids cannot.
        self._shown: dict[str, tuple[int, PictureFile, tuple[int, int]]] = {}

    def show(self, file: PictureFile, size: tuple[int, int], title: str) -> Markup:
        """Writes a reference to a picture.

        Args:
            size: width and height in pixels.
            title: what to say to those who do not see it.
        """
        number, *_ = self._shown.setdefault(file.name, (len(self._shown), file, size))
        return Markup(
            '<svg class="pic-in" role="img" aria-label="{}" viewBox="0 0 {} {}">'
            '<use href="#picture-{}"/></svg>'
        ).format(title, *size, number)

    def write(self) -> Markup:
        """Writes the data of every picture shown; nothing where there is none."""
        images = [
            Markup('<image id="picture-{}" width="{}" height="{}" href="{}"/>').format(
                number, *size, _data_url(file)
            )
            for number, file, size in self._shown.values()
        ]
        if not images:
            return Markup()
        opened = Markup('<svg class="hidden" width="0" height="0" aria-hidden="true"><defs>')
        return opened + Markup().join(images) + Markup("</defs></svg>")


def _data_url(file: PictureFile) -> str:
    data = base64.b64encode(file.path.read_bytes()).decode()
    return f"data:{file.media_type};base64,{data}"


class Shell(msgspec.Struct, kw_only=True):
    """What every page needs beside its own data.

    Attributes:
        corpora: names, for the tabs.
        corpus: None for pages of no corpus.
        pictures: image folders by corpus.
        query: query of the reader, for the search box.
        twin: address of the page as JSON; None where it has none.
        kind: ``server``, ``files`` (static site) or ``single`` (one file).
        sections: titles of the further pages of the corpus that exist, by name.
        can_keep: whether a reader can keep stars and notes, and take lists along.
        data: address of the folder with the data of the search; None where a server searches.
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
    sections: Mapping[str, str] = {}
    data: str | None = None
    has_results: bool = False
    can_keep: bool = True
    embedded: EmbeddedPictures = msgspec.field(default_factory=EmbeddedPictures)
    drawn: dict[tuple[str, ...], Markup] = msgspec.field(default_factory=dict)


def render_page(template: str, shell: Shell, **values: Any) -> str:
    """Renders a template.

    Args:
        template: ``browse.html``, or ``<corpus>/page.html`` for one of a corpus's ``view``.
    """
    links = shell.links
    return (
        environment()
        .get_template(template)
        .render(
            shell=shell,
            url=links.page,
            dialogue_url=links.dialogue,
            static_url=links.static,
            style_url=links.style,
            **values,
        )
    )


@cache
def environment() -> jinja2.Environment:
    """Returns the environment, made once."""
    own = jinja2.FileSystemLoader(HERE / "templates")
    made = make_environment(
        jinja2.ChoiceLoader([own, jinja2.FunctionLoader(_load_corpus_template)])
    )
    # Pages of files say it themselves; who may frame them, only a header can say.
    policy = page_headers()["content-security-policy"]
    made.globals["csp_files"] = policy.partition("; frame-ancestors")[0]
    # What is drawn often is a filter: Jinja calls those at half the cost of functions.
    made.filters.update(
        picture=_picture,
        facts_of=_facts_of,
        measured=measured,
        start_row=start_row,
        with_spans=with_spans,
        marked=render_marked,
        plain_text=plain_text,
        show_cell=_show_cell,
        beside=beside,
        compact=compact,
        seconds=write_clock,
        precise=precise,
        thousands=thousands,
        pretty=pretty,
        web_link=web_link,
        hue=corpus_hue,
        encoded=encode_id,
        cells=draw_cells,
        histogram=draw_histogram,
        filtered=filter_address,
        breakable=breakable,
        draw_lengths=draw_lengths,
        draw_talks=draw_talks,
    )
    return made


def _show_cell(cell: Any, column: FigureColumn) -> str:
    """Writes a cell of a figure; its JSON and CSV have all digits."""
    if isinstance(cell, float) and column.digits is None:
        return sensible(cell)
    return show_cell(column, cell)


def _load_corpus_template(name: str) -> str | None:
    corpus, slash, file = name.partition("/")
    # No path may lead out of the corpus's folder.
    if not slash or "/" in file or not file.endswith(".html"):
        return None
    try:
        path = find_view(corpus, file)
    except UsageError:
        return None
    return path.read_text(encoding="utf-8") if path else None


def find_view(corpus: str, name: str) -> Path | None:
    """Returns a file of a corpus's folder ``view``, such as ``page.html``; None for none."""
    path = find_corpus(corpus).folder / "view" / name
    return path if path.is_file() else None


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
        shown: an object with ``object_id``, ``title`` and ``uri``.
        size: key of :data:`SIZES`.
        marks: words that become classes ``mark-<word>`` of the frame around it.
        corpus: its corpus; None for that of the page.
    """
    shell: Shell = context["shell"]
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
    inside = (
        _stand_in(name, shown, found)
        if isinstance(found, Missing)
        else _img(shell, folder, found, shown, name, SIZES[size])
    )
    # Written as text, for a list has a hundred: `Markup.format` takes ten times as long.
    opened = f'<span class="{escape(classes)}" data-object="{escape(shown.object_id)}">'
    return Markup(f"{opened}{inside}</span>")  # noqa: S704 - all of it is escaped


def _img(
    shell: Shell,
    folder: PictureFolder,
    file: PictureFile,
    shown: Any,
    corpus: str,
    box: tuple[int, int],
) -> Markup:
    size = folder.size(file)
    if shell.kind == "single":
        title = shown.title or shown.object_id
        return shell.embedded.show(file, size, title)
    source, title = shell.links.picture(corpus, file.name), shown.title or shown.object_id
    width, height = fit_picture(size, box)
    return Markup(  # noqa: S704 - all of it is escaped
        f'<img src="{escape(source)}" alt="{escape(title)}" width="{width}" height="{height}"'
        ' loading="lazy">'
    )


def fit_picture(size: tuple[int, int], box: tuple[int, int]) -> tuple[int, int]:
    """Returns width and height, in pixels, of a picture that is fitted into a box."""
    scale = min(box[0] / size[0], box[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _stand_in(corpus: str, shown: Any, missing: Missing) -> Markup:
    """Draws what is known of an object without a picture, or says why there is none."""
    sketch = find_sketch(corpus, shown)
    if sketch is None or not (sketch.shape or sketch.colours):
        return _placeholder(shown, missing)
    return draw_sketch(sketch, shown.title or shown.object_id)


@jinja2.pass_context
def _facts_of(context: jinja2.runtime.Context, shown: Any, corpus: str | None = None) -> list[str]:
    """Returns what tells an object from others like it: its price, then short facts."""
    return list_facts(corpus or context["shell"].corpus or "", shown)


def _placeholder(shown: Any, missing: Missing) -> Markup:
    return Markup(
        '<span class="pic-none" role="img" aria-label="{0}: {1}">'
        '<bdi class="pic-id">{0}</bdi><span class="pic-why">{1}</span></span>'
    ).format(shown.title or shown.object_id, missing.reason)
