"""Invented scripts of a coffee bar: a drink that the worker chooses, and what becomes of it."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from commonground.corpora.taskmaster.scenario.invention.scenes import Frame, write_script
from commonground.corpora.taskmaster.scenario.material import (
    Material,
    read_material,
)
from commonground.corpora.taskmaster.scenario.scripts.language import Enter, Hide, Listing, Rand
from commonground.games.scenario import MaterialSource

TITLES = ("Plain order", "Order with a wish", "Change of mind", "Menu first", "Special request")
_IDS = (Rand("order_id", "id", 10000, 99999), Rand("order_item_id", "id", 10000, 99999))


class Bar(msgspec.Struct, frozen=True):
    """What ``scenes.toml`` holds.

    Attributes:
        apis: what the bar's machine can do.
        frame: what stands around the turns in every script.
        drinks: the options that can be chosen for each drink.
        options: the choices of each option.
        questions: what the worker is asked, by variable.
        scenes: courses of a dialogue, as pieces of scripts.
    """

    apis: tuple[str, ...]
    frame: Frame
    drinks: dict[str, tuple[str, ...]]
    options: dict[str, tuple[str, ...]]
    questions: dict[str, str]
    scenes: dict[str, str]


@cache
def load_bar() -> Bar:
    """Returns what scripts of a coffee bar are made of."""
    text = Path(__file__).with_name("scenes.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Bar)


def invent_material(sessions: int, seed: int) -> list[Material]:
    """Invents scripts: one for about six dialogues, ten at least, with each title among them."""
    count = max(10, sessions // 6)
    return [
        invent_script(TITLES[number % len(TITLES)], Random(f"{seed}:coffee:{number}"))
        for number in range(count)
    ]


def invent_script(title: str, rng: Random) -> Material:
    """Invents a script.

    Args:
        title: one of :data:`TITLES`, which decides what happens.
        rng: decides what the guest can choose, and how it is said.
    """
    bar = load_bar()
    attribute = rng.choice(list(bar.options))
    drinks = [name for name, attributes in bar.drinks.items() if attribute in attributes]
    options = bar.options[attribute]
    to_choose = title in ("Order with a wish", "Change of mind")
    asked: list[Listing | Hide | Enter | Rand] = [
        _list(drinks),
        _ask("drink", "drink"),
        _ask("menu_item_id", "id"),
    ]
    if to_choose:
        asked += [_list(options), _ask("wish", "request")]
    if title == "Special request":
        asked.append(_ask("request", "request"))
    asked += [_ask("name", "name"), Hide("attribute", "id", attribute), *_IDS]
    pages = [
        # A list is no string, so it has no variable of its own.
        bar.scenes[name].replace("var_options", json.dumps(options, ensure_ascii=False))
        for name in _choose_scenes(title, rng)
    ]
    return Material(title, write_script(bar.frame, asked, pages, {}, rng))


def _list(items: tuple[str, ...] | list[str]) -> Listing:
    return Listing(tuple(f" *{item}*" for item in items))


def _ask(name: str, label: str) -> Enter:
    return Enter(name, label, load_bar().questions[name])


def _choose_scenes(title: str, rng: Random) -> list[str]:
    """Chooses the scenes of an order, by name."""
    last = ["to_go"] if rng.random() < 0.3 else ["yes"]
    close = [*last, "finish", "done"]
    match title:
        case "Order with a wish":
            return ["order_with", "details_with", "right", *close]
        case "Special request":
            return ["order_note", "details_note", "right", *close]
        case "Menu first":
            return ["menu", "order", "details", "right", *close]
        case "Change of mind":
            middle = ["right", "change", "details_with", "changed"]
            return ["order", "details", *middle, "no_more", "finish", "done"]
    return ["order", "details", "right", *close]


MATERIAL = MaterialSource(
    title="A folder with one script in each file.",
    invent=invent_material,
    read=read_material,
)
