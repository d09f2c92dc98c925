"""Rules of Frames about the texts of turns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.frames.native import FramesDialogue
from commonground.corpora.frames.places import event_of
from commonground.findings import Examined, Place, rule

_EMOJI = re.compile(r":[a-z0-9_+\-]+:")
_ENTITY = re.compile(r"&(?:#\d+|[a-z]+);")


@rule(
    "CG-FRAMES-004",
    "error",
    "A turn has no text.",
    why="Every released turn says something.",
    advice="See whether the text was lost.",
    format="dialogues",
    known=0,
)
def has_text(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """No text is empty."""
    for number, turn in enumerate(record.turns):
        if not turn.text or turn.text.isspace():
            yield Place(f".turns[{number}].text", "a text", turn.text, event_of(record, number))


@rule(
    "CG-FRAMES-007",
    "note",
    "A text has white space at an end.",
    why="Comparing texts, or finding values in them, may need trimming first.",
    advice="Trim where it matters; the store keeps the text as released.",
    format="dialogues",
    known=132,
)
def is_trimmed(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """No text starts or ends with white space."""
    for number, turn in enumerate(record.turns):
        if turn.text != turn.text.strip():
            path = f".turns[{number}].text"
            yield Place(path, None, repr(turn.text), event_of(record, number))


@rule(
    "CG-FRAMES-008",
    "note",
    "A text has a line break in it.",
    why="Tools that write one utterance a line must escape it.",
    advice="Replace it by a space where a format has no line breaks.",
    format="dialogues",
    known=373,
)
def has_line_break(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """No text has a line break."""
    for number, turn in enumerate(record.turns):
        if "\n" in turn.text:
            path = f".turns[{number}].text"
            yield Place(path, None, repr(turn.text), event_of(record, number))


@rule(
    "CG-FRAMES-009",
    "note",
    "A text has an emoji written as a code of the chat tool.",
    why="The dialogues were held in Slack, which stores `:smile:` for the picture.",
    advice="Replace the codes by emoji, or drop them, before training on the texts.",
    format="dialogues",
    known=417,
)
def has_emoji_code(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """No text has a code such as ``:smile:``."""
    for number, turn in enumerate(record.turns):
        if ":" in turn.text and (match := _EMOJI.search(turn.text)):
            yield Place(f".turns[{number}].text", None, match[0], event_of(record, number))


@rule(
    "CG-FRAMES-010",
    "note",
    "A text has an HTML entity in it.",
    why="The chat tool escaped `<`, `>` and `&`; readers would see the escape.",
    advice="Unescape it before showing the text or training on it.",
    format="dialogues",
    known=10,
)
def has_entity(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """No text has an entity such as ``&gt;``."""
    for number, turn in enumerate(record.turns):
        if "&" in turn.text and (match := _ENTITY.search(turn.text)):
            yield Place(f".turns[{number}].text", None, match[0], event_of(record, number))
