"""Shapes of a corpus for its card: how long its dialogues are, and how the talk goes in some.

They are numbers only; :func:`draw_lengths` and :func:`draw_talks` write them as SVG.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from markupsafe import Markup

from commonground.explorer.corpora import OpenCorpus

BINS = 28
"""Bars of the lengths of dialogues at most."""

TALKS = 9
"""Dialogues whose talk is drawn."""

EVENTS = 48
"""Events of each of them that are drawn: the first ones."""

LONGEST = 120
"""Characters from which a text fills the height of its row."""

_WIDE = 3
_LOW, _HIGH = 0.15, 1.0


class Beat(msgspec.Struct, frozen=True, array_like=True):
    """An event in the drawing of a talk.

    Attributes:
        tone: number of the speaker's colour.
        height: from 0 to 1 by the length of the text; 0 for an action.
    """

    tone: int
    height: float


class Shape(msgspec.Struct, frozen=True):
    """What a corpus looks like from afar.

    Attributes:
        longest: events up to which lengths are counted; the few longer dialogues count as such.
        lengths: dialogues by their number of events, from 0 to ``longest`` in steps of as many
            whole numbers.
        talks: events of some dialogues, spread over the corpus.
    """

    longest: int
    lengths: list[int]
    talks: list[list[Beat]]


def find_shape(opened: OpenCorpus) -> Shape:
    """Measures the lengths of all dialogues and the talk of a few."""
    starts = opened.index.postings.event_starts
    lengths = np.diff(starts)
    if not len(lengths):
        return Shape(0, [], [])
    # The last hundredth is far out: one dialogue of a thousand events would press all others flat.
    top = max(BINS - 1, int(np.quantile(lengths, 0.99)))
    # As many whole lengths in each bar: of 31 in 28 bars, three would hold two and stand out.
    step = top // BINS + 1
    longest = (top // step + 1) * step - 1
    # Longer ones are in the last bar.
    counts = np.bincount(np.minimum(lengths, longest) // step, minlength=longest // step + 1)
    chosen = np.unique(np.linspace(0, len(lengths) - 1, TALKS).astype(int)).tolist()
    return Shape(longest, counts.tolist(), [_beats(opened, each) for each in chosen])


def _beats(opened: OpenCorpus, ordinal: int) -> list[Beat]:
    starts = opened.index.postings.event_starts
    first, last = int(starts[ordinal]), int(starts[ordinal + 1])
    lines = opened.index.digest.lines(range(first, min(last, first + EVENTS)))
    tones: dict[str, int] = dict(opened.tones)
    beats = []
    for each in lines:
        # Where labels say nothing of roles, the first speaker has the first colour.
        tone = tones.setdefault(each.speaker, len(tones) % 2)
        share = min(1.0, len(each.text) / LONGEST) if each.text else 0.0
        beats.append(Beat(tone, round(share, 2)))
    return beats


def draw_lengths(shape: Shape) -> Markup:
    """Draws the lengths of dialogues as bars, without words."""
    top = max(shape.lengths, default=0) or 1
    bars = [
        Markup('<rect x="{}" y="{}" width="{}" height="{}"/>').format(
            number * _WIDE, round(24 - 24 * count / top, 1), _WIDE - 1, round(24 * count / top, 1)
        )
        for number, count in enumerate(shape.lengths)
        if count
    ]
    return Markup(
        '<svg class="lengths" viewBox="0 0 {} 24" preserveAspectRatio="none" aria-hidden="true">'
        "{}</svg>"
    ).format(len(shape.lengths) * _WIDE, Markup().join(bars))


def draw_talks(shape: Shape) -> Markup:
    """Draws each talk as a row of strokes in its speakers' colours, high where much is said."""
    rows = [_draw_row(number, talk) for number, talk in enumerate(shape.talks)]
    wide = max(16, *map(len, shape.talks), 0)
    return Markup(
        '<svg class="talks" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true">'
        "{}</svg>"
    ).format(wide * 8, TALKS * 14, Markup().join(rows))


def _draw_row(number: int, talk: Sequence[Beat]) -> Markup:
    strokes = []
    for place, beat in enumerate(talk):
        share = _LOW + (_HIGH - _LOW) * beat.height
        high = round(12 * share, 1)
        strokes.append(
            Markup('<rect class="tone-{}" x="{}" y="{}" width="5" height="{}" rx="1"/>').format(
                beat.tone, place * 8, round(number * 14 + 13 - high, 1), high
            )
        )
    return Markup().join(strokes)
