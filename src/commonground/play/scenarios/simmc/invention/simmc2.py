"""Simulates SIMMC 2 dialogues: a crowded scene in which it is not always clear what is meant.

The released dialogues were written from plans that a simulator had drawn, so there is no game to
play by rules; this draws plans and words alike.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import msgspec

from commonground.corpora.simmc.native.simmc2 import (
    ActAttributes,
    Annotation,
    Dialogue2,
    SlotValues,
    Turn2,
)
from commonground.play.invented_pictures import COLORS, Thing, draw_scene
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.invention.splits import write_list
from commonground.play.scenarios.simmc.shop.invented import load_words
from commonground.records import UNSET

FILES = {
    "train": ("simmc2_dials_dstc10_train.json", "simmc_2_dstc10"),
    "dev": ("simmc2_dials_dstc10_dev.json", "simmc_2_dstc10"),
    "mini": ("simmc2.1_dials_dstc11_mini.json", "simmc_2_dstc10"),
}
# In turn, so that few dialogues reach every file of the release.
SPLITS = ("train", "dev", "mini", "train", "train")
SCENES = 6


class _Seen(msgspec.Struct, frozen=True):
    """A thing of a scene, with the attributes that its catalogue gives it.

    Annotations name it by its number. The price is in US dollars, the review from 1 to 5; its place
    goes from 0 at the left and the top to 1 at the right and the bottom.
    """

    number: int
    kind: str
    color: str
    pattern: str
    brand: str
    size: str
    price: float
    review: float
    x: float
    y: float


class Scene(msgspec.Struct, frozen=True):
    """A shop scene: its released name and the things in it."""

    name: str
    things: list[_Seen]


def simulate_simmc2(out: Path, *, dialogues: int, seed: int) -> None:
    """Writes an invented SIMMC 2 corpus below ``out``.

    Args:
        dialogues: number of them, dealt to the splits in turn.
        seed: the same one gives the same bytes.
    """
    rng = random.Random(f"{seed} scenes")
    scenes = [_scene(rng, number) for number in range(SCENES)]
    for scene in scenes:
        # As released: a scene that has other things in a room has no picture of its own.
        shape_of = load_words().fashion.shapes
        shapes = [
            Thing(shape_of[each.kind], each.color, each.x, each.y, 0.28) for each in scene.things
        ]
        draw_scene((out / "images" / f"{scene.name.removeprefix('m_')}.png"), shapes, ground="room")
    made: dict[str, list[Dialogue2]] = {split: [] for split in FILES}
    for index in range(dialogues):
        split = SPLITS[index % len(SPLITS)]
        talk = _Talk(random.Random(f"{seed} {index}"), scenes, annotated_doubt=split == "mini")
        made[split].append(talk.dialogue(7001 + index))
    for split, (name, version) in FILES.items():
        around = {"split": split, "year": 2021, "domain": "fashion/furniture", "version": version}
        write_list(out / name, made[split], around, "dialogue_data")


def _scene(rng: random.Random, number: int) -> Scene:
    words = load_words()
    things = [
        _Seen(
            # Eight things a scene: ten numbers each keep scenes apart.
            number=10 * number + place,
            kind=rng.choice(tuple(words.fashion.shapes)),
            color=rng.choice(tuple(COLORS)),
            pattern=rng.choice(words.fashion.patterns),
            brand=rng.choice(words.brands),
            size=rng.choice(words.fashion.sizes),
            price=rng.randint(20, 200) + 0.99,
            review=rng.randint(10, 50) / 10,
            x=(place % 4 + 0.5) / 4,
            y=0.3 + 0.4 * (place // 4),
        )
        for place in range(8)
    ]
    prefix = "m_" if number % 2 else ""
    return Scene(f"{prefix}cloth_store_{1000 + number}_corner_{number}", things)


@cache
def _load_phrases() -> dict[str, list[tuple[str, str]]]:
    return load_beside(__file__, "phrases_simmc2.toml", dict[str, list[tuple[str, str]]])


def _act(
    act: str,
    objects: tuple[_Seen, ...] = (),
    values: SlotValues | None = None,
    asks: tuple[str, ...] = (),
) -> Annotation:
    return Annotation(
        act=act,
        act_attributes=ActAttributes(
            slot_values=values or {},
            request_slots=list(asks),
            objects=[each.number for each in objects],
        ),
    )


class _Talk:
    """A dialogue that is being invented: its two scenes, and its turns so far."""

    def __init__(self, rng: random.Random, scenes: list[Scene], *, annotated_doubt: bool) -> None:
        self.rng = rng
        self.scenes = rng.sample(scenes, 2)
        self.scene = self.scenes[0]
        self.turns: list[Turn2] = []
        self.scene_ids: dict[str, str] = {}
        self._in_annotation = annotated_doubt

    def dialogue(self, number: int) -> Dialogue2:
        """Simulates four to nine turns."""
        for place in range(self.rng.randint(1, 2)):
            self.scene = self.scenes[place]
            self.scene_ids[str(len(self.turns))] = self.scene.name
            thing = self.offer()
            self.rng.choice((self.ask, self.ask_in_doubt))(thing)
            if self.rng.random() < 0.5:
                self.compare(thing)
            self.buy(thing)
        mentioned = dict.fromkeys(
            number
            for turn in self.turns
            for side in (turn.transcript_annotated, turn.system_transcript_annotated)
            if side is not UNSET
            for number in side.act_attributes.objects
        )
        return Dialogue2(
            dialogue=self.turns,
            dialogue_idx=number,
            scene_ids=self.scene_ids,
            domain="fashion",
            mentioned_object_ids=list(mentioned),
        )

    def _write(
        self,
        words: tuple[str, str],
        user: Annotation,
        assistant: Annotation,
        doubt: tuple[_Seen, ...] | None = None,
    ) -> None:
        label: int = int(bool(doubt))
        if self._in_annotation:
            user.disambiguation_label = label
            user.disambiguation_candidates = [each.number for each in doubt or ()]
            raw: list[int | str] = ["all", doubt[0].kind] if doubt else []
            user.disambiguation_candidates_raw = raw
        # Files of DSTC10 have the label on the turn, those of DSTC11 in the user's annotation.
        on_turn = doubt is not None and not self._in_annotation
        self.turns.append(
            Turn2(
                turn_idx=len(self.turns),
                transcript=words[0],
                system_transcript=words[1],
                transcript_annotated=user,
                system_transcript_annotated=assistant,
                disambiguation_label=label if on_turn else UNSET,
            )
        )

    def _say(self, key: str, thing: _Seen, other: _Seen | None = None) -> tuple[str, str]:
        """Chooses words of both sides for a thing, and another where they speak of two."""
        blanks = msgspec.structs.asdict(thing)
        if other is not None:
            blanks |= {f"{name}2": value for name, value in msgspec.structs.asdict(other).items()}
        asked, answer = self.rng.choice(_load_phrases()[key])
        return asked.format(**blanks), answer.format(**blanks)

    def offer(self) -> _Seen:
        """Asks for a kind of thing; the assistant points one out."""
        thing = self.rng.choice(self.scene.things)
        wish: SlotValues = {"type": thing.kind, "pattern": thing.pattern}
        sizes = self.rng.sample(load_words().fashion.sizes, 2)
        if self.rng.random() < 0.4:
            wish |= {"availableSizes": sizes, "price": "cheap"}
        answer = _act("INFORM:GET", (thing,), {"type": thing.kind, "color": thing.color})
        self._write(self._say("offer", thing), _act("REQUEST:GET", (), wish), answer)
        return thing

    def ask(self, thing: _Seen) -> None:
        """Asks for price and review of a thing."""
        values: SlotValues = {
            f"Object ID: {thing.number}": {"price": thing.price, "customerReview": thing.review}
        }
        user = _act("ASK:GET", (thing,), None, ("price", "customerReview"))
        answer = _act("INFORM:GET", (thing,), values)
        self._write(self._say("ask", thing), user, answer, ())

    def ask_in_doubt(self, thing: _Seen) -> None:
        """Asks for the size of one of several alike; the assistant asks which is meant."""
        alike = tuple(each for each in self.scene.things if each.kind == thing.kind)
        answer = _act("REQUEST:DISAMBIGUATE", (), {"type": thing.kind})
        asked = _act("ASK:GET", (), None, ("size",))
        self._write(self._say("doubt", thing), asked, answer, alike)
        values: SlotValues = {f"Object ID: {thing.number}": {"size": thing.size}}
        user = _act("INFORM:DISAMBIGUATE", (thing,))
        self._write(self._say("clear", thing), user, _act("INFORM:GET", (thing,), values))

    def compare(self, thing: _Seen) -> None:
        others = [each for each in self.scene.things if each.number != thing.number]
        pair = (thing, self.rng.choice(others))
        values: SlotValues = {
            f"Object ID: {each.number}": {"brand": each.brand, "availableSizes": [each.size]}
            for each in pair
        }
        asks = ("brand", "availableSizes")
        user = _act("REQUEST:COMPARE", pair, None, asks)
        self._write(self._say("compare", *pair), user, _act("INFORM:COMPARE", pair, values))

    def buy(self, thing: _Seen) -> None:
        """The user puts a thing into the cart, and the assistant confirms it."""
        user = _act("REQUEST:ADD_TO_CART", (thing,))
        self._write(self._say("buy", thing), user, _act("CONFIRM:ADD_TO_CART", (thing,)))
