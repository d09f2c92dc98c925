"""What occurs in a corpus, as ConvLab's ``ontology.json`` and ``database.json`` list it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground.export.dialogue_rows import Row
from commonground.export.selection import Selection, quote

Act = dict[str, Any]
"""A dialogue act as ConvLab has it: intent, domain, slot, and a value unless it is binary."""

_SAMPLE = 10
"""Values that are named for a slot; they are examples, as no corpus declares a closed list."""


class _Uses(msgspec.Struct):
    """Which of the two sides use an act."""

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
        # Dicts to nothing are sets that keep the order in which their elements occurred.
        self._slots: dict[str, dict[str, dict[str, None]]] = {}
        self._intents: dict[str, None] = {}
        self._acts: dict[str, dict[tuple[str, str, str], _Uses]] = {
            "categorical": {},
            "non-categorical": {},
            "binary": {},
        }
        for domain, slots in states.items():
            self.add_domain(domain)
            # Without a value: no example yet, but the slot is there even if no turn names it.
            for slot in slots:
                self.add_value(domain, slot, "")

    def add_domain(self, domain: str) -> None:
        """Notes a domain, so that it is there even if it has no slot."""
        self._slots.setdefault(domain, {})

    def add_value(self, domain: str, slot: str, value: str) -> None:
        """Notes a slot, and its value as one of the examples.

        Args:
            domain: a domain that is noted.
            slot: name of the slot.
            value: a value; an empty one is no example.
        """
        values = self._slots[domain].setdefault(slot, {})
        if value and len(values) < _SAMPLE:
            values[value] = None

    def add_acts(self, kind: str, acts: Iterable[Act], speaker: str) -> None:
        """Notes acts that occur.

        Args:
            kind: categorical, non-categorical or binary.
            acts: the acts, all of that kind.
            speaker: who uses them: ``user`` or ``system``.
        """
        for act in acts:
            self._intents[act["intent"]] = None
            if kind != "binary":
                self.add_value(act["domain"], act["slot"], act["value"])
            key = act["intent"], act["domain"], act["slot"]
            setattr(self._acts[kind].setdefault(key, _Uses()), speaker, True)

    def to_json(self) -> dict[str, Any]:
        """Returns what ``ontology.json`` holds, in the order in which it occurred."""
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
        # A dialogue of no domain is in one named after its corpus, as `_Dataset` has it. Rows of
        # other kinds than `info` (requests, comparisons) give a slot no value.
        "SELECT DISTINCT coalesce(domain, corpus), slot "
        f"FROM {selection.source('states')} JOIN dialogues USING (corpus, dialogue_id) "
        f"WHERE corpus = {quote(corpus)} AND kind = 'info' AND slot IS NOT NULL ORDER BY ALL"
    )
    found: dict[str, tuple[str, ...]] = {}
    for domain, slot in selection.rows(query):
        found[domain] = (*found.get(domain, ()), slot)
    return found


def list_entities(objects: Iterator[tuple[str, Row]]) -> Iterator[dict[str, Any]]:
    """Yields objects as a database has them: attributes side by side with what each is.

    Attributes that are no names with values, or are named as ours are, stay together, too.
    """
    for key, row in objects:
        facts = {"object_id": key, **row}
        attributes = msgspec.json.decode(facts.pop("attributes", b"null"))
        if isinstance(attributes, dict):
            fitting = {name: value for name, value in attributes.items() if name not in facts}
            facts |= fitting
            attributes = attributes if len(fitting) < len(attributes) else None
        yield facts if attributes is None else {**facts, "attributes": attributes}
