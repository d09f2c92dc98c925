"""Lines of a chat file: whole dialogues, or one for each turn of the assistant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from commonground.export.chat_messages import Conversation, Message
from commonground.export.chat_metadata import Metadata


class Example(msgspec.Struct, omit_defaults=True):
    """A line of the file: either ``messages``, or ``prompt`` and ``completion``.

    Attributes:
        messages: the messages.
        prompt: those before the turn that is to be learned.
        completion: those of the turn.
        tools: encoded list of tools; null where the assistant has none.
        images: addresses of the pictures, where their parts have none.
        metadata: what the messages have no room for; null where it stands beside.
    """

    messages: list[Message] | None = None
    prompt: list[Message] | None = None
    completion: list[Message] | None = None
    tools: msgspec.Raw | None = None
    images: list[str] | None = None
    metadata: Metadata | None = None


def split_turns(messages: Sequence[Message]) -> Iterator[tuple[int, int]]:
    """Yields first and last-plus-one message of each run of the assistant and its tools."""
    start = None
    for number, message in enumerate(messages):
        mine = message.role in ("assistant", "tool")
        if mine and start is None:
            start = number
        elif not mine and start is not None:
            yield start, number
            start = None
    if start is not None:
        yield start, len(messages)


def make_example(conversation: Conversation, learned: tuple[int, int], end: int) -> Example:
    """Returns the messages before ``end``; the assistant's of ``learned`` are to be learned."""
    messages = []
    for number, message in enumerate(conversation.messages[:end]):
        if message.role == "assistant":
            weight = int(learned[0] <= number < learned[1])
            message = msgspec.structs.replace(message, weight=weight)
        messages.append(message)
    mask = [message.weight == 1 for message in messages]
    facts = conversation.metadata
    metadata = msgspec.structs.replace(
        facts,
        events=facts.events[:end],
        said_by=facts.said_by[:end],
        loss_mask=mask,
        joined=[each for each in facts.joined if each.message < end],
    )
    images = conversation.images[: conversation.image_counts[end - 1]] if end else []
    return Example(messages=messages, images=images or None, metadata=metadata)


def make_examples(conversation: Conversation, per: str) -> Iterator[Example]:
    """Yields one example for the dialogue, or one for each turn of the assistant.

    Args:
        conversation: the messages.
        per: ``dialogue`` or ``turn``.
    """
    count = len(conversation.messages)
    if per == "dialogue":
        yield make_example(conversation, (0, count), count)
        return
    for start, end in split_turns(conversation.messages):
        yield make_example(conversation, (start, end), end)


def split_prompt(example: Example) -> Example:
    """Returns an example of one turn as prompt and completion, which say what is to be learned."""
    assert example.metadata is not None  # noqa: S101 - it is taken out later, if at all
    start = example.metadata.loss_mask.index(True)
    messages = example.messages or []
    bare = [msgspec.structs.replace(message, weight=None) for message in messages]
    return msgspec.structs.replace(
        example, messages=None, prompt=bare[:start], completion=bare[start:]
    )
