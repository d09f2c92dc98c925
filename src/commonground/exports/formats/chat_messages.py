"""A dialogue as chat messages, from the point of view of one of its speakers.

The speaker becomes the ``assistant``, everybody else the ``user``. Actions are tool calls, each
followed by its result; a speaker's actions are their own business, so those of the others are
not shown. Displays that the speaker sees become picture parts before the event from which on, or
the first event of the segment during which, they are seen, and at the start where neither is
known. :class:`Metadata` holds what messages have no room for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from commonground.exports.point_of_view import Event, SeenDialogue, ShownPicture
from commonground.model import Speaker

Role = Literal["system", "user", "assistant", "tool"]


class Function(msgspec.Struct):
    """What is called; arguments are JSON text, or the JSON itself."""

    name: str
    arguments: str | msgspec.Raw


class ToolCall(msgspec.Struct, kw_only=True):
    """A call of a tool; ``type`` is always ``function``, as providers want it."""

    id: str
    type: str = "function"
    function: Function


class Message(msgspec.Struct, omit_defaults=True):
    """A message as OpenAI and Hugging Face have it.

    Attributes:
        content: a text, a list of parts, or empty where there is a call instead: None where
            arguments are a text, as OpenAI has it; templates would print it.
        name: who of several users says it.
        weight: 1 where an assistant's message is to be learned, else 0.
    """

    role: Role
    content: str | list[dict[str, Any]] | None
    name: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    weight: int | None = None


class MergedUtterance(msgspec.Struct):
    """An utterance in a message that was made of several.

    Attributes:
        message: place of the message.
        at: first code point of it in the text; in a list of parts, which part it is.
        length: code points; None in a list of parts.
    """

    message: int
    event: int
    speaker: str
    at: int
    length: int | None


class Renamed(msgspec.Struct):
    """A call whose action has a name that no tool may have; several may share a tool.

    Attributes:
        call: its id.
        name: of the action, as released.
    """

    call: str
    name: str


class Metadata(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What the messages have no room for; the dialogue can be put together again by it.

    Attributes:
        point_of_view: speaker who is the assistant.
        n_events, n_utterances: also those that are not shown.
        events: for each message, the number of its event; None for what is no event.
        said_by: for each message, its speaker; None for what is no event.
        loss_mask: for each message, whether it is to be learned.
        without_arguments: ids of calls whose action was given nothing, not even ``{}``.
        wrapped: ids of calls whose arguments were no object and stand under ``value``.
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
    events: list[int | None] = []
    said_by: list[str | None] = []
    loss_mask: list[bool] = []
    without_arguments: list[str] = []
    wrapped: list[str] = []
    renamed: list[Renamed] = []
    joined: list[MergedUtterance] = []


class Style(msgspec.Struct, frozen=True):
    """How messages are written.

    Attributes:
        arguments: ``object`` for JSON itself (templates), ``string`` for JSON text (OpenAI).
        images: ``url`` for parts with an address (OpenAI), ``files`` for bare parts and a list
            beside the messages (TRL), ``none``.
        image_root: put before the address of a picture that is below an image folder.
        idle: names of actions that do nothing, and are not shown.
        refuse: says of the address of a picture why it is not shown, as a name of what is counted;
            None where it is shown.
    """

    arguments: str = "object"
    images: str = "url"
    image_root: str = ""
    idle: frozenset[str] = frozenset()
    refuse: Callable[[str], str | None] = lambda _address: None


def legal_name(name: str) -> str:
    """Returns a name that tools and speakers may have: 1 to 64 letters, digits, ``_``, ``-``.

    The pattern is that of ``name`` in OpenAI's chat API.
    """
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "_"


class MessageRow(msgspec.Struct):
    """A message with what is known of it.

    Attributes:
        images: how many pictures without an address it and those before have.
        event, said_by: None where it is no event.
    """

    message: Message
    images: int = 0
    event: int | None = None
    said_by: str | None = None


class Conversation:
    """The messages of one dialogue, and what is to be known of them.

    Args:
        speaker: whose point of view is taken.

    Attributes:
        images: addresses of the pictures, where their parts have none.
        shown: ids of the objects whose pictures are shown, in order.
        hidden: numbers of the actions of others, which are not shown.
        idle: numbers of the actions that do nothing, which are not shown.
        withheld: numbers of the utterances that the authors keep back.
        unplaced: pictures that are not shown, because no event is where they are seen.
        refused: number of those that are not shown for another reason, by its name.
        metadata: ``events`` and ``said_by`` are put in last.
    """

    def __init__(self, dialogue: SeenDialogue, speaker: str, style: Style) -> None:
        self._dialogue = dialogue
        self._speaker = speaker
        self._style = style
        # Where there is but one other speaker, ``user`` says who it is.
        self._named = len({each.speaker for each in dialogue.speakers} - {speaker}) > 1
        self.rows: list[MessageRow] = []
        self.images: list[str] = []
        self.shown: list[str] = []
        self.hidden: list[int] = []
        self.idle: list[int] = []
        self.withheld: list[int] = []
        self.unplaced = 0
        self.refused: Counter[str] = Counter()
        self.metadata = Metadata(
            corpus=dialogue.corpus,
            dialogue_id=dialogue.dialogue_id,
            split=dialogue.split,
            domain=dialogue.domain,
            point_of_view=speaker,
            n_events=dialogue.n_events,
            n_utterances=dialogue.n_utterances,
            speakers=dialogue.speakers,
        )
        self._build()

    @property
    def messages(self) -> list[Message]:
        """The messages, without what is known of them."""
        return [row.message for row in self.rows]

    def _build(self) -> None:
        if self._dialogue.system is not None:
            self._add(Message("system", self._dialogue.system))
        by_event, by_segment, throughout = _places(self._dialogue.pictures)
        self._show(throughout)
        for event in self._dialogue.events:
            # Popped: pictures of a segment stand before its first event alone, and what is left at
            # the end has no event to stand before.
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
        row = MessageRow(message, len(self.images))
        if event is not None:
            row.event, row.said_by = event.event, event.speaker
        self.rows.append(row)

    def _say(self, event: Event) -> None:
        if event.speaker == self._speaker:
            self._add(Message("assistant", event.text), event)
        else:
            name = legal_name(event.speaker) if self._named else None
            self._add(Message("user", event.text, name), event)

    def _call(self, event: Event) -> None:
        assert event.name is not None  # noqa: S101 - an action has a name
        # Mistral's templates refuse ids that are not nine letters or digits.
        name, key = legal_name(event.name), f"call{event.event:05}"
        if name != event.name:
            self.metadata.renamed.append(Renamed(key, event.name))
        text = event.arguments
        if text is None:
            self.metadata.without_arguments.append(key)
            text = "{}"
        elif not text.startswith("{"):  # APIs and templates want an object
            self.metadata.wrapped.append(key)
            text = f'{{"value":{text}}}'
        arguments = text if self._style.arguments == "string" else msgspec.Raw(text.encode())
        call = ToolCall(id=key, function=Function(name, arguments))
        content = None if self._style.arguments == "string" else ""
        self._add(Message("assistant", content, tool_calls=[call]), event)
        result = "null" if event.result is None else event.result
        self._add(Message("tool", result, name, tool_call_id=key), event)

    def _show(self, pictures: Sequence[ShownPicture]) -> None:
        if self._style.images == "none":
            return
        parts: list[dict[str, Any]] = []
        for each in pictures:
            reason = self._style.refuse(each.uri)
            if reason is not None:
                self.refused[reason] += 1
                continue
            self.shown.append(each.object_id)
            mark = " (highlighted)" if each.highlighted else ""
            parts.append({"type": "text", "text": f"{each.object_id}{mark}"})
            address = each.uri if "://" in each.uri else self._style.image_root + each.uri
            if self._style.images == "url":
                parts.append({"type": "image_url", "image_url": {"url": address}})
            else:
                parts.append({"type": "image"})
                self.images.append(address)
        if parts:
            self._add(Message("user", parts))


def _places(
    pictures: Sequence[ShownPicture],
) -> tuple[dict[int, list[ShownPicture]], dict[int, list[ShownPicture]], list[ShownPicture]]:
    """Sorts pictures by the event from which they are seen, by the segment, and throughout."""
    by_event: dict[int, list[ShownPicture]] = {}
    by_segment: dict[int, list[ShownPicture]] = {}
    throughout = []
    for each in pictures:
        if each.event is not None:
            by_event.setdefault(each.event, []).append(each)
        elif each.segment is not None:
            by_segment.setdefault(each.segment, []).append(each)
        else:
            throughout.append(each)
    return by_event, by_segment, throughout


JOINED_BY = "\n"
"""Stands between texts that become one."""


def merge_neighbours(conversation: Conversation) -> None:
    """Joins neighbouring messages of one role, and of one user where there are several.

    Some chat templates refuse two messages of one role in a row (Mistral's and Gemma's raise
    "Conversation roles must alternate"). Which utterance stands where is noted, so that
    each can be found again. Nothing is joined to a call: of a message with both,
    templates of Llama and others write the call and lose the words.
    """
    rows: list[MessageRow] = []
    joined: list[list[MergedUtterance]] = []
    for row in conversation.rows:
        if rows and _may_follow(rows[-1].message, row.message):
            # The first of several is noted when the second comes: one alone needs no note.
            joined[-1] = joined[-1] or _list_said(rows[-1], 0)
            # A joined message has the event and speaker of its last utterance.
            message = _join(rows[-1].message, row, joined[-1])
            rows[-1] = msgspec.structs.replace(row, message=message)
        else:
            rows.append(row)
            joined.append([])
    for place, said in enumerate(joined):
        conversation.metadata.joined += [
            msgspec.structs.replace(each, message=place) for each in said
        ]
    conversation.rows = rows


def _may_follow(before: Message, message: Message) -> bool:
    if before.role != message.role or message.role not in ("user", "assistant"):
        return False
    return before.name == message.name and not before.tool_calls and not message.tool_calls


def _join(before: Message, row: MessageRow, said: list[MergedUtterance]) -> Message:
    """Returns both messages as one, and notes what the second one says."""
    message = row.message
    if isinstance(before.content, str) and isinstance(message.content, str):
        start = len(before.content) + len(JOINED_BY)
        said += _list_said(row, start)
        content: str | list[Any] = f"{before.content}{JOINED_BY}{message.content}"
        return Message(before.role, content, before.name)
    parts = _parts(before, said)
    said += _list_said(row, len(parts), is_part=True)
    return Message(before.role, [*parts, *_parts(message, [])], before.name)


def _parts(message: Message, said: list[MergedUtterance]) -> list[dict[str, Any]]:
    """Returns the parts of a message, a text of several utterances as a part for each."""
    if not isinstance(message.content, str):
        return message.content or []
    if not said:
        return [{"type": "text", "text": message.content}]
    texts = [message.content[each.at : each.at + (each.length or 0)] for each in said]
    # What nobody says, such as a system message, may stand before.
    before = [message.content[: said[0].at - len(JOINED_BY)]] if said[0].at else []
    texts = [*before, *texts]
    # Places in the text become numbers of parts, on the records that the caller keeps.
    for number, each in enumerate(said, len(before)):
        each.at, each.length = number, None
    return [{"type": "text", "text": text} for text in texts]


def _list_said(row: MessageRow, at: int, *, is_part: bool = False) -> list[MergedUtterance]:
    """Returns what a message that is not joined yet says; nothing where it shows pictures.

    The place of the message is put in when all are joined.
    """
    content = row.message.content
    if row.event is None or row.said_by is None or not isinstance(content, str):
        return []
    length = None if is_part else len(content)
    return [MergedUtterance(0, row.event, row.said_by, at, length)]
