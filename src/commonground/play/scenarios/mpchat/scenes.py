"""What invented pictures show, how they are drawn, and what people say about them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from commonground.play.invented_pictures import COLORS, Thing, draw_scene
from commonground.play.phrase_files import load_beside

_NUMBERS = {2: "two", 3: "three"}


class Craft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that people make and post pictures of; in pictures it is a shape.

    Attributes:
        thing: what is made, in the singular; the plural ends in ``s``.
        made: what was done with it.
        activity: what doing so is called.
        trouble: what goes wrong with it.
        grounds: where it is seen.
    """

    thing: str
    made: str
    activity: str
    trouble: str
    tool: str
    subreddit: str
    shape: str
    grounds: tuple[str, ...]


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"words": "with"}):
    """What ``phrases.toml`` holds.

    Attributes:
        hidden: colours that cannot be seen on a ground, by ground.
        author: the two words, ``first`` and ``second``, of invented user names.
        place: what each ground is called.
        words: what else gaps are filled with, by name of the gap; ``with`` in the file.
        say: ways to say each thing that is said in a thread; the file explains their gaps.
        skip: reasons to skip a label, by language.
    """

    craft: tuple[Craft, ...]
    hidden: dict[str, tuple[str, ...]]
    author: dict[str, tuple[str, ...]]
    place: dict[str, str]
    words: dict[str, tuple[str, ...]]
    say: dict[str, tuple[str, ...]]
    skip: dict[str, tuple[str, ...]]


@cache
def load_phrases() -> Phrases:
    """Returns what invented people make and say."""
    return load_beside(__file__, "phrases.toml", Phrases)


class Scene(msgspec.Struct, frozen=True):
    """What a picture shows.

    Attributes:
        craft: what was made; it gives the shape.
        count: how many of them there are, 1 to 3.
        extra: colour of a small thing beside them; None for no such thing.
    """

    craft: Craft
    color: str
    ground: str
    count: int
    extra: str | None


def invent_scene(rng: Random, craft: Craft, color: str | None = None) -> Scene:
    """Makes up what a picture of a craft shows, in a given or any colour that can be seen there."""
    hidden = load_phrases().hidden
    color = color or rng.choice(list(COLORS))
    fitting = [each for each in craft.grounds if color not in hidden.get(each, ())]
    ground = rng.choice(fitting or craft.grounds)
    others = [each for each in COLORS if each not in (color, *hidden.get(ground, ()))]
    extra = rng.choice(others) if rng.random() < 0.4 else None
    return Scene(craft, color, ground, rng.choice((1, 1, 2, 3)), extra)


def draw_picture(path: Path, scene: Scene) -> None:
    """Draws a scene; the file's name decides where things are, so no two are quite the same."""
    rng = Random(path.name)
    things = [
        Thing(
            scene.craft.shape,
            scene.color,
            (i + 1) / (scene.count + 1) + rng.uniform(-0.03, 0.03),
            rng.uniform(0.4, 0.6),
            rng.uniform(0.38, 0.48),
        )
        for i in range(scene.count)
    ]
    if scene.extra is not None:
        things.append(Thing(scene.craft.shape, scene.extra, rng.uniform(0.1, 0.9), 0.84, 0.2))
    draw_scene(path, things, ground=scene.ground, width_px=200, height_px=150)


def describe(scene: Scene) -> str:
    """Says what a picture shows: ``two red kites and a small blue one``."""
    thing = scene.craft.thing
    if scene.count == 1:
        article = "an" if scene.color[0] in "aeiou" else "a"
        text = f"{article} {scene.color} {thing}"
    else:
        text = f"{_NUMBERS[scene.count]} {scene.color} {thing}s"
    return text if scene.extra is None else f"{text} and a small {scene.extra} one"


def say(rng: Random, templates: Sequence[str], craft: Craft, scene: Scene | None = None) -> str:
    """Fills the gaps of a sentence with the words of a craft.

    Args:
        rng: chooses the sentence and what is of no picture.
        templates: the sentences to choose from, which all do the same.
        scene: the picture that it is about; None where the sentences name none.
    """
    phrases = load_phrases()
    words = {
        "thing": craft.thing,
        "made": craft.made,
        "activity": craft.activity,
        "trouble": craft.trouble,
        "tool": craft.tool,
        **{name: rng.choice(choices) for name, choices in phrases.words.items()},
    }
    if scene is not None:
        words["what"], words["color"] = describe(scene), scene.color
        words["place"] = phrases.place[scene.ground]
    # Gaps in capitals stand at the beginning of sentences.
    words |= {word.capitalize(): text[0].upper() + text[1:] for word, text in words.items()}
    return rng.choice(templates).format_map(words)


def say_grounded(rng: Random, scenes: Sequence[Scene]) -> str:
    """Says something that follows from pictures of one's own, a sentence for each."""
    templates = load_phrases().say["grounded"]
    return " ".join(say(rng, templates, scene.craft, scene) for scene in scenes)
