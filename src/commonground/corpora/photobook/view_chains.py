"""What was said about each image of a game, round by round: its reference chain, to be drawn."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonground.corpora.photobook.native import COMMON, DIFFERENT, SELECTION, Message
from commonground.corpora.photobook.segments import Segment, build_chains, segment_rounds
from commonground.model import Action, Dialogue, Event


class Line(msgspec.Struct, frozen=True):
    """A text of a segment."""

    event: int
    speaker: str
    text: str


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """A segment that is about an image.

    Attributes:
        lines: its texts.
        others: other images that it is about too.
    """

    lines: list[Line]
    others: list[str] = []


class ChainRow(msgspec.Struct, frozen=True, kw_only=True):
    """One image across the rounds.

    Attributes:
        number: from 1, in order of first mention; part of its address on the page.
        image: path of the image.
        rounds: the segments about it, one list per round of the game.
    """

    number: int
    image: str
    rounds: list[list[Mention]]


def build_chain_rows(dialogue: Dialogue, rounds: Sequence[tuple[int, int]]) -> list[ChainRow]:
    """Gathers the reference chains of a game.

    Args:
        dialogue: the game.
        rounds: first and last event of each round, in order, without a gap.
    """
    events = dialogue.events
    messages = [[_to_message(each) for each in events[a : b + 1]] for a, b in rounds]
    segments = segment_rounds(messages).segments
    rows = []
    for number, chain in enumerate(build_chains(segments), 1):
        cells: list[list[Mention]] = [[] for _ in rounds]
        for position in chain.segments:
            segment = segments[position]
            cells[segment.round_index].append(_mention(segment, chain.image, events))
        rows.append(ChainRow(number=number, image=chain.image, rounds=cells))
    return rows


def _mention(segment: Segment, image: str, events: Sequence[Event]) -> Mention:
    lines = [Line(each, events[each].speaker, events[each].text or "") for each in segment.messages]
    return Mention(lines=lines, others=[each for each in segment.targets if each != image])


def _to_message(event: Event) -> Message:
    """Writes an event as the log has it, as far as segments depend on it."""
    text = event.text or ""
    if isinstance(event, Action):
        text = f"<{event.name}>"
        if event.name == "selection":
            label = COMMON if event.arguments["label"] == "common" else DIFFERENT
            text = f"{SELECTION}{label}{event.arguments['image']}"
    return Message("", event.turn or 0, event.speaker, 0, text)
