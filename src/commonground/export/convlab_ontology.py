"""The ontology of ConvLab-3's unified format, gathered while dialogues are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from commonground.export.selection import Selection, quote

SAMPLE = 10
"""Values that are named for a slot; they are examples, as no corpus declares a closed list."""

Act = dict[str, Any]
"""A dialogue act as ConvLab has it: intent, domain, slot, and a value unless it is binary."""


class _Uses(msgspec.Struct):
    """Who uses an act."""

    user: bool = False
    system: bool = False


class Ontology:
    """Domains, slots, intents and acts that occur.

    Args:
        title: title of the corpus, for descriptions.
        states: slots of states by domain; every state has them all.
    """

    def __init__(self, title: str, states: dict[str, tuple[str, ...]]) -> None:
        self.states = states
        self._title = title
        self._slots: dict[str, dict[str, dict[str, None]]] = {}
        self._intents: dict[str, None] = {}
        self._acts: dict[str, dict[tuple[str, str, str], _Uses]] = {
            "categorical": {},
            "non-categorical": {},
            "binary": {},
        }
        for domain, slots in states.items():
            self.add_domain(domain)
            for slot in slots:
                self.add_value(domain, slot, "")

    def add_domain(self, domain: str) -> None:
        """Notes a domain."""
        self._slots.setdefault(domain, {})

    def add_value(self, domain: str, slot: str, value: str) -> None:
        """Notes a slot, and its value as one of the examples."""
        values = self._slots[domain].setdefault(slot, {})
        if value and len(values) < SAMPLE:
            values[value] = None

    def add_acts(self, kind: str, acts: Iterable[Act], speaker: str) -> None:
        """Notes acts of ``user`` or ``system``, of one kind."""
        for act in acts:
            self._intents[act["intent"]] = None
            if kind != "binary":
                self.add_value(act["domain"], act["slot"], act["value"])
            key = act["intent"], act["domain"], act["slot"]
            setattr(self._acts[kind].setdefault(key, _Uses()), speaker, True)

    def to_json(self) -> dict[str, Any]:
        """Returns ``ontology.json``."""
        return {
            "domains": {name: self._domain(name) for name in self._slots},
            "intents": {
                name: {"description": f"The act `{name}`, as released in {self._title}."}
                for name in self._intents
            },
            "state": {
                domain: dict.fromkeys(slots, "") for domain, slots in self.states.items() if slots
            },
            "dialogue_acts": {
                kind: [_spell(key, uses) for key, uses in acts.items()]
                for kind, acts in self._acts.items()
            },
        }

    def _domain(self, name: str) -> dict[str, Any]:
        slots = {
            slot: {
                "description": f"The slot `{slot}`, as released in {self._title}.",
                "is_categorical": False,
                "possible_values": list(values),
            }
            for slot, values in self._slots[name].items()
        }
        return {"description": f"`{name}` in {self._title}.", "slots": slots}


def _spell(key: tuple[str, str, str], uses: _Uses) -> str:
    """Writes an act as the text of a Python dict, which is how ConvLab reads it."""
    intent, domain, slot = key
    return repr(
        {
            "user": uses.user,
            "system": uses.system,
            "intent": intent,
            "domain": domain,
            "slot": slot,
        }
    )


def find_state_slots(selection: Selection, corpus: str) -> dict[str, tuple[str, ...]]:
    """Returns the slots that states have, by domain, in order of name."""
    query = (
        "SELECT DISTINCT coalesce(domain, corpus), slot "
        f"FROM {selection.source('states')} JOIN dialogues USING (corpus, dialogue_id) "
        f"WHERE corpus = {quote(corpus)} AND kind = 'info' AND slot IS NOT NULL ORDER BY ALL"
    )
    found: dict[str, tuple[str, ...]] = {}
    for domain, slot in selection.rows(query):
        found[domain] = (*found.get(domain, ()), slot)
    return found
