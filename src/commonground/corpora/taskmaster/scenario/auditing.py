"""How the customer's turns of a script are audited; the worker in the only seat writes both sides.

A turn that lacks a value of its hint is refused by the rules, and what a script asks for beside
that is prose: whether a turn says what nobody asked for is not decided.
"""

from __future__ import annotations

from commonground.auditing import Audit, Said
from commonground.corpora.taskmaster.scenario.state import State


def list_written(state: State) -> list[Said]:
    """Lists the turns that were written; those that a script fixes are nobody's."""
    return [
        Said(each.speaker, each.text)
        for each in state.bubbles()
        if each.text is not None and each.number in state.written
    ]


CUSTOMER = Audit(speaker="user", list_said=list_written)
