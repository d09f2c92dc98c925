"""A user's words from a released dialogue: what its person said next, as long as it still fits.

The dialogues are those of the reader's own import of SIMMC. Of a shop with other things in it, a
person's next words fit where what they speak of has its like: something of the same kind, at the
same place, of the colours that they name, and the same thing each time it is spoken of again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from random import Random
from typing import Any, Literal

import msgspec

from commonground.model import Dialogue
from commonground.play.scenarios.simmc.annotation.proposals import name_attributes
from commonground.play.scenarios.simmc.game.talk import refuse_text
from commonground.play.scenarios.simmc.shop.items import Domain, Item
from commonground.play.sessions.session_logs import BorrowedWords
from commonground.store.opening import load

Misfit = Literal[
    "no one",
    "no more",
    "not there",
    "another thing",
    "never seen",
    "in the cart",
    "not asked",
    "refused",
]
"""Why the words of a person end: no dialogue of the import begins as this one does, about things
that are sold here; the person said nothing more; nothing is at the place that they spoke of; what
is there is of another kind or colour, or not the same thing as before; they spoke of something seen
earlier that was not seen here; what they bought is in the cart already; they were asked something
else, or answered what was not asked here; the rules refuse their words."""


class Referent(msgspec.Struct, frozen=True):
    """A thing that somebody spoke of, or saw.

    Attributes:
        kind: such as ``dress``, in small letters; empty where that is not known.
        place: where it was in view; empty where it was not.
        colors: in small letters.
    """

    thing: str
    kind: str
    place: str
    colors: frozenset[str]


class ReleasedTurn(msgspec.Struct, frozen=True):
    """What a person said.

    Attributes:
        about: what they speak of; all that was in view where nobody labelled it.
        buys: whether something is to be put into the cart.
        turns: whether something in focus is to be turned.
        views: whether they are about something that is in view.
        before: what the assistant had said; empty before anything was.
        answers: whether they answer a question and do nothing else.
    """

    text: str
    about: tuple[Referent, ...]
    buys: bool
    turns: bool
    views: bool
    before: str
    answers: bool


def read_turns(dialogue: Dialogue) -> list[ReleasedTurn]:
    """Reads what the user of a dialogue of SIMMC 1 said, turn by turn, and what of."""
    kinds = {each.object_id: _kind_of(each.attributes) for each in dialogue.objects}
    labelled = {each.event for each in dialogue.acts}
    turns: list[ReleasedTurn] = []
    scene: dict[str, Referent] = {}
    before = ""
    for number, event in enumerate(dialogue.events):
        if event.kind != "utterance":
            continue
        if event.speaker != "user":
            before = event.text
            continue
        # A scene is released where it changed, and else empty.
        scene = {each.thing: each for each in _list_scene(dialogue, number, kinds)} or scene
        acts = {each.act for each in dialogue.acts if each.event == number}
        named = dict.fromkeys(
            each.object_id for each in dialogue.groundings if each.event == number
        )
        unseen = (Referent(each, kinds.get(each, ""), "", frozenset()) for each in named)
        about = [scene.get(each.thing, each) for each in unseen]
        turns.append(
            ReleasedTurn(
                text=event.text,
                about=tuple(about if number in labelled else scene.values()),
                buys=_does(acts, "ADD_TO_CART"),
                turns=_does(acts, "ROTATE"),
                views=_does(acts, "PREFER", "DA:ASK", "ADD_TO_CART", "ROTATE"),
                before=before,
                answers=bool(acts) and all(_does({each}, ":REFINE", "CONFIRM") for each in acts),
            )
        )
    return turns


def _does(acts: Iterable[str], *verbs: str) -> bool:
    return any(verb in each for each in acts for verb in verbs)


def _kind_of(attributes: Any) -> str:
    found = attributes or {}
    return str(found.get("type") or found.get("class_name") or "").lower()


def _list_scene(dialogue: Dialogue, event: int, kinds: Mapping[str, str]) -> Iterator[Referent]:
    for each in dialogue.displays:
        if each.event == event:
            found = each.attributes or {}
            yield Referent(
                thing=each.object_id,
                kind=_kind_of(found) or kinds.get(each.object_id, ""),
                place=found.get("pos", "focus"),
                colors=_read_colors(found.get("color")),
            )


def _read_colors(found: Any) -> frozenset[str]:
    return frozenset(each.lower() for each in ([found] if isinstance(found, str) else found or ()))


class _Person(msgspec.Struct, frozen=True):
    dialogue: str
    kinds: frozenset[str]
    turns: tuple[ReleasedTurn, ...]


@lru_cache(maxsize=2)
def _read_people(_manifest: bytes, domain: Domain) -> tuple[_Person, ...]:
    """Reads the users of all dialogues of a domain whose things are known."""
    found = []
    for dialogue in load("simmc").dialogues(domain=domain):
        kinds = frozenset(_kind_of(each.attributes) for each in dialogue.objects) - {""}
        turns = tuple(read_turns(dialogue)) if kinds else ()
        if turns:
            found.append(_Person(dialogue.dialogue_id, kinds, turns))
    return tuple(found)


class _Seen(msgspec.Struct, frozen=True):
    number: int
    kind: str
    colors: frozenset[str]


class ReleasedWords:
    """The words of a person of a released dialogue for a user of a session; the seed decides whose.

    Raises:
        StoreError: SIMMC was not imported.
    """

    def __init__(self, domain: Domain, items: Iterable[Item], seed: int) -> None:
        corpus = load("simmc")
        self._people = _read_people(msgspec.json.encode(corpus.manifest), domain)
        self._rng = Random(f"{seed}:released")
        self._sold = {each.kind.lower() for each in items}
        self._person: _Person | None = None
        self._said = 0
        self._bound: dict[str, int] = {}
        self._misfit: Misfit | None = None

    @property
    def borrowed(self) -> BorrowedWords:
        """What was said of them, and why no more."""
        person = self._person
        return BorrowedWords(
            dialogue="" if person is None else person.dialogue,
            turns=self._said,
            of=0 if person is None else len(person.turns),
            reason=self._misfit or "",
        )

    @property
    def is_through(self) -> bool:
        """Whether the person has said everything."""
        return self._misfit == "no more"

    def take_next(self, view: Mapping[str, Any]) -> str | None:
        """Returns what the person said next; None where it does not fit, from then on."""
        if self._misfit is not None:
            return None
        seen = _list_seen(view)
        if self._person is None and view["round"] == 1:
            self._person = self._choose(seen, view)
        if self._person is None:
            self._misfit = "no one"
        elif self.is_last:
            self._misfit = "no more"
        else:
            self._misfit = self._find_misfit(self._person.turns[self._said], seen, view)
        if self._person is None or self._misfit is not None:
            return None
        turn = self._person.turns[self._said]
        self._bound |= {each.thing: seen[each.place].number for each in turn.about if each.place}
        self._said += 1
        return turn.text

    @property
    def is_last(self) -> bool:
        """Whether what was said last is the last that the person said."""
        return self._person is not None and self._said == len(self._person.turns)

    def _choose(self, seen: Mapping[str, _Seen], view: Mapping[str, Any]) -> _Person | None:
        """Returns somebody whose dialogue begins as this one does, about what is sold here."""
        for person in self._rng.sample(self._people, len(self._people)):
            if person.kinds <= self._sold and not self._find_misfit(person.turns[0], seen, view):
                return person
        return None

    def _find_misfit(
        self, turn: ReleasedTurn, seen: Mapping[str, _Seen], view: Mapping[str, Any]
    ) -> Misfit | None:
        if refuse_text(turn.text) is not None:
            return "refused"
        if (turn.views and not seen) or (turn.turns and "focus" not in seen):
            return "not there"
        for each in turn.about:
            bound = self._bound.get(each.thing)
            if not each.place:
                if bound is None:
                    return "never seen"
                continue
            here = seen.get(each.place)
            if here is None:
                return "not there"
            named = {color for color in each.colors if color in turn.text.lower()}
            same = bound is None or bound == here.number
            if not same or each.kind != here.kind or not named <= here.colors:
                return "another thing"
            if turn.buys and here.number in view["cart"]:
                return "in the cart"
        return _compare_questions(turn, view)


def _list_seen(view: Mapping[str, Any]) -> dict[str, _Seen]:
    """Returns what a user sees, by its place."""
    focus = view.get("focus")
    shown = view.get("scene", []) if focus is None else [{**focus, "place": "focus"}]
    return {
        each["place"]: _Seen(
            number=each["image"] if "image" in each else each["item"],
            kind=each["kind"].lower(),
            colors=_read_colors(each["look"].get("color")),
        )
        for each in shown
    }


def _compare_questions(turn: ReleasedTurn, view: Mapping[str, Any]) -> Misfit | None:
    """Compares what the assistant asks with what it had asked the person, who went on from that."""
    said = [each["text"] for each in view["chat"] if each["role"] == "assistant"]
    now = said[-1] if said else ""
    if ("?" in now) != ("?" in turn.before):
        return "not asked" if turn.answers or "?" in now else None
    then = name_attributes(turn.before)
    if turn.answers and then and not then & name_attributes(now):
        return "not asked"
    return None
