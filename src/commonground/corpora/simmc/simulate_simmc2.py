"""Simulates SIMMC 2 dialogues: a crowded scene in which it is not always clear what is meant."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from commonground.corpora.simmc.native_simmc2 import (
    ActAttributes,
    Annotation,
    Dialogue2,
    SlotValues,
    Turn2,
)
from commonground.corpora.simmc.world import BRANDS, FASHION_TYPES, PATTERNS, SIZES
from commonground.corpora.simmc.writing import ListFile
from commonground.drawing import COLORS, Thing, draw_scene
from commonground.records import UNSET

FILES = {
    "train": ("simmc2_dials_dstc10_train.json", "simmc_2_dstc10"),
    "dev": ("simmc2_dials_dstc10_dev.json", "simmc_2_dstc10"),
    "mini": ("simmc2.1_dials_dstc11_mini.json", "simmc_2_dstc10"),
}
SPLITS = ("train", "dev", "mini", "train", "train")
SCENES = 6


class Seen(msgspec.Struct, frozen=True):
    """A thing of a scene."""

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
    things: list[Seen]


def simulate_simmc2(out: Path, *, dialogues: int, seed: int) -> None:
    """Writes an invented SIMMC 2 corpus below ``out``."""
    rng = random.Random(f"{seed} scenes")
    scenes = [_scene(rng, number) for number in range(SCENES)]
    for scene in scenes:
        _draw(scene, out / "images" / f"{scene.name}.png")
    files = {split: _file(out, split) for split in FILES}
    for index in range(dialogues):
        split = SPLITS[index % len(SPLITS)]
        talk = _Talk(random.Random(f"{seed} {index}"), scenes, annotated_doubt=split == "mini")
        files[split].add(talk.dialogue(7001 + index))
    for file in files.values():
        file.close()


def _file(out: Path, split: str) -> ListFile:
    name, version = FILES[split]
    around = {"split": split, "year": 2021, "domain": "fashion/furniture", "version": version}
    return ListFile(out / name, around, "dialogue_data")


def _scene(rng: random.Random, number: int) -> Scene:
    things = [
        Seen(
            number=10 * number + place,
            kind=rng.choice(tuple(FASHION_TYPES)),
            color=rng.choice(tuple(COLORS)),
            pattern=rng.choice(PATTERNS),
            brand=rng.choice(BRANDS),
            size=rng.choice(SIZES),
            price=rng.randint(20, 200) + 0.99,
            review=rng.randint(10, 50) / 10,
            x=(place % 4 + 0.5) / 4,
            y=0.3 + 0.4 * (place // 4),
        )
        for place in range(8)
    ]
    return Scene(f"m_cloth_store_{1000 + number}_corner_{number}", things)


def _draw(scene: Scene, path: Path) -> None:
    shapes = [
        Thing(FASHION_TYPES[each.kind], each.color, each.x, each.y, 0.28) for each in scene.things
    ]
    draw_scene(path, shapes, ground="room")


def _act(
    act: str,
    objects: tuple[Seen, ...] = (),
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
    """A dialogue under way."""

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
        doubt: tuple[Seen, ...] | None = None,
    ) -> None:
        label: int = int(bool(doubt))
        if self._in_annotation:
            user.disambiguation_label = label
            user.disambiguation_candidates = [each.number for each in doubt or ()]
            raw: list[int | str] = ["all", doubt[0].kind] if doubt else []
            user.disambiguation_candidates_raw = raw
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

    def offer(self) -> Seen:
        """Asks for a kind of thing; the assistant points one out."""
        thing = self.rng.choice(self.scene.things)
        wish: SlotValues = {"type": thing.kind, "pattern": thing.pattern}
        sizes = self.rng.sample(SIZES, 2)
        if self.rng.random() < 0.4:
            wish |= {"availableSizes": sizes, "price": "cheap"}
        asked = self.rng.choice(
            (
                f"Is there a {thing.pattern} {thing.kind} here?",
                f"I would like to see a {thing.pattern} {thing.kind}.",
            )
        )
        told = f"There is a {thing.color} {thing.kind} over there."
        answer = _act("INFORM:GET", (thing,), {"type": thing.kind, "color": thing.color})
        self._write((asked, told), _act("REQUEST:GET", (), wish), answer)
        return thing

    def ask(self, thing: Seen) -> None:
        """Asks for price and review of a thing."""
        values: SlotValues = {
            f"Object ID: {thing.number}": {"price": thing.price, "customerReview": thing.review}
        }
        words = (
            f"What do you ask for the {thing.color} {thing.kind}, and how do people rate it?",
            f"It is ${thing.price}, and people give it {thing.review}.",
        )
        user = _act("ASK:GET", (thing,), None, ("price", "customerReview"))
        self._write(words, user, _act("INFORM:GET", (thing,), values), ())

    def ask_in_doubt(self, thing: Seen) -> None:
        """Asks for the size of one of several alike; the assistant asks which is meant."""
        alike = tuple(each for each in self.scene.things if each.kind == thing.kind)
        words = (f"What size is the {thing.kind}?", f"Which {thing.kind} do you mean?")
        answer = _act("REQUEST:DISAMBIGUATE", (), {"type": thing.kind})
        self._write(words, _act("ASK:GET", (), None, ("size",)), answer, alike)
        values: SlotValues = {f"Object ID: {thing.number}": {"size": thing.size}}
        words = (f"The {thing.color} one.", f"That one is {thing.size}.")
        user = _act("INFORM:DISAMBIGUATE", (thing,))
        self._write(words, user, _act("INFORM:GET", (thing,), values))

    def compare(self, thing: Seen) -> None:
        """Compares a thing with another."""
        others = [each for each in self.scene.things if each.number != thing.number]
        pair = (thing, self.rng.choice(others))
        values: SlotValues = {
            f"Object ID: {each.number}": {"brand": each.brand, "availableSizes": [each.size]}
            for each in pair
        }
        words = (
            f"How does it compare with the {pair[1].color} {pair[1].kind}?",
            f"The first is by {pair[0].brand}, the second by {pair[1].brand}.",
        )
        asks = ("brand", "availableSizes")
        user = _act("REQUEST:COMPARE", pair, None, asks)
        self._write(words, user, _act("INFORM:COMPARE", pair, values))

    def buy(self, thing: Seen) -> None:
        """Buys a thing."""
        words = (f"I will take the {thing.color} {thing.kind}.", "It is in your cart now.")
        user = _act("REQUEST:ADD_TO_CART", (thing,))
        self._write(words, user, _act("CONFIRM:ADD_TO_CART", (thing,)))
