"""What chat messages have no room for; :mod:`.read_chat` makes tables of it and them.

Names and types are the same in every line, because ``datasets`` and Arrow want it so.
"""

from __future__ import annotations

import msgspec

from commonground.model import Speaker


class Said(msgspec.Struct):
    """An utterance in a message that was made of several.

    Attributes:
        message: place of the message.
        event: its number.
        speaker: who says it.
        at: first code point of it in the text; in a list of parts, which part it is.
        length: code points; null in a list of parts.
    """

    message: int
    event: int
    speaker: str
    at: int
    length: int | None


class Renamed(msgspec.Struct):
    """A call whose action has a name that no tool may have; several may share a tool.

    Attributes:
        call: id of the call.
        name: name of the action, as released.
    """

    call: str
    name: str


class Metadata(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What the messages have no room for; it is what :mod:`.read_chat` reads.

    Attributes:
        corpus: name of the corpus.
        dialogue_id: id of the dialogue.
        split: released split.
        domain: domain.
        point_of_view: speaker who is the assistant.
        n_events: events of the dialogue, also those that are not shown.
        n_utterances: those that are utterances.
        speakers: all speakers.
        events: for each message, the number of its event; null for what is no event.
        said_by: for each message, its speaker; null for what is no event.
        loss_mask: for each message, whether it is to be learned.
        without_arguments: ids of calls whose action was given nothing, not even ``{}``.
        wrapped: ids of calls whose arguments were no object and stand under ``value``.
        renamed: the calls whose action has a name that no tool may have.
        joined: the utterances in messages that were made of several; ``events`` and ``said_by``
            then are those of the last.
    """

    corpus: str
    dialogue_id: str
    split: str | None
    domain: str | None
    point_of_view: str
    n_events: int
    n_utterances: int
    speakers: list[Speaker]
    events: list[int | None]
    said_by: list[str | None]
    loss_mask: list[bool] = []
    without_arguments: list[str] = []
    wrapped: list[str] = []
    renamed: list[Renamed] = []
    joined: list[Said] = []
