"""Hashes of what models are asked, which tell whether two were asked the same."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from inspect_ai.model import ChatMessage, ContentImage

from commonground.bench.inspect_tasks.asking.instructing import write_instructions
from commonground.bench.inspect_tasks.asking.pictures import DIGITS, hash_picture, list_pictures
from commonground.bench.inspect_tasks.asking.questions import Made


class QuestionHashes(msgspec.Struct, frozen=True):
    """Digits that differ where models are asked anything else, whatever the order of samples.

    Attributes:
        texts: of ids, instructions, examples and questions, and of where pictures stand in them.
        pictures: of the pictures as they are sent; empty where none are. They may also differ where
            another version of Pillow makes them small.
    """

    texts: str
    pictures: str


def hash_made(made: Made) -> QuestionHashes:
    """Hashes what would be asked."""
    start = write_instructions(made.ask, made.examples)
    texts: list[tuple[str, str]] = []
    pictures: list[tuple[str, list[str]]] = []
    for each in sorted(made.dataset, key=lambda sample: str(sample.id)):
        asked = [*start, *each.input] if isinstance(each.input, list) else start
        texts.append((str(each.id), _hash([_list_texts(message) for message in asked])))
        if shown := [hash_picture(image) for message in asked for image in list_pictures(message)]:
            pictures.append((str(each.id), shown))
    return QuestionHashes(_hash(texts), _hash(pictures) if pictures else "")


def _list_texts(message: ChatMessage) -> list[str]:
    """Returns the role of a message and its parts, with nothing in the place of a picture."""
    if isinstance(message.content, str):
        return [message.role, message.content]
    return [
        message.role,
        *(
            "" if isinstance(part, ContentImage) else getattr(part, "text", part.type)
            for part in message.content
        ),
    ]


def _hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:DIGITS]
