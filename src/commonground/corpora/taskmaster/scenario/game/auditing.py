"""How the customer's turns of a script are audited; the worker in the only seat writes both sides.

A turn that lacks a value of its hint is refused by the rules. What is left to be found is what the
customer could not say or would not: a value of the script that no hint gives the customer and that
the assistant has not named yet, a clock time or an amount of dollars that nobody has named, and, of
things that the assistant offers side by side, another one than the hint says. What a script asks
for beside that is prose, and not decided; nor is anything of a dialogue in free form.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from commonground.corpora.taskmaster.scenario.game.state import Bubble, State
from commonground.corpora.taskmaster.scenario.scripts.filling import fill, list_used
from commonground.corpora.taskmaster.scenario.scripts.language import (
    Enter,
    Force,
    Hint,
    Listing,
    Response,
)
from commonground.games.auditing import Audit, Fault, Said
from commonground.games.scenario import Act

# "$12.50" without the full stop behind it, "$ 5", "7:30".
_COUNTED = re.compile(r"\$\s?\d[\d,.]*\d|\$\s?\d|\b\d{1,2}:\d\d\b")
"""Amounts of dollars, and times of a clock."""


class _Told(msgspec.Struct, frozen=True):
    """What the customer of a script was told.

    Attributes:
        values: of the script's variables.
        own: values that belong to the customer: those that a hint to it gives, and those entered.
        rivals: of each variable, values that are offered beside its own.
    """

    values: dict[str, str]
    own: frozenset[str]
    rivals: dict[str, frozenset[str]]


def list_written(state: State) -> list[Said]:
    """Lists the turns that were written; those that a script fixes are nobody's."""
    return [
        Said(each.speaker, each.text)
        for each in state.bubbles()
        if each.text is not None and each.number in state.written
    ]


def find_faults(state: State, _said: Sequence[Said]) -> Iterator[Fault]:
    """Yields what a customer said beside its script or against it; nothing in free form."""
    if state.is_free:
        return
    told = _read_told(state)
    hints = " ".join(each.hint for each in state.plan if each.speaker == "user" and each.hint)
    # Grows turn by turn: what the assistant has said by then, the customer may say, too.
    heard = " ".join((hints, *told.own))
    for bubble in state.bubbles():
        if bubble.text is None:
            continue
        if bubble.speaker == "user" and bubble.number in state.written:
            yield from _compare(state, told, bubble, heard)
        heard += f" {bubble.text}"


def _read_told(state: State) -> _Told:
    script, values = state.setting.script, state.values
    own = {each.name for each in script.of(Enter)}
    for line in state.setting.turns:
        if isinstance(line, Hint) and line.speaker == "user":
            own.update(list_used(line.text, values))
    return _Told(
        values=values,
        own=frozenset(values[name] for name in own if name in values),
        rivals=_find_rivals(state),
    )


def _find_rivals(state: State) -> dict[str, frozenset[str]]:
    """Returns, by variable, the values that the script offers in its place."""
    script, values = state.setting.script, state.values
    types = script.types
    found: dict[str, set[str]] = defaultdict(set)
    for line in script.lines:
        if isinstance(line, Response):
            text = line.body
        elif isinstance(line, Hint | Force) and line.speaker == "assistant":
            text = line.text
        else:
            continue
        used = [name for name in list_used(text, values) if name in values]
        for name in used:
            # Named in one line and of one type: two showtimes, say, that are offered beside each
            # other.
            alike = {each for each in used if types.get(each) == types.get(name)}
            found[name] |= {values[each] for each in alike}
    for listing in script.of(Listing):
        # Asterisks make bold, and are no part of the name.
        choices = {each.strip("*").strip() for each in listing.items}
        for each in script.of(Enter):
            if values.get(each.name) in choices:
                found[each.name] |= choices
    return {name: frozenset(rivals - {values[name]}) for name, rivals in found.items()}


def _compare(state: State, told: _Told, bubble: Bubble, heard: str) -> Iterator[Fault]:
    text = bubble.text or ""
    line = state.setting.turns[bubble.number]
    asked = [name for name in list_used(line.text, told.values) if name in told.values]
    meant = fill(line.text, told.values)
    rivals = frozenset[str]().union(*(told.rivals.get(name, ()) for name in asked))
    # "Not the 5:00, the 7:00" names a rival on purpose where the hint does, too.
    if any(_names(text, each) and not _names(meant, each) for each in rivals):
        yield Fault("contradiction", text)
    strange = (each for each in told.values.values() if _is_telling(each))
    named = any(_names(text, each) and not _names(heard, each) for each in strange)
    counted = {each.replace(" ", "") for each in _COUNTED.findall(heard)}
    if named or any(each.replace(" ", "") not in counted for each in _COUNTED.findall(text)):
        yield Fault("unwanted", text)


def _is_telling(value: str) -> bool:
    """Says whether a value can only be meant as such: no number of a digit or two."""
    return len(value) > 2


def _names(text: str, value: str) -> bool:
    # Not \b, which needs a letter at the edge: values may begin with $ or end with a mark.
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def is_customers(state: State, act: Act) -> bool:
    """Says whether a turn that was refused was the customer's."""
    number = act.payload.get("turn")
    return act.type == "taskmaster.turn" and any(
        each.number == number and each.speaker == "user" for each in state.bubbles()
    )


CUSTOMER = Audit(speaker="user", list_said=list_written, is_own=is_customers)
"""Of dialogues in free form."""

SCRIPTED_CUSTOMER = Audit(
    speaker="user",
    find_faults=find_faults,
    decides=frozenset({"unwanted", "contradiction", "ended_early"}),
    list_said=list_written,
    is_own=is_customers,
)
"""Of dialogues that are written along hints, which end where the script does and nowhere else."""
