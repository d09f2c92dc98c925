"""The beginning of every row of a transcript.

It is written here and not in a template since a page has hundreds of them, and each value that a
template writes by itself costs as much as a whole row does here.
"""

from __future__ import annotations

from markupsafe import Markup, escape

from commonground.site.pages.dialogue import Row
from commonground.site.values import seconds


def start_row(row: Row) -> Markup:
    """Opens a row: its article, the link to itself, and who speaks."""
    number, speaker = row.event, escape(row.speaker)
    turn = "" if row.turn is None else f", turn {row.turn}"
    time = "" if row.at_s is None else f" <time>{seconds(row.at_s)}</time>"
    # Everything that comes from data is a number, one of our own words, or escaped above.
    return Markup(  # noqa: S704
        f'<article class="event is-{row.kind} {row.side} tone-{row.tone}{" again" * row.again}"'
        f' id="e{number}" data-event="{number}" data-speaker="{speaker}" tabindex="-1"'
        f' aria-label="{number}, {speaker}">'
        f'<a class="at" href="#e{number}" title="Link to event {number}{turn}">'
        f'<span class="number">{number}</span>{time}</a>'
        f'<div class="what"><span class="who"><bdi>{speaker}</bdi></span>'
    )
