"""How language models are asked whether an image is common."""

from __future__ import annotations

from typing import Literal

import msgspec

from commonground.corpora.photobook.tasks.marks.task import LABELS
from commonground.method import Prompt, Reply
from commonground.replies import UnknownNameError


class AskedLabel(msgspec.Struct):
    """A label as a model is asked for it."""

    label: Literal["common", "different"]


def read_label(reply: Reply) -> str:
    """Returns the label; who says nothing else may leave the object away.

    Raises:
        UnknownNameError: there is no such label.
    """
    said = reply.value["label"] if isinstance(reply.value, dict) else reply.value
    label = str(said).strip().lower()
    if label not in LABELS:
        raise UnknownNameError(f"there is no label {said!r}")
    return label


PROMPT = Prompt(
    task="photobook/marks",
    answer=read_label,
    say=lambda answered: {"label": answered.value},
    target=lambda instance: {"label": instance.gold},
    form=AskedLabel,
    pictures=lambda instance: instance.inputs["images"],
    is_numbered=True,
)
