"""Pieces of pages that Python writes as HTML: rows, texts with spans and marks, single values.

They are written here and not in templates where a page has hundreds of them, since each value that
a template writes by itself costs as much as a whole row does here, and where a template could not
say them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

import msgspec
from markupsafe import Markup, escape

from commonground.explorer.pages.dialogue import ShownEvent
from commonground.explorer.search.highlights import Marked
from commonground.printing import write_clock


def start_row(row: ShownEvent) -> Markup:
    """Opens a row: its article, the link to itself, and who speaks."""
    number, speaker = row.event, escape(row.speaker)
    turn = "" if row.turn is None else f", turn {row.turn}"
    time = "" if row.at_s is None else f" <time>{write_clock(row.at_s)}</time>"
    # Everything that comes from data is a number, one of our own words, or escaped above.
    return Markup(  # noqa: S704
        f'<article class="event is-{row.kind} {row.side} tone-{row.tone}{" again" * row.again}"'
        f' id="e{number}" data-event="{number}" data-speaker="{speaker}" tabindex="-1"'
        f' aria-label="{number}, {speaker}">'
        f'<a class="at" href="#e{number}" title="Link to event {number}{turn}">'
        f'<span class="number">{number}</span>{time}</a>'
        f'<div class="what"><span class="who"><bdi>{speaker}</bdi></span>'
    )


def render_marked(marked: Marked) -> Markup:
    """Writes a text in which what was looked for is marked."""
    parts = []
    place = 0
    for start, end in marked.marks:
        parts.append(escape(marked.text[place:start]))
        parts.append(Markup("<mark>{}</mark>").format(marked.text[start:end]))
        place = end
    parts.append(escape(marked.text[place:]))
    return Markup("").join(parts)


class SpanLike(Protocol):
    """What a span needs.

    Attributes:
        start_char: first code point, from 0.
        end_char: code point after the last.
        label: what is written above the underline.
    """

    start_char: int
    end_char: int
    label: str


class _Stretch(msgspec.Struct):
    start: int
    end: int
    labels: list[str]
    shared: str | None = None
    lane: int = 0


class TextWithSpans(Protocol):
    """A row, or anything else that has a text with labelled spans, in any order."""

    text: str | None
    spans: Sequence[SpanLike]


def with_spans(row: TextWithSpans) -> Markup:
    """Writes the text of a row with its spans; see :func:`render_spans`."""
    return render_spans(row.text or "", row.spans)


def render_spans(text: str, spans: Sequence[SpanLike]) -> Markup:
    """Writes a text with an underline and a label for each span.

    Spans of the same stretch share one underline; those that overlap lie in lanes, of which the
    first is nearest to the text. Spans outside the text are cut to it, empty ones left out.
    A span that has ``shared`` lights up with all that has the same ``data-object``.
    """
    stretches = _stretches(text, spans) if spans else []
    if not stretches:
        return escape(text)
    # At every end of any span: between two cuts the same spans hold.
    cuts = sorted({0, len(text), *(s.start for s in stretches), *(s.end for s in stretches)})
    parts = []
    for start, end in pairwise(cuts):
        covering = [s for s in stretches if s.start <= start and end <= s.end]
        parts.append(_piece(escape(text[start:end]), covering, end))
    return Markup("").join(parts)


def _stretches(text: str, spans: Sequence[SpanLike]) -> list[_Stretch]:
    found: dict[tuple[int, int], _Stretch] = {}
    for span in spans:
        start, end = max(0, span.start_char), min(len(text), span.end_char)
        if start < end:
            stretch = found.setdefault(
                (start, end), _Stretch(start, end, [], getattr(span, "shared", None))
            )
            if span.label not in stretch.labels:
                stretch.labels.append(span.label)
    # The shortest first: they get the lanes next to the text, and longer ones lie below them.
    ordered = sorted(found.values(), key=lambda s: (s.end - s.start, s.start))
    for number, stretch in enumerate(ordered):
        taken = {
            o.lane for o in ordered[:number] if o.start < stretch.end and stretch.start < o.end
        }
        stretch.lane = next(lane for lane in range(len(ordered)) if lane not in taken)
    return ordered


def _piece(text: Markup, covering: list[_Stretch], end: int) -> Markup:
    """Wraps a piece in its lanes, the nearest innermost, and adds the labels that end here."""
    for stretch in sorted(covering, key=lambda s: s.lane):
        # The style sheet has lanes 0 to 5; deeper ones share the last.
        lane = min(stretch.lane, 5)
        label = ""
        if stretch.end == end:
            joined = escape(", ".join(stretch.labels))
            label = Markup('<span class="span-label">{}</span>').format(joined)
        same = "" if stretch.shared is None else Markup(' data-object="{}"').format(stretch.shared)
        text = Markup('<span class="span lane-{}"{}>{}{}</span>').format(lane, same, text, label)
    return text


# Places without width: after the marks in INFORM:GET.price, where a line may break.
_BREAKS = re.compile(r"(?<=[_:./])(?=\w)")


def breakable(text: str) -> Markup:
    """Writes a name of several words so that a narrow column may break it between them."""
    return Markup("<wbr>").join(_BREAKS.split(text))


def compact(number: float | None) -> str:
    """Writes a number in few characters: ``9,876``, ``29.4k``, ``1.2M``; a dash for None."""
    if number is None:
        return "–"
    for limit, unit in ((1_000_000, "M"), (1_000, "k")):
        # Below ten thousand a number is as short in full.
        if abs(number) >= max(limit, 10_000):
            short = f"{number / limit:.1f}".removesuffix(".0")
            return short + unit
    return f"{number:,.6g}" if isinstance(number, float) else f"{number:,}"


def measured(number: float) -> str:
    """Writes a number that was measured: three digits after the point, or three in all."""
    text = f"{number:.3f}" if abs(number) < 10 else f"{number:,.1f}"
    return text.rstrip("0").rstrip(".")


def precise(number: float) -> str:
    """Writes a number with seven digits."""
    return f"{number:,.7g}"


def sensible(number: float) -> str:
    """Writes a number with four digits that count, or all before the point."""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def beside(number: float, published: float) -> str:
    """Writes a number with one digit more than it was published with."""
    digits = len(f"{published:.7g}".partition(".")[2])
    text = f"{number:,.{digits + 1}f}"
    # Equal numbers look equal: what ends in zeros was published whole.
    return text.rstrip("0").removesuffix(".")


def thousands(number: float) -> str:
    """Writes a number with commas between thousands."""
    return f"{number:,}"


def pretty(value: Any) -> str:
    """Writes a JSON value over several lines."""
    return json.dumps(value, ensure_ascii=False, indent=1)


def web_link(text: str | None) -> Markup:
    """Writes an address from data: a link if it is http or https, else plain text."""
    if text and text.lower().startswith(("http://", "https://")):
        return Markup('<a href="{0}" rel="noreferrer nofollow external">{0}</a>').format(text)
    return escape(text or "")
