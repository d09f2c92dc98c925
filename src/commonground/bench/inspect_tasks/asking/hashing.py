"""Hashes of what models are asked: of the task as it is made, and of the log that it left."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from inspect_ai._util.constants import BASE_64_DATA_REMOVED
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.log._condense import ATTACHMENT_PROTOCOL
from inspect_ai.model import ChatMessage, ContentImage

from commonground.bench.inspect_tasks.asking.instructing import write_instructions
from commonground.bench.inspect_tasks.asking.pictures import DIGITS, PICTURES, hash_picture
from commonground.bench.inspect_tasks.asking.questions import Made
from commonground.errors import TaskError


class QuestionHashes(msgspec.Struct, frozen=True):
    """Digits that differ where models are asked anything else, whatever the order of samples.

    Attributes:
        texts: of ids, instructions, examples and questions, and of where pictures stand in them.
        pictures: of the pictures as they are sent; empty where none are. They may also differ where
            another version of Pillow makes them small.
    """

    texts: str
    pictures: str


class _Hashed(msgspec.Struct, frozen=True):
    """What one sample adds."""

    name: str
    texts: str
    pictures: list[str]


def hash_made(made: Made, ids: Collection[str] | None = None) -> QuestionHashes:
    """Hashes what would be asked.

    Args:
        made: what was made of what is to be asked.
        ids: of the samples that count; None for all.
    """
    start = write_instructions(made.ask, made.examples)
    return _combine(
        _hash_messages(str(each.id), [*start, *each.input], {})
        for each in made.dataset
        if isinstance(each.input, list) and (ids is None or str(each.id) in ids)
    )


def hash_log(log: EvalLog) -> QuestionHashes:
    """Hashes what was asked by what a log keeps of it: equal to what :func:`hash_made` gives.

    Args:
        log: with its samples, and with attachments resolved or not; where ``--no-log-images`` left
            the pictures out, by the hashes of them that the metadata of samples has.

    Raises:
        TaskError: it neither has the pictures nor names them, as logs of earlier versions.
    """
    samples = log.samples or ()
    return _combine(
        _hash_messages(str(s.id), list_asked(s), s.attachments, s.metadata.get(PICTURES, ()))
        for s in samples
    )


def list_asked(sample: EvalSample) -> Sequence[ChatMessage]:
    """Returns what a model was asked: all messages of a sample but its reply."""
    last = sample.messages[-1:]
    return sample.messages[:-1] if last and last[0].role == "assistant" else sample.messages


def _combine(samples: Iterable[_Hashed]) -> QuestionHashes:
    # Epochs ask the same again.
    found = sorted({each.name: each for each in samples}.values(), key=lambda each: each.name)
    pictures = [(each.name, each.pictures) for each in found if each.pictures]
    return QuestionHashes(
        _hash([(each.name, each.texts) for each in found]), _hash(pictures) if pictures else ""
    )


def _hash_messages(
    name: str,
    messages: Sequence[ChatMessage],
    kept: Mapping[str, str],
    shown: Sequence[str] = (),
) -> _Hashed:
    """Hashes what one sample asks.

    Args:
        name: id of the sample.
        messages: what was asked.
        kept: pictures by the names that a log refers to them by.
        shown: hashes of pictures in order, for those that a log does not keep.
    """
    texts: list[list[str]] = []
    pictures: list[str] = []
    for message in messages:
        texts.append([message.role])
        if isinstance(message.content, str):
            texts[-1].append(message.content)
            continue
        for part in message.content:
            if not isinstance(part, ContentImage):
                texts[-1].append(getattr(part, "text", part.type))
                continue
            texts[-1].append("")
            if part.image != BASE_64_DATA_REMOVED:
                # A picture stands once in a sample of a log, and is referred to.
                reference = part.image.removeprefix(ATTACHMENT_PROTOCOL)
                pictures.append(hash_picture(kept.get(reference, part.image)))
            elif len(pictures) < len(shown):
                pictures.append(shown[len(pictures)])
            else:
                raise TaskError(f"{name}: the log does not say which pictures were shown.")
    return _Hashed(name, _hash(texts), pictures)


def _hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:DIGITS]
