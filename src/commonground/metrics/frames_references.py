"""What the acts of Frames refer to: their slots and bare references, in the official order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from commonground.errors import TaskError

_REFERENCES = ("ref", "read", "write")
BARE = "NOANNO"
"""The slot of a bare reference, by its official name."""


class Reference(msgspec.Struct, frozen=True, gc=False):
    """A slot, or a bare reference, and the frame it is about.

    Attributes:
        frame: number of the frame in gold acts; probabilities by frame in predicted ones; null
            where none is given.
        slot: name of the slot; ``NOANNO`` for a bare reference.
        value: value of the slot; null where it has none.
    """

    frame: Any
    slot: str
    value: Any


def list_references(act: Mapping[str, Any], active_frame: int | None) -> Iterator[Reference]:
    """Lists the slots of an act in order, then its bare references in order of frame.

    Args:
        act: with ``args``, as released or as predicted.
        active_frame: the frame of slots that stand outside a reference; null in predictions.

    Raises:
        TaskError: a reference stands within another.
    """
    bare, annotated = [], False
    for arg in act["args"]:
        if arg["key"] not in _REFERENCES:
            if arg["key"] != "id":
                yield Reference(active_frame, arg["key"], arg.get("val"))
            continue
        for target in arg["val"]:
            annotations = target.get("annotations") or []
            annotated = annotated or bool(annotations)
            if not annotations:
                bare.append(target["frame"])
            for each in annotations:
                if each["key"] in _REFERENCES:
                    raise TaskError(f"Act {act.get('name')!r} has a reference within another.")
                yield Reference(target["frame"], each["key"], each.get("val"))
    if not bare and not annotated:
        bare.append(active_frame)
    yield from (Reference(frame, BARE, None) for frame in sorted(bare))
