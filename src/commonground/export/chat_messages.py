"""One dialogue as chat messages, from the point of view of one of its speakers.

The speaker becomes the ``assistant``, everybody else the ``user``. Actions are tool calls, each
followed by its result; a speaker's actions are their own business, so those of the others are
not shown. Displays that the speaker sees become picture parts before the event from which on, or
the first event of the segment during which, they are seen, and at the start where neither is
known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from commonground.export.chat_metadata import Metadata, Renamed
from commonground.model import Speaker

Role = Literal["system", "user", "assistant", "tool"]


class Function(msgspec.Struct):
    """What is called; arguments are JSON text, or the JSON itself."""

    name: str
    arguments: str | msgspec.Raw


class ToolCall(msgspec.Struct, kw_only=True):
    """A call of a tool."""

    id: str
    type: str = "function"
    function: Function


class Message(msgspec.Struct, omit_defaults=True):
    """A message as OpenAI and Hugging Face have it.

    Attributes:
        role: who says it.
        content: a text, a list of parts, or null where there is a call instead.
        name: who of several users says it.
        tool_calls: calls of the assistant.
        tool_call_id: call that a ``tool`` message answers.
        weight: 1 where an assistant's message is to be learned, else 0.
    """

    role: Role
    content: str | list[dict[str, Any]] | None
    name: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    weight: int | None = None


class Event(msgspec.Struct, gc=False):
    """A row of ``events``; arguments and result are JSON text."""

    event: int
    kind: str
    speaker: str
    segment: int | None
    text: str | None
    name: str | None
    arguments: str | None
    result: str | None


class Picture(msgspec.Struct):
    """Something shown: a row of ``displays`` with what its object is."""

    object_id: str
    uri: str
    event: int | None = None
    segment: int | None = None
    highlighted: bool | None = None


class Talk(msgspec.Struct, kw_only=True):
    """A dialogue as far as messages are made of it.

    Attributes:
        pictures: what the speaker whose point of view is taken sees.
        system: what the speaker knew beforehand.
        is_told: whether that is all the facts about the dialogue.
        personas: ids of the objects that are told there.
        unseen: rows of ``displays`` that only others see.
        without_picture: those the speaker sees whose objects have no address.
    """

    corpus: str
    dialogue_id: str
    split: str | None
    domain: str | None
    n_events: int
    n_utterances: int
    speakers: list[Speaker]
    events: list[Event]
    pictures: list[Picture] = []
    system: str | None = None
    is_told: bool = True
    personas: list[str] = []
    unseen: int = 0
    without_picture: int = 0


class Style(msgspec.Struct, frozen=True):
    """How messages are written.

    Attributes:
        arguments: ``object`` for JSON itself (templates), ``string`` for JSON text (OpenAI).
        images: ``url`` for parts with an address (OpenAI), ``files`` for bare parts and a list
            beside the messages (TRL), ``none``.
        image_root: put before the address of a picture that is below an image folder.
        idle: names of actions that do nothing, and are not shown.
    """

    arguments: str = "object"
    images: str = "url"
    image_root: str = ""
    idle: frozenset[str] = frozenset()


def choose_speaker(speakers: Sequence[Speaker], wanted: str | None) -> Speaker | None:
    """Returns whose point of view is taken; null where the wanted one is not there.

    Without a wish it is the one whose role is ``assistant``, else the first.
    """
    if wanted is not None:
        return next((each for each in speakers if each.speaker == wanted), None)
    helpers = [each for each in speakers if each.role == "assistant"]
    return next(iter([*helpers, *speakers]), None)


def is_said(talk: Talk) -> bool:
    """Says whether there are words in a dialogue."""
    return any(event.text for event in talk.events)


def legal_name(name: str) -> str:
    """Returns a name that tools and speakers may have: 1 to 64 letters, digits, ``_``, ``-``."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "_"


