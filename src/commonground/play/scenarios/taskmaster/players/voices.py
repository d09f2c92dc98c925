"""Customer and assistant as two players of a seat in which people write both sides.

The customer fills in the forms, which say what is wanted, and sees its own hints. It sees what the
assistant has said, never what it will say, and cannot end the dialogue. The assistant sees its own
hints and what the customer has named, and closes. Neither writes a turn anew that was answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from commonground.play.phrase_files import load_beside
from commonground.play.scenario import Allowed
from commonground.play.scenarios.taskmaster.game.self_dialog import ROLE
from commonground.play.voices import Narrowed, Voices

CUSTOMER, ASSISTANT = "customer", "assistant"
_SPEAKERS = {CUSTOMER: "user", ASSISTANT: "assistant"}
_CLOSING = ("checks", "spans", "labels", "likely")


def narrow(name: str, view: dict[str, Any], allowed: Sequence[Allowed]) -> Narrowed:
    """Returns what one side sees and may do, of what a worker who writes both sees and may do."""
    speaker = _SPEAKERS[name]
    following = next((b for b in view["bubbles"] if b["open"] and b["text"] is None), None)
    shown = {
        **view,
        "page": list(_show_page(name, view)),
        "bubbles": list(_show_bubbles(speaker, view["bubbles"], following)),
    }
    if name == CUSTOMER:
        shown |= {each: [] for each in _CLOSING}
        shown["phase"] = "dialogue" if view["phase"] == "review" else view["phase"]
    is_next = following is not None and following["speaker"] == speaker
    number = following["number"] if following is not None and is_next else None
    may: list[Allowed] = []
    for each in allowed:
        if each.type == "taskmaster.turn":
            if number is not None:
                properties = {**each.payload["properties"], "turn": {"enum": [number]}}
                may.append(Allowed(each.type, {**each.payload, "properties": properties}))
        elif (each.type == "taskmaster.enter") == (name == CUSTOMER):
            may.append(each)
    return shown, may


def _show_page(name: str, view: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the parts of the page; to the assistant, wishes that the customer has named."""
    said = " ".join(b["text"] or "" for b in view["bubbles"]).casefold()
    for part in view["page"]:
        if part["kind"] == "check" and name == CUSTOMER:
            continue
        if part["kind"] == "field" and name == ASSISTANT:
            value = part["value"]
            is_named = value is not None and value.casefold() in said
            yield {**part, "value": value if is_named else None}
        else:
            yield part


def _show_bubbles(
    speaker: str, bubbles: Sequence[dict[str, Any]], following: dict[str, Any] | None
) -> Iterator[dict[str, Any]]:
    """Yields one's own turns with their hints, and those of the other that were said."""
    for each in bubbles:
        if each["speaker"] == speaker:
            yield {**each, "open": each is following}
        elif following is None or each["number"] < following["number"]:
            yield {**each, "hint": None, "must": [], "open": False}


_TEXTS = load_beside(__file__, "voices.toml", dict[str, dict[str, str]])
TWO_SIDES = Voices(
    role=ROLE,
    names=(CUSTOMER, ASSISTANT),
    narrow=narrow,
    briefings={name: text.strip() for name, text in _TEXTS["briefings"].items()},
)
