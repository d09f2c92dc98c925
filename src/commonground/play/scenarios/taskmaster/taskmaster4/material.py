"""Invented scripts of a coffee bar: a drink that the worker chooses, and what becomes of it."""

from __future__ import annotations

import json
from functools import cache, partial
from random import Random

import msgspec

from commonground.corpora.taskmaster.script_language import Enter, Hide, Rand, ScriptList
from commonground.play.phrase_files import load_beside
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.taskmaster.invention.scenes import ScriptFrame, write_script
from commonground.play.scenarios.taskmaster.material import (
    TaskmasterMaterial,
    read_material,
)

_IDS = (Rand("order_id", "id", 10000, 99999), Rand("order_item_id", "id", 10000, 99999))


class Bar(msgspec.Struct, frozen=True):
    """What ``scenes.toml`` holds.

    Attributes:
        apis: what the bar's machine can do.
        drinks: the options that can be chosen for each drink.
        options: the choices of each option.
        questions: what the worker is asked, by variable.
        courses: scenes of each title of scripts, by name; ``last`` stands for one of two.
        scenes: pieces of scripts, by name.
        welcome: what the other says before the guest orders, in the examples of rewards.
    """

    apis: tuple[str, ...]
    frame: ScriptFrame
    drinks: dict[str, tuple[str, ...]]
    options: dict[str, tuple[str, ...]]
    questions: dict[str, str]
    courses: dict[str, tuple[str, ...]]
    scenes: dict[str, str]
    welcome: str


@cache
def load_bar() -> Bar:
    """Returns what scripts of a coffee bar are made of."""
    return load_beside(__file__, "scenes.toml", Bar)


def invent_material(sessions: int, seed: int) -> list[TaskmasterMaterial]:
    """Invents scripts: one for about six dialogues, ten at least, with each title among them."""
    count, titles = max(10, sessions // 6), list(load_bar().courses)
    return [
        invent_script(titles[number % len(titles)], Random(f"{seed}:coffee:{number}"))
        for number in range(count)
    ]


def invent_script(title: str, rng: Random) -> TaskmasterMaterial:
    """Invents a script by the title of one of the bar's courses, which decides what happens."""
    bar = load_bar()
    attribute = rng.choice(list(bar.options))
    drinks = [name for name, attributes in bar.drinks.items() if attribute in attributes]
    options = bar.options[attribute]
    last = "to_go" if rng.random() < 0.3 else "yes"
    scenes = [last if name == "last" else name for name in bar.courses[title]]
    said = "\n".join(bar.scenes[name] for name in scenes)
    asked: list[ScriptList | Hide | Enter | Rand] = [
        _list(drinks),
        _ask("drink", "drink"),
        _ask("menu_item_id", "id"),
    ]
    if "var_wish" in said:
        asked += [_list(options), _ask("wish", "request")]
    if "var_request" in said:
        asked.append(_ask("request", "request"))
    asked += [_ask("name", "name"), Hide("attribute", "id", attribute), *_IDS]
    pages = [
        # A list is no string, so it has no variable of its own.
        bar.scenes[name].replace("var_options", json.dumps(options, ensure_ascii=False))
        for name in scenes
    ]
    return TaskmasterMaterial(title, write_script(bar.frame, asked, pages, {}, rng))


def _list(items: tuple[str, ...] | list[str]) -> ScriptList:
    return ScriptList(tuple(f" *{item}*" for item in items))


def _ask(name: str, label: str) -> Enter:
    return Enter(name, label, load_bar().questions[name])


MATERIAL = MaterialSource(
    title="A folder with one script in each file.",
    invent=invent_material,
    read=partial(read_material, world="taskmaster4"),
)
