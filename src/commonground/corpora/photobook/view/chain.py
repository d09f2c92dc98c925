"""What a game says of one image: its reference chain, as the authors divide the talk."""

from __future__ import annotations

from commonground.corpora.photobook.view.page import build_chain_rows, list_rounds
from commonground.model import Dialogue
from commonground.view import Described


def find_descriptions(dialogue: Dialogue, object_id: str) -> list[Described]:
    """Finds the segments about an image, in order; none where nobody spoke of it."""
    rounds = list_rounds(dialogue)
    rows = build_chain_rows(dialogue, [(first, last) for _, first, last in rounds])
    return [
        Described(events=[line.event for line in mention.lines], part=f"Round {number}")
        for row in rows
        if row.image == object_id
        for (number, _, _), mentions in zip(rounds, row.rounds, strict=True)
        for mention in mentions
    ]
