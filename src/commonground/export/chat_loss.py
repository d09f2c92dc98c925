"""What of dialogues is not in the chat messages made of them."""

from __future__ import annotations

from commonground.export.chat_messages import Conversation, Message, Talk
from commonground.export.chat_metadata import Metadata
from commonground.export.loss import Loss
from commonground.export.selection import Selection

FEATURES = {
    "dialogues without the speaker": "Nobody there is called as `--as` says.",
    "actions of the others": "An action is shown to whoever does it, and to nobody else.",
    "actions that do nothing": "They teach nothing; --silent keeps them.",
    "withheld utterances": "The authors keep them back: there are no words to learn.",
    "dialogues without words": "They teach nothing; --silent keeps them.",
    "displays to the others": "The speaker whose point of view is taken does not see them.",
    "displays without a picture": "They have no address, so there is no picture to show.",
    "displays at no event": "No event is where, or in the part in which, they are seen.",
    "dialogues without a turn": "With `--per turn`, a dialogue needs a turn of the assistant.",
    "events after the last turn": "With `--per turn`, no turn of the assistant follows them.",
    "displays after the last turn": "With `--per turn`, no turn of the assistant follows them.",
    "calls that fit no tool": "They do not fit the schema of their tool.",
}
"""What may be lost beside columns, with the reason."""

_UNSEEN = "Only pictures shown to the assistant are written, with their ids."
COUNTED = {
    "dialogues.attributes": "Only instructions to a user are told, as a system message to them.",
    "objects.object_id": _UNSEEN,
    "objects.title": "Only the assistant's own persona is told.",
    "objects.uri": _UNSEEN,
}
"""Columns of which some values are written, with the reason why others are not."""


def add_loss(loss: Loss, name: str, example: str, count: int = 1) -> None:
    """Counts one of :data:`FEATURES`, or values of one of the columns :data:`COUNTED`."""
    if name in COUNTED:
        loss.add(name, example, COUNTED[name], count=count, kind="column")
    else:
        loss.add(name, example, FEATURES[name], count=count)


class LossOfCorpus:
    """Counts what is lost of one corpus.

    Args:
        loss: counts.
        shows_pictures: whether pictures were asked for.
    """

    def __init__(self, loss: Loss, *, shows_pictures: bool) -> None:
        self._loss = loss
        self._shows_pictures = shows_pictures
        self._shown: set[str] = set()
        self._told: set[str] = set()

    def leave_out(self, name: str, corpus: str, dialogue_id: str) -> None:
        """Counts a dialogue that is not written."""
        self._loss.leave_out(name, corpus, dialogue_id, FEATURES[name])

    def count(self, talk: Talk, conversation: Conversation, end: int) -> None:
        """Counts what of a dialogue is not in the messages before ``end``."""
        place = f"{talk.corpus}/{talk.dialogue_id}"
        hidden = conversation.hidden
        if hidden:
            add_loss(self._loss, "actions of the others", f"{place} event {hidden[0]}", len(hidden))
        for name, events in (
            ("actions that do nothing", conversation.idle),
            ("withheld utterances", conversation.withheld),
        ):
            add_loss(self._loss, name, f"{place} event {events[0]}" if events else "", len(events))
        if self._shows_pictures:
            add_loss(self._loss, "displays to the others", place, talk.unseen)
            add_loss(self._loss, "displays without a picture", place, talk.without_picture)
        add_loss(self._loss, "displays at no event", place, conversation.unplaced)
        left = _events_after(conversation.metadata, end)
        add_loss(self._loss, "events after the last turn", place, len(left))
        pictures = sum(map(_count_pictures, conversation.messages[end:]))
        add_loss(self._loss, "displays after the last turn", place, pictures)
        add_loss(self._loss, "dialogues.attributes", place, not talk.is_told)
        self._shown.update(conversation.shown[: len(conversation.shown) - pictures])
        self._told.update(talk.personas)

    def count_objects(self, selection: Selection, corpus: str) -> None:
        """Counts, after the last dialogue, what of the objects is in no message."""
        for batch in selection.batches(corpus, "objects", ["object_id", "title", "uri"]):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                self._count_object(corpus, *row)

    def _count_object(self, corpus: str, key: str, title: str | None, uri: str | None) -> None:
        place = f"{corpus} object_id {key}"
        if key not in self._shown:
            add_loss(self._loss, "objects.object_id", place)
            add_loss(self._loss, "objects.uri", place, uri is not None)
        if key not in self._told:
            add_loss(self._loss, "objects.title", place, title is not None)


def _events_after(facts: Metadata, end: int) -> set[int]:
    """Returns the numbers of the events that only messages from a place on have."""
    alone = {event for event in facts.events[end:] if event is not None}
    return alone.union(each.event for each in facts.joined if each.message >= end)


def _count_pictures(message: Message) -> int:
    parts = message.content if isinstance(message.content, list) else []
    return sum(part["type"] != "text" for part in parts)
