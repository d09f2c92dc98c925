"""Invented scripts of tickets: an evening at the cinema, drawn from an invented world."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from random import Random

import msgspec

from commonground.corpora.taskmaster.native.ontology import ApiDeclaration, Entities
from commonground.corpora.taskmaster.script_language import Enter, Hide
from commonground.play.phrase_files import load_beside
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.taskmaster.invention.scenes import (
    ScriptFrame,
    Several,
    write_script,
)
from commonground.play.scenarios.taskmaster.material import (
    TaskmasterMaterial,
    read_material,
    write_json,
)

_ATTRIBUTES = {
    "genre": "name.genre",
    "person": "name.person",
    "character": "name.character",
    "release": "date.release",
    "plot": "description.plot",
    "duration": "duration.movie",
    "critics": "review.critic",
    "audience": "review.audience",
    "rating": "rating.movie",
}
"""Variables of what one can ask about a film, and their types; scenes have the same names."""


class Movie(msgspec.Struct, frozen=True):
    """An invented film.

    Attributes:
        hint: what people call it who forgot that.
        attributes: what is known of it, by type of entity: ``name.genre``.
    """

    title: str
    hint: str
    attributes: dict[str, str]


class Cinemas(msgspec.Struct, frozen=True):
    """What ``cinemas.toml`` holds: the invented theaters and films that people talk about.

    Attributes:
        dates: days as people say them.
        screens: kinds of showing.
        times: when films begin.
        preferences: when people would like to go.
        towns: what people call each town, by its name.
    """

    theaters: tuple[str, ...]
    dates: tuple[str, ...]
    screens: tuple[str, ...]
    times: tuple[str, ...]
    preferences: tuple[str, ...]
    towns: dict[str, str]
    movie: tuple[Movie, ...]


class FormQuestion(msgspec.Struct, frozen=True):
    """Something that the worker enters.

    Attributes:
        name: of the variable, and of the scene that needs it.
        label: type of the value.
    """

    name: str
    label: str
    ask: str


class Scenes(msgspec.Struct, frozen=True):
    """What ``scenes.toml`` holds: pieces of conversations, and what stands around each.

    Attributes:
        titles: of scripts, by the scene in which a film is found.
        questions: what the worker is asked, each by the scene that needs it.
        scenes: the pieces, by name.
        welcome: what the desk says first, in the examples of rewards.
        wrong: what it says instead of the right thing there.
    """

    titles: dict[str, str]
    questions: tuple[FormQuestion, ...]
    frame: ScriptFrame
    scenes: dict[str, str]
    welcome: str
    wrong: str


class Ontology(msgspec.Struct, frozen=True):
    """``ontology.toml``: what the released files of the ontology would hold."""

    entities: dict[str, Entities]
    apis: dict[str, ApiDeclaration]


@cache
def load_cinemas() -> Cinemas:
    """Returns the invented world of theaters and films that scripts draw from."""
    return load_beside(__file__, "cinemas.toml", Cinemas)


@cache
def load_scenes() -> Scenes:
    """Returns the pieces of scripts."""
    return load_beside(__file__, "scenes.toml", Scenes)


@cache
def load_ontology() -> Ontology:
    """Returns the declarations that invented dialogues keep to."""
    return load_beside(__file__, "ontology.toml", Ontology)


def invent_material(sessions: int, seed: int) -> list[TaskmasterMaterial]:
    """Invents scripts: one for about two dialogues, eight at least."""
    count = max(8, sessions // 2)
    return [invent_script(Random(f"{seed}:tickets:{number}")) for number in range(count)]


def invent_script(rng: Random) -> TaskmasterMaterial:
    """Invents a script: its scenes, and all values but those that the worker enters."""
    world, pieces = load_cinemas(), load_scenes()
    way = rng.choice(list(pieces.titles))
    scenes = _choose_scenes(way, rng)
    movie = rng.choice(world.movie)
    others = rng.sample([each for each in world.movie if each is not movie], rng.randint(0, 2))
    films = rng.sample([movie, *others], len(others) + 1)
    theaters = rng.sample(world.theaters, rng.randint(1, 3))
    times = rng.sample(world.times, rng.randint(1, 3))
    # In the order in which a day's times are listed.
    times.sort(key=world.times.index)
    several = {
        "film": Several(len(films)),
        "theater": Several(len(theaters), rng.randint(1, len(theaters))),
        "time": Several(len(times), rng.randint(1, len(times))),
    }
    town = rng.choice(list(world.towns))
    values = {
        "date": ("date.showing", rng.choice(world.dates)),
        "town": ("location", town),
        "town_said": ("location", world.towns[town]),
        "movie": ("name.movie", movie.title),
        "movie_said": ("name.movie", movie.hint),
        **_number("film", "name.movie", [each.title for each in films]),
        **{name: (label, movie.attributes[label]) for name, label in _ATTRIBUTES.items()},
        **_number("theater", "name.theater", theaters),
        # People shorten names, and what they say is no value of the script then.
        "called": ("name.theater", theaters[several["theater"].chosen - 1].split(" ")[0]),
        "screen": ("type.screening", rng.choice(world.screens)),
        **_number("time", "time.showing", times),
        "preference": ("time.preference", rng.choice(world.preferences)),
    }
    hidden = [Hide(name, label, value) for name, (label, value) in values.items()]
    directives: list[Hide | Enter] = [
        *hidden,
        *(Enter(q.name, q.label, q.ask) for q in pieces.questions if q.name in scenes),
    ]
    # How many go is asked in the form alone, and is no piece of conversation.
    pages = [pieces.scenes[name] for name in scenes if name != "people"]
    return TaskmasterMaterial(
        pieces.titles[way], write_script(pieces.frame, directives, pages, several, rng)
    )


def _choose_scenes(way: str, rng: Random) -> list[str]:
    """Chooses the scenes of an evening, by name; questions have the names of what is asked."""
    asked = rng.sample(list(_ATTRIBUTES), rng.randint(1, 2)) if rng.random() < 0.6 else []
    has_seats = rng.random() < 0.4
    end = ["sold_out"]
    if rng.random() < 0.85:
        end = ["available", "book_seats" if has_seats else "book"]
        end.append("booked" if rng.random() < 0.9 else "failed")
    return [
        *(["greet"] if rng.random() < 0.3 else []),
        *("place", way, "fine", *asked, "theaters"),
        "theater_short" if rng.random() < 0.4 else "theater_whole",
        "screen" if rng.random() < 0.5 else "no_screen",
        *("times", "people", "seats" if has_seats else "no_seats", *end),
    ]


def _number(name: str, label: str, values: Sequence[str]) -> dict[str, tuple[str, str]]:
    return {f"{name}_{number}": (label, value) for number, value in enumerate(values, 1)}


def write_ontology(out: Path, seed: int | None) -> None:
    """Writes what invented scripts call and label; that of other scripts is their authors'."""
    if seed is not None:
        write_json(out / "ontology" / "apis.json", load_ontology().apis)
        write_json(out / "ontology" / "entities.json", load_ontology().entities)


MATERIAL = MaterialSource(
    title="A folder with one script in each file, and perhaps apis.json and entities.json.",
    invent=invent_material,
    read=partial(read_material, world="taskmaster3"),
    write=lambda _, out, seed: write_ontology(out, seed),
)
