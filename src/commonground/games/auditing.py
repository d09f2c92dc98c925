"""Faults of simulated users, found by rules and counted; a model is asked about nothing here.

The rules of a scenario decide when its game is over, and refuse what nobody may do; a player cannot
end it otherwise. What they let through can still be nothing that the person in that seat would have
said: that is what is looked for, in the log of acts that ``commonground play`` writes. Whatever a
rule cannot decide is left open, and said to be: None is not 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from commonground.games.scenario import Act
from commonground.games.session import Rejected

FaultKind = Literal[
    "unwanted", "contradiction", "repeated", "ended_early", "other_role", "empty", "too_long"
]

KINDS: dict[FaultKind, str] = {
    "unwanted": "says a value that it was not given, and that the other did not name",
    "contradiction": "says another value than it was given",
    "repeated": "says word for word what it has said before",
    "ended_early": "ends the session before the other could do its part",
    "other_role": "speaks as somebody else: a line begins with the name of a role",
    "empty": "writes no word at all, or tries to",
    "too_long": "tries to write more than fits",
}
"""The faults that are looked for, each with what it is."""

# `User: I want ...` at the beginning of a line, perhaps in brackets or stars: `**Agent**:`.
_LABEL = re.compile(
    r"^\s*\W?(wizard|assistant|agent|user|customer|shopper|worker|system|player [ab])\W?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
# Any letter or digit: a text of marks only, such as "...", says nothing.
_WORD = re.compile(r"\w")
_NO_TALK = ("survey", "questionnaire", "skip")
"""Ends of the types of acts whose texts are said to nobody."""


class Said(msgspec.Struct, frozen=True):
    """A text that somebody wrote.

    Attributes:
        speaker: whose it is.
        text: as it was written.
    """

    speaker: str
    text: str


class Fault(msgspec.Struct, frozen=True):
    """Something that the person in a seat would not have said or done.

    Attributes:
        kind: what is wrong.
        text: of which text, or why.
    """

    kind: FaultKind
    text: str


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """How the user of a scenario is audited: the constant ``AUDIT`` of a module of a scenario.

    Attributes:
        speaker: whose texts are looked at.
        find_faults: finds what needs the state to be seen. Arguments: the last state, all texts.
        decides: the kinds of fault that ``find_faults`` finds; of the others that need a goal
            nothing is said.
        list_said: lists the texts of the last state; None to take them from the acts.
        is_own: says whether an act that was refused was the speaker's, where one seat writes for
            several; None where the seat is the speaker. Arguments: the last state, the act.
    """

    speaker: str
    find_faults: Callable[[Any, Sequence[Said]], Iterable[Fault]] = lambda _state, _said: ()
    decides: frozenset[FaultKind] = frozenset()
    list_said: Callable[[Any], Sequence[Said]] | None = None
    is_own: Callable[[Any, Act], bool] | None = None


def list_said(acts: Iterable[Act]) -> list[Said]:
    """Lists the texts that players wrote to each other."""
    return [
        Said(each.role, each.payload["text"])
        for each in acts
        if each.role is not None
        and isinstance(each.payload.get("text"), str)
        and not each.type.endswith(_NO_TALK)
    ]


def find_plain(
    speaker: str, said: Sequence[Said], rejected: Iterable[Rejected], *, complete: bool
) -> Iterator[Fault]:
    """Yields the faults that can be told of texts alone.

    Args:
        speaker: whose texts are looked at.
        said: all texts of a session.
        rejected: acts of whoever writes for the speaker that were refused.
        complete: whether the session came to its end.
    """
    before: set[str] = set()
    for each in said:
        if each.speaker != speaker:
            continue
        plain = " ".join(each.text.casefold().split())
        if plain in before:
            yield Fault("repeated", each.text)
        before.add(plain)
        if _LABEL.search(each.text):
            yield Fault("other_role", each.text)
        if not _WORD.search(each.text):
            yield Fault("empty", each.text)
    for refused in rejected:
        code = refused.refusal.code
        if code in ("empty", "too_long"):
            kind: FaultKind = "empty" if code == "empty" else "too_long"
            yield Fault(kind, str(refused.act.payload.get("text", "")))
    if complete and said and all(each.speaker == speaker for each in said):
        yield Fault("ended_early", "nobody had answered")
