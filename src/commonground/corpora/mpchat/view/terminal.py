"""MPChat in the terminal: the post, each author's persona, and what messages are grounded in."""

from __future__ import annotations

from commonground.model import Dialogue
from commonground.view import Piece, TerminalLine

_SIGNS = {
    "grounded": Piece("● grounded in ", "good"),
    "ungrounded": Piece("○ not grounded in ", "soft"),
}


def describe_dialogue(dialogue: Dialogue) -> list[TerminalLine]:
    """Writes the titles of the post and of every persona element, by author."""
    titles = {each.object_id: each.title or each.object_id for each in dialogue.objects}
    kinds = {each.object_id: each.kind for each in dialogue.objects}
    lines: list[TerminalLine] = []
    for each in dialogue.displays:
        title = titles.get(each.object_id, each.object_id)
        if kinds.get(each.object_id) == "persona":
            lines.append((Piece(f"  persona of {each.viewer}: ", "soft"), Piece(title)))
        else:
            lines.append((Piece("  post: ", "soft"), Piece(title, "strong")))
    return lines


def describe_state(dialogue: Dialogue, event: int) -> list[TerminalLine]:
    """Says which persona elements annotators tied to the message, and which they did not."""
    titles = {each.object_id: each.title or each.object_id for each in dialogue.objects}
    lines: list[TerminalLine] = []
    for each in dialogue.groundings:
        if each.event == event and each.relation in _SIGNS:
            title = titles.get(each.object_id, each.object_id)
            lines.append((_SIGNS[each.relation], Piece(title)))
    return lines
