"""What to propose for an utterance that somebody is to label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from commonground.corpora.simmc.native import simmc1
from commonground.play.scenarios.simmc.annotation.known import (
    PLACE,
    KnownThing,
    find_places,
    find_values,
)
from commonground.play.scenarios.simmc.annotation.labels import (
    THINGS,
    ActLabel,
    Label,
    Side,
    SlotSpan,
)
from commonground.play.scenarios.simmc.annotation.reading import Reading, asked_for

# Words that point at what is in view without naming it.
_DEICTIC = re.compile(r"\b(?:this|that|these|those|it)(?: (?:one|ones))?\b", re.IGNORECASE)
_ASSISTANT_ACTS = {
    **dict.fromkeys(
        (
            *("SearchDatabase", "SearchMemory", "SearchFurniture", "NavigateCarousel"),
            "FocusOnFurniture",
        ),
        "DA:INFORM:GET:{thing}",
    ),
    "Rotate": "DA:CONFIRM:ROTATE:{thing}",
    "AddToCart": "DA:CONFIRM:ADD_TO_CART:{thing}",
}


def propose(
    text: str,
    side: Side,
    domain: str,
    known: Iterable[KnownThing],
    call: simmc1.ApiCall | None,
    before: simmc1.ApiCall | None = None,
) -> Label:
    """Proposes a label from the words, from what is known, and from what the assistant did.

    For the assistant, spans are values of facts, as whole words, and words that point; the acts
    are those that usually come with the action of the round. What a user says is taken sentence by
    sentence: opinions first, then what the action answers; see ``proposals.toml``.

    Args:
        call: what the assistant did in the round; None where that is not known.
        before: what it did in the round before; None where there is none, or it is not known.
    """
    things = list(known)
    if side == "user":
        return Reading(text, THINGS.get(domain, "OBJECT"), things, call, before).label()
    pointing = [*_points(text, things)]
    values = [*find_values(text, things)]
    objects = [number for _, numbers in pointing for number in numbers]
    objects = objects or [number for _, numbers in values for number in numbers]
    slots = sorted({slot for slot, _ in [*pointing, *values]}, key=lambda each: each.start)
    acts = _answer_acts(THINGS.get(domain, "OBJECT"), call)
    about = tuple(dict.fromkeys(objects))
    # The words fill the first act only: the same stretch twice would be two annotations.
    return tuple(
        ActLabel(act, about, tuple(slots) if not at else ()) for at, act in enumerate(acts)
    )


def _answer_acts(thing: str, call: simmc1.ApiCall | None) -> list[str]:
    name = "None" if call is None else call.action
    if name == "SpecifyInfo":
        return [f"DA:INFORM:GET:{thing}.{each}" for each in asked_for(call) or ["info"]]
    return [_ASSISTANT_ACTS.get(name, "ERR:CHITCHAT").format(thing=thing)]


def _points(text: str, things: Sequence[KnownThing]) -> Iterator[tuple[SlotSpan, tuple[int, ...]]]:
    """Yields words that point, each with the things in view that they point at."""
    for match in PLACE.finditer(text):
        yield SlotSpan("attentionOn", *match.span()), find_places(match[0], things)
    for match in _DEICTIC.finditer(text):
        numbers = tuple(each.number for each in things if each.place == "focus")
        yield SlotSpan("attentionOn", *match.span()), numbers
