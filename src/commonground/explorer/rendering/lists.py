"""Pieces of lists that Python writes as HTML, as ``fragments`` does for dialogues: many of each."""

from __future__ import annotations

from collections.abc import Sequence

import jinja2
from markupsafe import Markup, escape

from commonground.explorer.links import Links
from commonground.explorer.pages.browse import BrowsePage, DialogueHit
from commonground.explorer.pages.parts.columns import Column
from commonground.explorer.rendering.fragments import breakable, thousands
from commonground.explorer.search.histograms import Bin, Histogram

_HIGH = 48
_WIDE = 10


def draw_cells(each: DialogueHit, columns: Sequence[Column]) -> Markup:
    """Writes the cells of a row after what the dialogue is about."""
    # Titles are ours or the manifest's and escaped; everything else is a number or escaped.
    return Markup("").join([_cell(each, column) for column in columns])


def _cell(each: DialogueHit, column: Column) -> Markup:
    name, card = column.name, each.card
    if name in ("split", "domain"):
        text = card.split if name == "split" else card.domain
        inside = "" if text is None else f"<bdi>{breakable(text)}</bdi>"
        return Markup(f'<td class="code" data-label="{name}">{inside}</td>')  # noqa: S704
    if name == "findings":
        inside = thousands(card.findings) if card.findings else ""
        return Markup(f'<td class="number" data-label="findings">{inside}</td>')  # noqa: S704
    own = {"events": card.n_events, "utterances": card.n_utterances}
    number = own.get(name, each.measures.get(name))
    inside = "" if number is None else f"{number:g}{_bar(each.bars.get(name, 0))}"
    return Markup(  # noqa: S704
        f'<td class="number" data-label="{escape(column.title)}">{inside}</td>'
    )


def _bar(length: int) -> str:
    return (
        '<svg class="minibar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{length}" height="4"/></svg>'
    )


@jinja2.pass_context
def filter_address(context: jinja2.runtime.Context, query: str) -> str:
    """Returns the address of what the list would be with another query, all else as it is."""
    page: BrowsePage = context["page"]
    links: Links = context["shell"].links
    tab = None if page.tab == "dialogues" else page.tab
    return links.page("browse", page.corpus, q=query, tab=tab, sort=page.sort, **page.look)


@jinja2.pass_context
def draw_histogram(context: jinja2.runtime.Context, drawn: Histogram) -> Markup:
    """Writes a histogram whose bars are links.

    Who has no mouse takes the values that stand below it, or writes a range.
    """
    bars = [
        _link(place, each, filter_address(context, each.query))
        for place, each in enumerate(drawn.bins)
        if each.count
    ]
    ends = drawn.bins[0].label.split(" ")[0], drawn.bins[-1].label.split(" ")[-1]
    return Markup(
        '<svg class="histogram" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">'
        '{}</svg><p class="ends soft small" aria-hidden="true"><span>{}</span><span>{}</span></p>'
    ).format(_WIDE * len(drawn.bins), _HIGH, Markup("").join(bars), *ends)


def _link(place: int, each: Bin, address: str) -> Markup:
    left, high = place * _WIDE, round(each.share * _HIGH / 100, 1)
    return Markup(  # noqa: S704 - numbers, but for the address and the label
        f'<a href="{escape(address)}" tabindex="-1">'
        f"<title>{escape(each.label)}: {thousands(each.count)}</title>"
        f'<rect class="room" x="{left}" width="{_WIDE}" height="{_HIGH}"/>'
        f'<rect x="{left}" y="{_HIGH - high:g}" width="{_WIDE - 1}" height="{high:g}"/></a>'
    )
