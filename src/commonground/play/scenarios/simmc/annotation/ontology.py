"""What labels are made of: the acts, attributes and slots that an annotator is offered."""

from __future__ import annotations

from functools import cache

from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.annotation.labels import THINGS


@cache
def offer_for(domain: str) -> dict[str, list[str]]:
    """Returns what is offered for a dialogue of a domain, the most usual first.

    ``user`` and ``assistant`` are the acts of each, without attributes; ``attributes`` an act may
    name after a dot; ``slots`` words may fill. Domains other than furniture have those of fashion.
    """
    found = load_beside(__file__, "ontology.toml", dict[str, dict[str, list[str]]])
    names = found["furniture" if domain == "furniture" else "fashion"]
    thing, acts = THINGS.get(domain, "OBJECT"), found["acts"]
    sides = {
        side: [act.format(thing=thing) for act in (*acts[side], *acts["both"])]
        for side in ("user", "assistant")
    }
    return {**sides, "attributes": names["attributes"], "slots": names["slots"]}
