"""How language models are asked for the entities of an utterance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from commonground.method import Prompt, Reply
from commonground.replies import read_whole
from commonground.task import Instance

# Words that the utterance lacks: a span that is nowhere counts as predicted, and as wrong.
_NOWHERE = -1


class AskedSpan(msgspec.Struct, omit_defaults=True):
    """A span as a model is asked for it.

    Attributes:
        text: its words.
        label: one of those that the prompt lists.
        occurrence: which one is meant where the words occur more than once, from 1.
    """

    text: str
    label: str
    occurrence: int = 1


def read_spans(reply: Reply) -> dict[str, Any]:
    """Returns a model's spans as predictions have them: code points, and labels as text.

    Who has numbers of code points may say them: ``{"start": 0, "end": 4, "label": ...}``.
    """
    return {
        "spans": [_read_span(each, reply.instance.inputs.get("text", "")) for each in reply.value]
    }


def _read_span(said: dict[str, Any], utterance: str) -> dict[str, Any]:
    label = str(said["label"])
    if "text" not in said:
        start, end = (read_whole(said[name]) for name in ("start", "end"))
        return {"start": start, "end": end, "label": label}
    words = str(said["text"]).strip()
    places = list_occurrences(words, utterance) or list_occurrences(
        words.casefold(),
        utterance.casefold() if len(utterance.casefold()) == len(utterance) else "",
    )
    number = read_whole(said.get("occurrence", 1))
    if not 1 <= number <= len(places):
        return {"start": _NOWHERE, "end": _NOWHERE, "label": label}
    start = places[number - 1]
    return {"start": start, "end": start + len(words), "label": label}


def list_occurrences(words: str, utterance: str) -> list[int]:
    """Returns where words stand in an utterance, in code points; overlapping ones as well."""
    places: list[int] = []
    at = utterance.find(words) if words else -1
    while at >= 0:
        places.append(at)
        at = utterance.find(words, at + 1)
    return places


def list_spans(instance: Instance) -> list[AskedSpan]:
    """Returns the annotated spans in the form that is asked for."""
    utterance = instance.inputs["text"]
    found = []
    for span in instance.right:
        words = utterance[span.start : span.end]
        places = list_occurrences(words, utterance)
        number = places.index(span.start) + 1 if span.start in places else 1
        found.append(AskedSpan(words, span.label, number))
    return found


def list_labels(instances: Iterable[Instance]) -> dict[str, set[str]]:
    """Lists the labels of annotated utterances."""
    return {"Labels": {span.label for each in instances for span in each.right}}


PROMPT = Prompt(
    task="taskmaster3/spans",
    answer=read_spans,
    say=lambda answered: answered.value["spans"],
    target=list_spans,
    form=list[AskedSpan],
    names=lambda said: (str(each["label"]) for each in said),
    labels=list_labels,
)
