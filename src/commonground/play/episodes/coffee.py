"""Episodes of Taskmaster-4: a guest orders in a coffee bar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from commonground.corpora.taskmaster.native.dialogues import CoffeeDialogue
from commonground.model import Json
from commonground.play.episode import EpisodeSource, Held, Line, fold, fold_values
from commonground.play.world import World, name_call
from commonground.play.worlds.coffee import WORLD, BarFacts, BarState, Order, Ordered

ROLE = """\
You take orders in a coffee bar. You see what the guest says, one turn at a time, and act by calling
functions.

Look up every drink with get_menu_items before you order it, and everything that is chosen or added
with get_addons. Then order with add_order_item, or change an order with update_order_item and
update_order; numbers are text. After every change call get_order_details, which shows the guest the
order, and ask whether it is right. Place it with finish_order once the guest says so, and not
before. Where the guest wants to know what there is, call show_menu.

When you have called what is to be called, answer the guest in a sentence or two. Call nothing that
the guest has no need of."""


def read_lines(record: CoffeeDialogue) -> Iterator[Line]:
    """Yields what guest and worker say."""
    for number, each in enumerate(record.utterances):
        yield Line(each.speaker == "user", each.text, f".utterances[{number}]")


def hold(world: World[BarFacts, BarState], state: BarState) -> Held:
    """Says what is in the orders, their numbers apart."""
    defaults = {(fold(each.addon_id), fold(each.default or "no")) for each in world.facts.addons}
    things: list[str] = []
    rest: list[str] = []
    for number, order in enumerate(state.orders.values(), 1):
        things += [_write_item(number, each, defaults) for each in order.items]
        rest += _write_order(number, order)
    return Held(things, rest)


def _write_item(number: int, item: Ordered, defaults: set[tuple[str, str]]) -> str:
    said = item.said
    chosen = {(fold(e["attribute_id"]), fold(e["option"])) for e in said.get("attributes") or []}
    added = {(fold(e["addon_id"]), fold(e["option"])) for e in said.get("addons") or []}
    about = {
        "drink": fold(item.menu_item_id),
        "quantity": fold(str(said.get("quantity") or "1")),
        "options": sorted(chosen),
        "addons": sorted(each for each in added - defaults if each[1] != "no"),
        "notes": fold(str(said.get("notes") or "")),
    }
    return name_call(f"order {number}", fold_values(about))


def _write_order(number: int, order: Order) -> list[str]:
    chosen = sorted(
        f"order {number} {fold(each['attribute_id'])} {fold(each['option'])}"
        for each in order.attributes
    )
    return [*chosen, *([f"order {number} placed"] if order.is_finished else [])]


def learn(_world: World[BarFacts, BarState], _name: str, arguments: Json, result: Json) -> Json:
    """Returns what a look-up says: ids and options without their names; of nothing, the request."""
    said = _drop_names(result)
    return said or {"asked": fold_values(arguments)}


def _drop_names(value: Json) -> Any:
    """Folds a result, without names beside ids, and without what is empty."""
    if isinstance(value, dict):
        named = {k: _drop_names(v) for k, v in value.items() if not re.search("name$|^descr", k)}
        return {key: each for key, each in named.items() if each not in (None, "", [], {})}
    if isinstance(value, list):
        return [_drop_names(each) for each in value]
    return fold(value) if isinstance(value, str) else value


EPISODES = EpisodeSource(
    world=WORLD,
    role=ROLE,
    version=1,
    read_lines=read_lines,
    hold=hold,
    learn=learn,
)
