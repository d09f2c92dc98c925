"""A Taskmaster dialogue as its page shows it: calls as blocks, the worker's brief beside it."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Literal

import msgspec

from commonground.corpora.taskmaster.view.brief import BriefPart, parse_brief
from commonground.model import Action, Dialogue, Json
from commonground.view import Mark, MarkedText, OutlineItem, Stage, View, get_fact

DEEPEST = 5
"""Levels of nesting that become lines of their own; what is deeper is written as JSON."""


class CallField(msgspec.Struct, frozen=True, gc=False):
    """A line of a request or response.

    Attributes:
        depth: how deep it is nested, from 0.
        key: its name; its number, from 1, in a list.
        text: its value; None where further lines hold it.
        shared: what is alike for equal values, so that they light up together; None for none.
    """

    depth: int
    key: str
    text: str | None
    shared: str | None = None


class Body(msgspec.Struct, kw_only=True):
    """A request or response.

    Attributes:
        state: ``absent`` where the release has none, ``unreadable`` where its text is no JSON.
        fields: its lines.
        text: the released text, where it cannot be read.
    """

    state: Literal["absent", "unreadable", "read"]
    fields: list[CallField] = []
    text: str | None = None


class ShownCall(msgspec.Struct):
    """An API call.

    Attributes:
        request: what was asked.
        response: what came back.
        flat: whether neither is nested or unreadable, so that they fit beside each other.
    """

    request: Body
    response: Body
    flat: bool


class TextMention(msgspec.Struct, gc=False):
    """A text that is marked, once for however many utterances.

    Attributes:
        text: as marked.
        shared: what it has in common with equal values.
        events: where it is marked, in order.
    """

    text: str
    shared: str
    events: list[int]


class Entity(msgspec.Struct):
    """A label with everything that is marked with it.

    Attributes:
        label: as published.
        scope: what its name has in common with all labels of the dialogue, with the last dot.
        name: the rest.
        mentions: in order of first use.
    """

    label: str
    scope: str
    name: str
    mentions: list[TextMention]


class BriefStage(Stage, kw_only=True):
    """What the worker was told, and what is marked in the dialogue.

    Attributes:
        scenario: name of the scenario, else of the instruction; None where there is none.
        parts: the instructions; None where the release has none.
        entities: the labels.
    """

    scenario: str | None
    parts: list[BriefPart] | None
    entities: list[Entity]


class TaskmasterView(View, kw_only=True):
    """What the page of a Taskmaster dialogue shows.

    Attributes:
        brief: the panel beside the dialogue.
        calls: the API calls, by event.
        marked: the utterances that have marked stretches, by event.
    """

    brief: BriefStage
    calls: dict[int, ShownCall]
    marked: dict[int, MarkedText]


def build_view(dialogue: Dialogue) -> TaskmasterView:
    """Turns a dialogue of any generation into what its page shows."""
    actions = {
        number: event for number, event in enumerate(dialogue.events) if isinstance(event, Action)
    }
    scope = _common_scope({span.label for span in dialogue.spans})
    return TaskmasterView(
        outline=[_outline_item(number, action) for number, action in actions.items()],
        brief=_brief(dialogue, scope),
        calls={number: _call(action) for number, action in actions.items()},
        marked=_marked(dialogue, scope),
    )


def _call(action: Action) -> ShownCall:
    request, response = _body(action.arguments), _body(action.result)
    return ShownCall(request, response, _is_flat(request) and _is_flat(response))


def _is_flat(body: Body) -> bool:
    return body.text is None and not any(each.depth for each in body.fields)


def _marked(dialogue: Dialogue, scope: str) -> dict[int, MarkedText]:
    marked: dict[int, MarkedText] = {}
    for span in dialogue.spans:
        text = dialogue.events[span.event].text or ""
        mark = Mark(span.start_char, span.end_char, span.label[len(scope) :], share(span.text))
        marked.setdefault(span.event, MarkedText(text, [])).spans.append(mark)
    return marked


def share(text: str) -> str:
    """Returns what equal values have in common, whatever their case and spaces."""
    return "value " + " ".join(text.casefold().split())


def _outline_item(number: int, action: Action) -> OutlineItem:
    status = get_fact(action.result, "status", str)
    return OutlineItem(label=action.name, event=number, detail=status)


def _brief(dialogue: Dialogue, scope: str) -> BriefStage:
    facts = dialogue.attributes
    instructions = get_fact(facts, "instructions", str)
    return BriefStage(
        first=0,
        last=max(0, len(dialogue.events) - 1),
        title="Instructions to the worker",
        scenario=get_fact(facts, "scenario", str) or get_fact(facts, "instruction_id", str),
        parts=None if instructions is None else parse_brief(instructions),
        entities=_entities(dialogue, scope),
    )


def _entities(dialogue: Dialogue, scope: str) -> list[Entity]:
    labels: dict[str, dict[str, TextMention]] = {}
    for span in dialogue.spans:
        texts = labels.setdefault(span.label, {})
        mention = texts.setdefault(span.text, TextMention(span.text, share(span.text), []))
        if span.event not in mention.events:
            mention.events.append(span.event)
    return [
        Entity(label, scope, label[len(scope) :], list(texts.values()))
        for label, texts in sorted(labels.items())
    ]


def _common_scope(labels: Set[str]) -> str:
    """Returns the first part of the labels, with its dot, where all have the same."""
    scopes = {label.partition(".")[0] for label in labels if "." in label}
    # A single label is shown whole: its first part would say as much as it.
    alike = len(labels) > 1 and len(scopes) == 1 and all("." in label for label in labels)
    return f"{scopes.pop()}." if alike else ""


def _body(value: Json) -> Body:
    if value is None:
        return Body(state="absent")
    if isinstance(value, str):
        # 28 requests and 44 responses of Taskmaster-4 are no JSON.
        return Body(state="unreadable", text=value)
    return Body(state="read", fields=list(_fields(value, 0)))


def _fields(value: Json, depth: int) -> Iterator[CallField]:
    """Writes nested values as lines, each below what it is part of."""
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = [(str(number), each) for number, each in enumerate(value, 1)]
    else:
        pairs = [("", value)]
    for key, each in pairs:
        # What is deeper is written as JSON, so that no record can make a page nest without an end.
        if isinstance(each, dict | list) and each and depth < DEEPEST:
            yield CallField(depth, key, None)
            yield from _fields(each, depth + 1)
        else:
            text = each if isinstance(each, str) else msgspec.json.encode(each).decode()
            yield CallField(depth, key, text, share(text) if isinstance(each, str) else None)
