"""One message of what neighbouring messages of the same role say.

Some chat templates refuse two messages of one role in a row. Where they are joined, it is noted
which utterance stands where, so that :mod:`.read_chat` still gives each back.
"""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.export.chat_messages import Conversation, Message
from commonground.export.chat_metadata import Metadata, Said

JOINED_BY = "\n"
"""Stands between texts that become one."""


def merge_neighbours(conversation: Conversation) -> None:
    """Joins neighbouring messages of one role, and of one user where there are several.

    A call is joined to the words before it, and nothing to a call, which is answered at once.
    """
    facts, counts = conversation.metadata, conversation.image_counts
    messages: list[Message] = []
    kept: list[int] = []
    joined: list[list[Said]] = []
    for number, message in enumerate(conversation.messages):
        if messages and _may_follow(messages[-1], message):
            said = joined[-1] or _list_said(messages[-1], facts, kept[-1], 0)
            messages[-1] = _join(messages[-1], message, said, facts, number)
            joined[-1] = said
            kept[-1] = number
        else:
            messages.append(message)
            kept.append(number)
            joined.append([])
    for place, said in enumerate(joined):
        facts.joined += [msgspec.structs.replace(each, message=place) for each in said]
    conversation.messages = messages
    conversation.image_counts = [counts[number] for number in kept]
    facts.events = [facts.events[number] for number in kept]
    facts.said_by = [facts.said_by[number] for number in kept]


def _may_follow(before: Message, message: Message) -> bool:
    if before.role != message.role or message.role not in ("user", "assistant"):
        return False
    return before.name == message.name and not before.tool_calls


def _join(
    before: Message, message: Message, said: list[Said], facts: Metadata, number: int
) -> Message:
    """Returns both messages as one, and notes what the second one says."""
    if message.tool_calls:
        return Message("assistant", before.content, tool_calls=message.tool_calls)
    if isinstance(before.content, str) and isinstance(message.content, str):
        start = len(before.content) + len(JOINED_BY)
        said += _list_said(message, facts, number, start)
        content: str | list[Any] = f"{before.content}{JOINED_BY}{message.content}"
        return Message(before.role, content, before.name)
    parts = _parts(before, said)
    said += _list_said(message, facts, number, len(parts), is_part=True)
    return Message(before.role, [*parts, *_parts(message, [])], before.name)


def _parts(message: Message, said: list[Said]) -> list[dict[str, Any]]:
    """Returns the parts of a message, a text of several utterances as a part for each."""
    if not isinstance(message.content, str):
        return message.content or []
    if not said:
        return [{"type": "text", "text": message.content}]
    texts = [message.content[each.at : each.at + (each.length or 0)] for each in said]
    for number, each in enumerate(said):
        each.at, each.length = number, None
    return [{"type": "text", "text": text} for text in texts]


def _list_said(
    message: Message, facts: Metadata, number: int, at: int, *, is_part: bool = False
) -> list[Said]:
    """Returns what a message that is not joined yet says; nothing where it shows pictures.

    The place of the message is put in when all are joined.
    """
    event, speaker = facts.events[number], facts.said_by[number]
    if event is None or speaker is None or not isinstance(message.content, str):
        return []
    length = None if is_part else len(message.content)
    return [Said(message=0, event=event, speaker=speaker, at=at, length=length)]
