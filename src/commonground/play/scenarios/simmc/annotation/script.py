"""A scripted annotator: knows the phrases of scripted players, and takes proposals for all else."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from commonground.play.player import Moment, Move, PlayerKind, Wait
from commonground.play.scenarios.simmc.annotation.known import KnownThing
from commonground.play.scenarios.simmc.annotation.labels import (
    THINGS,
    ActLabel,
    Label,
    SlotSpan,
)
from commonground.play.scenarios.simmc.annotation.rules import Utterance
from commonground.play.scenarios.simmc.game.talk import plain
from commonground.play.scenarios.simmc.players.language import (
    PhraseTemplate,
    load_phrases,
    slot_of,
    understand,
)

_TAKES_OVER = ("tell.", "check.", "compared", "bought", "focused", "rotated")
"""Answers that speak of the things that the user spoke of."""


class Annotator:
    """Labels one utterance after the other; see :class:`~commonground.play.player.Player`."""

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Labels the next utterance that has no label, or submits."""
        if isinstance(moment.pending, Move):
            return moment.pending
        view = moment.view
        number = next(
            (n for n, _ in enumerate(view["utterances"]) if str(n) not in view["labels"]), None
        )
        if number is None:
            return Move("simmc.submit", {}, 2.0 + 3.0 * rng.random())
        payload = {"utterance": number, "frames": plain(self._label(view, number))}
        return Move("simmc.label", payload, 3.0 + rng.expovariate(0.1))

    def _label(self, view: dict[str, Any], number: int) -> Label:
        now = _read(view, number)
        said = understand(now.role, now.text)
        if said is None:
            return now.proposal
        objects = self._objects(said, now, view)
        slots = [
            SlotSpan(slot_of(blank), *extent)
            for blank, extent in sorted(said.places.items(), key=lambda each: each[1])
            if slot_of(blank) != "other"
        ]
        act = load_phrases().acts[said.key].format(thing=THINGS[view["domain"]])
        return (ActLabel(act, tuple(objects), tuple(slots)),)

    def _objects(self, said: PhraseTemplate, now: Utterance, view: dict[str, Any]) -> list[int]:
        if now.role == "assistant":
            takes_over = said.key.startswith(_TAKES_OVER)
            # The user's label of the same turn has the number before.
            before = view["labels"].get(str(now.number - 1), []) if takes_over else []
            mine = {each.number for each in now.known}
            return [each for frame in before for each in frame["objects"] if each in mine]
        if said.key == "rotate":
            return [each.number for each in now.known if each.place == "focus"]
        if "attentionOn" not in said.places:
            return []
        return [*_pointed(said.words("attentionOn"), now.known), *_other(said, now.known)]


def _read(view: dict[str, Any], number: int) -> Utterance:
    """Returns an utterance of a view, with the facts of the things that the user knew."""
    shown = view["utterances"][number]
    facts = {int(number): thing["facts"] for number, thing in view["things"].items()}
    known = [{**each, "facts": facts[each["number"]]} for each in shown["known"]]
    return msgspec.convert({**shown, "known": known}, Utterance)


def _pointed(words: str, known: tuple[KnownThing, ...]) -> list[int]:
    """Returns the thing in the place that words name; that in focus where they name none."""
    places = {each.place: each.number for each in known if each.place}
    named = next((place for place in places if place in words.split()), "focus")
    return [places[named]] if named in places else []


def _other(said: PhraseTemplate, known: tuple[KnownThing, ...]) -> list[int]:
    """Returns the thing out of view that was seen last, of the colour that is named."""
    if "other" not in said.places:
        return []
    color = said.words("other").lower()
    out = [each for each in known if not each.place]
    same = [each for each in out if color in [str(c).lower() for c in each.facts.get("color", [])]]
    return [each.number for each in (same or out)[-1:]]


PLAYER = PlayerKind(
    name="script",
    title="Labels the phrases of scripted players, and takes what is proposed for all else.",
    enter=lambda _: Annotator(),
)
