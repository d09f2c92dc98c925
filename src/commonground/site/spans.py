"""A text with its labelled spans as HTML: overlaps are stacked, nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import msgspec
from markupsafe import Markup, escape


class SpanLike(Protocol):
    """What a span needs: code points, end exclusive, and a label."""

    @property
    def start_char(self) -> int:
        """First code point."""
        ...

    @property
    def end_char(self) -> int:
        """Code point behind the last."""
        ...

    @property
    def label(self) -> str:
        """Label of the span."""
        ...


class _Stretch(msgspec.Struct):
    start: int
    end: int
    labels: list[str]
    shared: str | None = None
    lane: int = 0


class Marked(Protocol):
    """A row, or anything else that has a text with spans."""

    @property
    def text(self) -> str | None:
        """The text; null where there is none."""
        ...

    @property
    def spans(self) -> Sequence[SpanLike]:
        """Its spans."""
        ...


def with_spans(row: Marked) -> Markup:
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
        lane = min(stretch.lane, 5)
        label = ""
        if stretch.end == end:
            joined = escape(", ".join(stretch.labels))
            label = Markup('<span class="span-label">{}</span>').format(joined)
        same = "" if stretch.shared is None else Markup(' data-object="{}"').format(stretch.shared)
        text = Markup('<span class="span lane-{}"{}>{}{}</span>').format(lane, same, text, label)
    return text
