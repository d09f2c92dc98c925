"""What the rules of all scenarios share: whose an act is, its form, and what a text may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from commonground.play.scenario import Act, Refusal
from commonground.typed_text import is_line

SERVER_FIELDS: dict[str, dict[str, type]] = {
    "moderator.message": {"text": str},
    "moderator.end": {"reason": str},
    "session.ended": {"reason": str},
}
"""The acts that every scenario has and no player makes, with the fields of their payloads."""

BY_SERVER = frozenset(SERVER_FIELDS)
"""Their types."""

COMMON_REFUSALS = frozenset({"unknown_type", "wrong_role", "bad_payload", "time_order", "over"})
"""Codes that every scenario may give."""


class Empty(msgspec.Struct, frozen=True, gc=False):
    """The payload of acts that say all by their type."""


class Text(msgspec.Struct, frozen=True, gc=False):
    """The payload of what somebody writes."""

    text: str


class Reason(msgspec.Struct, frozen=True, gc=False):
    """The payload of acts that end a session: why."""

    reason: str


SERVER_FORMS: dict[str, type[msgspec.Struct]] = {
    "moderator.message": Text,
    "moderator.end": Reason,
    "session.ended": Reason,
}
"""The payloads of what no player does."""


def refuse_stranger(
    act: Act, authors: Mapping[str, tuple[str | None, ...]], last_us: int | None
) -> Refusal | None:
    """Says why nobody can make an act then; None where it is for the rules to say.

    Args:
        authors: for each type of act the roles that may make it; None is the server.
        last_us: time of the act before; None for the first.
    """
    if act.type not in authors:
        return Refusal("unknown_type", "protocol", {"type": act.type})
    if act.role not in authors[act.type]:
        return Refusal("wrong_role", "protocol", {"role": act.role})
    # Equal times are refused, too: the order of acts must follow from their times.
    if last_us is not None and act.at_us <= last_us:
        return Refusal("time_order", "protocol", {"after_us": last_us})
    return None


def read_payload(payload: dict[str, Any], form: type[Any]) -> Any:
    """Returns a payload as a struct, or why it is none of that form."""
    try:
        return msgspec.convert(payload, form)
    except (msgspec.ValidationError, RecursionError) as error:
        return Refusal("bad_payload", "protocol", {"field": str(error)[:80]})


def refuse_fields(payload: dict[str, Any], fields: Mapping[str, type]) -> Refusal | None:
    """Says which field of a payload is missing or of another type; None where none is."""
    for name, wanted in fields.items():
        if not isinstance(payload.get(name), wanted):
            return Refusal("bad_payload", "protocol", {"field": name})
    return None


def refuse_line(text: str, most: int) -> Refusal | None:
    """Says why a text of at most so many characters is none that can be read; None where it is."""
    if not text.strip():
        return Refusal("empty")
    if len(text) > most:
        return Refusal("too_long", parameters={"most": most, "found": len(text)})
    return None if is_line(text) else Refusal("unprintable")


def show_message(act: Act, text: str, number: int | None = None) -> dict[str, Any]:
    """Returns a text as the ``chat`` of views has it; no ``number`` where rounds mean nothing."""
    return {"role": act.role, "text": text, "round": number, "at_us": act.at_us}