class Conversation:
    """The messages of one talk, and what is to be known of them.

    Args:
        talk: the dialogue.
        speaker: whose point of view is taken.
        style: how messages are written.

    Attributes:
        messages: the messages.
        images: addresses of the pictures, where their parts have none.
        image_counts: for each message, how many of them it and those before have.
        shown: ids of the objects whose pictures are shown, in order.
        hidden: numbers of the actions of others, which are not shown.
        idle: numbers of the actions that do nothing, which are not shown.
        withheld: numbers of the utterances that the authors keep back.
        unplaced: pictures that are not shown, because no event is where they are seen.
        metadata: what the messages have no room for.
    """

    def __init__(self, talk: Talk, speaker: str, style: Style) -> None:
        self._talk = talk
        self._speaker = speaker
        self._style = style
        self._named = len({each.speaker for each in talk.speakers} - {speaker}) > 1
        self.messages: list[Message] = []
        self.images: list[str] = []
        self.image_counts: list[int] = []
        self.shown: list[str] = []
        self.hidden: list[int] = []
        self.idle: list[int] = []
        self.withheld: list[int] = []
        self.unplaced = 0
        self.metadata = Metadata(
            corpus=talk.corpus,
            dialogue_id=talk.dialogue_id,
            split=talk.split,
            domain=talk.domain,
            point_of_view=speaker,
            n_events=talk.n_events,
            n_utterances=talk.n_utterances,
            speakers=talk.speakers,
            events=[],
            said_by=[],
        )
        self._build()

    def _build(self) -> None:
        if self._talk.system is not None:
            self._add(Message("system", self._talk.system))
        by_event, by_segment, throughout = _places(self._talk.pictures)
        self._show(throughout)
        for event in self._talk.events:
            shown = by_segment.pop(event.segment, []) if event.segment is not None else []
            self._show(shown + by_event.pop(event.event, []))
            if event.kind == "utterance":
                self._say(event)
            elif event.kind == "withheld":
                self.withheld.append(event.event)
            elif event.name in self._style.idle:
                self.idle.append(event.event)
            elif event.speaker == self._speaker:
                self._call(event)
            else:
                self.hidden.append(event.event)
        if self._style.images != "none":
            left = [*by_event.values(), *by_segment.values()]
            self.unplaced = sum(map(len, left))

    def _add(self, message: Message, event: Event | None = None) -> None:
        self.messages.append(message)
        self.image_counts.append(len(self.images))
        self.metadata.events.append(None if event is None else event.event)
        self.metadata.said_by.append(None if event is None else event.speaker)

    def _say(self, event: Event) -> None:
        if event.speaker == self._speaker:
            self._add(Message("assistant", event.text), event)
        else:
            name = legal_name(event.speaker) if self._named else None
            self._add(Message("user", event.text, name), event)

    def _call(self, event: Event) -> None:
        assert event.name is not None  # noqa: S101 - an action has a name
        name, key = legal_name(event.name), f"call{event.event:05}"
        if name != event.name:
            self.metadata.renamed.append(Renamed(key, event.name))
        text = event.arguments
        if text is None:
            self.metadata.without_arguments.append(key)
            text = "{}"
        elif not text.startswith("{"):
            self.metadata.wrapped.append(key)
            text = f'{{"value":{text}}}'
        arguments = text if self._style.arguments == "string" else msgspec.Raw(text.encode())
        call = ToolCall(id=key, function=Function(name, arguments))
        self._add(Message("assistant", None, tool_calls=[call]), event)
        result = "null" if event.result is None else event.result
        self._add(Message("tool", result, name, tool_call_id=key), event)

    def _show(self, pictures: Sequence[Picture]) -> None:
        if not pictures or self._style.images == "none":
            return
        parts: list[dict[str, Any]] = []
        self.shown += [each.object_id for each in pictures]
        for each in pictures:
            mark = " (highlighted)" if each.highlighted else ""
            parts.append({"type": "text", "text": f"{each.object_id}{mark}"})
            address = each.uri if "://" in each.uri else self._style.image_root + each.uri
            if self._style.images == "url":
                parts.append({"type": "image_url", "image_url": {"url": address}})
            else:
                parts.append({"type": "image"})
                self.images.append(address)
        self._add(Message("user", parts))


def _places(
    pictures: Sequence[Picture],
) -> tuple[dict[int, list[Picture]], dict[int, list[Picture]], list[Picture]]:
    """Sorts pictures by the event from which they are seen, by the segment, and throughout."""
    by_event: dict[int, list[Picture]] = {}
    by_segment: dict[int, list[Picture]] = {}
    throughout = []
    for each in pictures:
        if each.event is not None:
            by_event.setdefault(each.event, []).append(each)
        elif each.segment is not None:
            by_segment.setdefault(each.segment, []).append(each)
        else:
            throughout.append(each)
    return by_event, by_segment, throughout
