"""What labels are made of: the acts, attributes and slots that an annotator is offered."""

from __future__ import annotations

from functools import cache

import msgspec

from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.annotation.labels import THINGS


class LabelOffer(msgspec.Struct, frozen=True):
    """What is offered for a dialogue of one domain, the most usual first.

    Attributes:
        user: acts of the user's utterances, without attributes.
        assistant: those of the assistant's.
        attributes: that an act may name after a dot.
        slots: that words may fill.
    """

    user: list[str]
    assistant: list[str]
    attributes: list[str]
    slots: list[str]


class _Acts(msgspec.Struct, frozen=True):
    user: list[str]
    assistant: list[str]
    both: list[str]


class _Names(msgspec.Struct, frozen=True):
    attributes: list[str]
    slots: list[str]


class _Ontology(msgspec.Struct, frozen=True):
    acts: _Acts
    fashion: _Names
    furniture: _Names


@cache
def offer_for(domain: str) -> LabelOffer:
    """Returns what is offered for a domain; other domains than furniture have that of fashion."""
    found = load_beside(__file__, "ontology.toml", _Ontology)
    names = found.furniture if domain == "furniture" else found.fashion
    thing = THINGS.get(domain, "OBJECT")
    user, assistant = (
        [act.format(thing=thing) for act in (*acts, *found.acts.both)]
        for acts in (found.acts.user, found.acts.assistant)
    )
    return LabelOffer(user, assistant, names.attributes, names.slots)
