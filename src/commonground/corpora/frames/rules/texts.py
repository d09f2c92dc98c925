"""Rules of Frames about the texts of turns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.frames.native import FramesDialogue
from commonground.corpora.frames.rules._places import FramesRules
from commonground.findings import Place

rules = FramesRules("CG-FRAMES-", "dialogues")

# `:slightly_smiling_face:`, `:+1:`.
_EMOJI = re.compile(r":[a-z0-9_+\-]+:")
# `&gt;`, `&#39;`.
_ENTITY = re.compile(r"&(?:#\d+|[a-z]+);")


@rules.error(4, known=0)
def has_text(record: FramesDialogue) -> Iterator[Place]:
    """A turn has no text.

    Every released turn says something.

    Check whether the text was lost.
    """
    for number, turn in enumerate(record.turns):
        if not turn.text or turn.text.isspace():
            yield Place(f".turns[{number}].text", "a text", turn.text)


@rules.note(7, known=132)
def is_trimmed(record: FramesDialogue) -> Iterator[Place]:
    """A text starts or ends with white space.

    Comparing texts, or finding values in them, may need trimming first.

    Trim where it matters; the store keeps the text as released.
    """
    for number, turn in enumerate(record.turns):
        if turn.text != turn.text.strip():
            yield Place(f".turns[{number}].text", None, repr(turn.text))


@rules.note(8, known=373)
def has_line_break(record: FramesDialogue) -> Iterator[Place]:
    """A text contains a line break.

    Tools that write one utterance per line must escape it.

    Replace it with a space where a format has no line breaks.
    """
    for number, turn in enumerate(record.turns):
        if "\n" in turn.text:
            yield Place(f".turns[{number}].text", None, repr(turn.text))


@rules.note(9, known=417)
def has_emoji_code(record: FramesDialogue) -> Iterator[Place]:
    """A text contains an emoji written as a chat-tool code.

    The dialogues were held in Slack, which stores `:smile:` for the picture.

    Replace the codes with emoji, or drop them, before training on the texts.
    """
    for number, turn in enumerate(record.turns):
        if ":" in turn.text and (match := _EMOJI.search(turn.text)):
            yield Place(f".turns[{number}].text", None, match[0])


@rules.note(10, known=10)
def has_entity(record: FramesDialogue) -> Iterator[Place]:
    """A text contains an HTML entity.

    The chat tool escaped `<`, `>` and `&`; readers would see the escape.

    Unescape it before showing the text or training on it.
    """
    for number, turn in enumerate(record.turns):
        if "&" in turn.text and (match := _ENTITY.search(turn.text)):
            yield Place(f".turns[{number}].text", None, match[0])
