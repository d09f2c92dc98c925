"""A coffee bar, as in Taskmaster-4: a menu, what can be added, and orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Literal

import msgspec

from commonground.corpora.taskmaster.native.calls import combine_calls
from commonground.corpora.taskmaster.native.dialogues import CoffeeDialogue, RewardExample
from commonground.files.reading import ConversionError
from commonground.model import Json
from commonground.play.scenarios.taskmaster.taskmaster4.material import load_bar
from commonground.play.world import (
    Answer,
    Arguments,
    CallError,
    Course,
    Function,
    SeenCall,
    WorldSource,
    iterate_answered,
    read_facts,
    same_but_order,
)
from commonground.play.worlds._taskmaster import read_reward

_ADVICE = "Take the numbers that add_order_item returned."


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """A drink of the menu; its description is shown where it is asked for."""

    menu_item_id: str
    name: str
    description: str | None = None


class Choice(msgspec.Struct, frozen=True):
    """Something of which one option is chosen, such as the milk.

    Attributes:
        attribute_name: None where only the id is shown.
    """

    attribute_id: str
    options: list[str]
    attribute_name: str | None = None


class Addon(msgspec.Struct, frozen=True):
    """Something that can be added, such as a syrup.

    Attributes:
        options: such as ``ADD`` and ``NO``.
        default: the option that holds where nothing is said.
    """

    addon_id: str
    name: str
    options: list[str]
    default: str | None = None


class Drawn(msgspec.Struct, frozen=True):
    """The numbers that an addition to an order is given."""

    order_id: str
    order_item_id: str


class BarFacts(msgspec.Struct, frozen=True):
    """What is true in a coffee bar.

    Attributes:
        drawn: the numbers of additions, in order; after the last they are counted.
        labels: attributes of orders that no call gave them, such as the name on the cup.
        names_quantity: whether an order of one item is shown with its quantity; one of several
            always is.
    """

    items: tuple[Item, ...] = ()
    choices: tuple[Choice, ...] = ()
    addons: tuple[Addon, ...] = ()
    drawn: tuple[Drawn, ...] = ()
    labels: dict[str, list[dict[str, Any]]] = {}
    names_quantity: bool = False


class Ordered(msgspec.Struct, frozen=True):
    """An item of an order.

    Attributes:
        said: what was said of it, by argument: quantity, attributes, addons, notes.
    """

    order_item_id: str
    menu_item_id: str
    said: dict[str, Json]


class Order(msgspec.Struct, frozen=True):
    """An order.

    Attributes:
        items: in the order in which they were added.
        attributes: what holds for all of it, such as whether it is to go.
        is_finished: whether it was placed.
    """

    items: tuple[Ordered, ...] = ()
    attributes: tuple[dict[str, Any], ...] = ()
    is_finished: bool = False


class BarState(msgspec.Struct, frozen=True):
    """What was ordered, by number of the order, and how many additions there were."""

    orders: dict[str, Order] = {}
    additions: int = 0


class Chosen(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An option of an attribute, as `get_addons` returns it."""

    attribute_id: str
    option: str
    attribute_name: str | None = None


class Added(msgspec.Struct, forbid_unknown_fields=True):
    """Something added, as `get_addons` returns it, with one of its options."""

    addon_id: str
    option: str


class _GetMenuItems(Arguments):
    query: str
    fields: list[str] = []  # noqa: RUF012 - a struct copies it


class _GetAddons(Arguments):
    query: str
    menu_item_id: str | None = None
    scope: Literal["order"] | None = None


class _AddOrderItem(Arguments):
    menu_item_id: str
    quantity: str
    order_id: str | None = None
    attributes: list[Chosen] | None = None
    addons: list[Added] | None = None
    notes: str | None = None


class _UpdateOrderItem(Arguments):
    order_item_id: str
    quantity: str | None = None
    attributes: list[Chosen] | None = None
    addons: list[Added] | None = None
    notes: str | None = None


class _UpdateOrder(Arguments):
    order_id: str
    attributes: list[Chosen]


class _OfOrder(Arguments):
    order_id: str


def _get_menu_items(facts: BarFacts, state: BarState, asked: _GetMenuItems) -> Answer[BarState]:
    found = [each for each in facts.items if _is_asked(asked.query, [each.name])]
    shown = [msgspec.to_builtins(each) for each in found]
    if "description" not in asked.fields:
        for each in shown:
            each.pop("description", None)
    return Answer({"menu_items": shown}, state)


def _get_addons(facts: BarFacts, state: BarState, asked: _GetAddons) -> Answer[BarState]:
    choices = [
        each
        for each in facts.choices
        if _is_asked(asked.query, [each.attribute_name or each.attribute_id, *each.options])
    ]
    addons = [each for each in facts.addons if _is_asked(asked.query, [each.name])]
    result: dict[str, Json] = {}
    if choices or not addons:
        result["attributes"] = [_show(each) for each in choices]
    if addons:
        result["addons"] = [_show(each) for each in addons]
    return Answer(result, state)


def _show(value: msgspec.Struct) -> dict[str, Any]:
    return {key: each for key, each in msgspec.to_builtins(value).items() if each is not None}


def _is_asked(query: str, names: Sequence[str]) -> bool:
    """Says whether one of the things asked for, divided by OR, is one of these names."""
    asked = [squeezed for part in query.split(" OR ") if (squeezed := _squeeze(part))]
    known = [squeezed for name in names if (squeezed := _squeeze(name))]
    return any(part in name or name in part for part in asked for name in known)


def _squeeze(text: str) -> str:
    """Returns the letters and digits alone: "to go" and "Togo" are the same."""
    return re.sub(r"[\W_]", "", text).casefold()


def _add_order_item(facts: BarFacts, state: BarState, asked: _AddOrderItem) -> Answer[BarState]:
    number = state.additions
    drawn = (
        facts.drawn[number]
        if number < len(facts.drawn)
        else Drawn(f"order-{number + 1}", f"item-{number + 1}")
    )
    order_id = drawn.order_id if asked.order_id is None else asked.order_id
    said = {
        key: value
        for key, value in msgspec.to_builtins(asked).items()
        if key not in ("menu_item_id", "order_id")
    }
    order = state.orders.get(order_id, Order())
    item = Ordered(drawn.order_item_id, asked.menu_item_id, said)
    order = msgspec.structs.replace(order, items=(*order.items, item))
    state = BarState({**state.orders, order_id: order}, number + 1)
    return Answer({"order_id": order_id, "order_item_id": drawn.order_item_id}, state)


def _update_order_item(
    _facts: BarFacts, state: BarState, asked: _UpdateOrderItem
) -> Answer[BarState]:
    changes = msgspec.to_builtins(asked)
    wanted = changes.pop("order_item_id")
    for order_id, order in state.orders.items():
        if wanted in [each.order_item_id for each in order.items]:
            items = tuple(
                msgspec.structs.replace(each, said=_merge(each.said, changes))
                if each.order_item_id == wanted
                else each
                for each in order.items
            )
            changed = msgspec.structs.replace(order, items=items)
            return Answer({"order_item_id": wanted}, _change_order(state, order_id, changed))
    raise CallError(f"update_order_item: no order has an item {wanted!r}.", _ADVICE)


def _merge(said: dict[str, Json], changes: dict[str, Json]) -> dict[str, Json]:
    """Returns what is said of an item after a change, which replaces options of the same id."""
    merged = dict(said)
    for key, value in changes.items():
        name = {"attributes": "attribute_id", "addons": "addon_id"}.get(key)
        merged[key] = value if name is None else _replace(said.get(key) or [], value, name)
    return merged


def _replace(before: Sequence[Json], after: Sequence[Json], name: str) -> list[Json]:
    changed = {_squeeze(each[name]) for each in after}
    return [*(e for e in before if _squeeze(str(e.get(name))) not in changed), *after]


def _get_order(state: BarState, function: str, order_id: str) -> Order:
    if order_id not in state.orders:
        raise CallError(f"{function}: there is no order {order_id!r}.", _ADVICE)
    return state.orders[order_id]


def _change_order(state: BarState, order_id: str, order: Order) -> BarState:
    return msgspec.structs.replace(state, orders={**state.orders, order_id: order})


def _update_order(_facts: BarFacts, state: BarState, asked: _UpdateOrder) -> Answer[BarState]:
    order = _get_order(state, "update_order", asked.order_id)
    attributes = _replace(order.attributes, msgspec.to_builtins(asked.attributes), "attribute_id")
    changed = msgspec.structs.replace(order, attributes=tuple(attributes))
    return Answer({"order_id": asked.order_id}, _change_order(state, asked.order_id, changed))


def _get_order_details(facts: BarFacts, state: BarState, asked: _OfOrder) -> Answer[BarState]:
    order = _get_order(state, "get_order_details", asked.order_id)
    labels = facts.labels.get(asked.order_id, [])
    names = {each.menu_item_id: each.name for each in facts.items}
    items = []
    for each in order.items:
        said = dict(each.said)
        if len(order.items) == 1 and not facts.names_quantity:
            said.pop("quantity", None)
        name = names.get(each.menu_item_id, each.menu_item_id)
        shown = {"menu_item_id": each.menu_item_id, "menu_item_name": name}
        items.append({"order_item_id": each.order_item_id, **shown, **said})
    attributes = _replace(labels, order.attributes, "attribute_id")
    result = {"order_id": asked.order_id, "attributes": attributes, "menu_items": items}
    return Answer(result, state)


def _finish_order(_facts: BarFacts, state: BarState, asked: _OfOrder) -> Answer[BarState]:
    order = _get_order(state, "finish_order", asked.order_id)
    changed = msgspec.structs.replace(order, is_finished=True)
    return Answer({"success": True}, _change_order(state, asked.order_id, changed))


def _show_menu(_facts: BarFacts, state: BarState, _asked: Arguments) -> Answer[BarState]:
    return Answer({"success": True}, state)


FUNCTIONS = (
    Function(
        "get_menu_items",
        "Finds drinks of the menu by name. Several are divided by OR.",
        _GetMenuItems,
        _get_menu_items,
        keeps=True,
    ),
    Function(
        "get_addons",
        "Finds what can be chosen or added for a drink, or for the whole order with scope order. "
        "Several things are divided by OR.",
        _GetAddons,
        _get_addons,
        keeps=True,
    ),
    Function(
        "add_order_item",
        "Adds a drink to an order; without an order_id, begins a new order.",
        _AddOrderItem,
        _add_order_item,
    ),
    Function(
        "update_order_item", "Changes a drink of an order.", _UpdateOrderItem, _update_order_item
    ),
    Function(
        "update_order",
        "Changes what holds for a whole order, such as whether it is to go.",
        _UpdateOrder,
        _update_order,
    ),
    Function("get_order_details", "Says what is in an order.", _OfOrder, _get_order_details),
    Function("finish_order", "Places an order.", _OfOrder, _finish_order),
    Function("show_menu", "Shows the guest the menu.", Arguments, _show_menu),
)


def read_courses(record: Any) -> Iterator[Course]:
    """Yields the calls of a dialogue, or of a reward example."""
    if isinstance(record, RewardExample):
        yield from read_reward(record, _unify, record.conversation_id)
    elif isinstance(record, CoffeeDialogue):
        calls = []
        for number, utterance in enumerate(record.utterances):
            path = f".utterances[{number}].annotations"
            try:
                found = combine_calls(utterance.annotations, path)
            except ConversionError as error:
                calls.append(SeenCall(path, "", None, fault=str(error)))
                continue
            for each in found:
                where = f"{path} {each.call_id}"
                # 75 calls of `show_menu` have no request.
                arguments = {} if each.arguments is None else each.arguments
                fault = "the request is not JSON" if isinstance(arguments, str) else ""
                if isinstance(each.result, str):
                    fault = fault or "the response is not JSON"
                calls.append(SeenCall(where, each.name, arguments, each.result, fault))
        yield Course(record.conversation_id, calls, record.conversation_id)


def _unify(_name: str, result: Json) -> Json:
    """Names the items of a result as dialogues do."""
    if isinstance(result, dict) and "items" in result:
        return {"menu_items" if key == "items" else key: each for key, each in result.items()}
    return result


class _Details(msgspec.Struct):
    order_id: str
    attributes: list[dict[str, Any]]


class _Named(msgspec.Struct):
    menu_item_id: str
    menu_item_name: str


def find_facts(courses: list[Course]) -> BarFacts:
    """Returns what was seen in a bar."""
    items: dict[str, Item] = {}
    choices: dict[str, Choice] = {}
    addons: dict[str, Addon] = {}
    labels: dict[str, list[dict[str, Any]]] = {}
    changed: set[tuple[str, str]] = set()
    names_quantity = False
    for call in iterate_answered(courses):
        result = call.result if isinstance(call.result, dict) else {}
        match call.function:
            case "get_menu_items":
                for item in read_facts(result.get("menu_items"), Item):
                    items.setdefault(item.menu_item_id, item)
            case "get_addons":
                for choice in read_facts(result.get("attributes"), Choice):
                    choices.setdefault(choice.attribute_id, choice)
                for addon in read_facts(result.get("addons"), Addon):
                    addons.setdefault(addon.addon_id, addon)
            case "update_order":
                for asked in read_facts([call.arguments], _UpdateOrder):
                    changed |= {
                        (asked.order_id, _squeeze(e.attribute_id)) for e in asked.attributes
                    }
            case "get_order_details":
                shown = read_facts(result.get("menu_items"), dict[str, Any])
                names_quantity |= len(shown) == 1 and "quantity" in shown[0]
                for order in read_facts([result], _Details):
                    # What a call gave an order, only such a call gives it again.
                    given = [
                        each
                        for each in order.attributes
                        if (order.order_id, _squeeze(str(each.get("attribute_id")))) not in changed
                    ]
                    labels.setdefault(order.order_id, given)
                for named in read_facts(shown, _Named):
                    item = Item(named.menu_item_id, named.menu_item_name)
                    items.setdefault(item.menu_item_id, item)
    # Examples of one dialogue repeat what stands before them: the longest has all of it.
    longest: list[Drawn] = []
    for course in courses:
        longest = max(longest, _list_drawn(course), key=lambda each: len(each))
    return BarFacts(
        items=tuple(items.values()),
        choices=tuple(choices.values()),
        addons=tuple(addons.values()),
        drawn=tuple(longest),
        labels=labels,
        names_quantity=names_quantity,
    )


def _list_drawn(course: Course) -> list[Drawn]:
    additions = [call for call in iterate_answered([course]) if call.function == "add_order_item"]
    return read_facts([call.result for call in additions], Drawn)


def invent_facts(seed: int) -> BarFacts:
    """Invents a bar: the drinks of invented scripts, with numbers drawn by the seed."""
    bar, rng = load_bar(), Random(f"{seed}:bar")
    items = []
    for name in bar.drinks:
        slug = re.sub(r"\W+", "-", name).lower()
        items.append(Item(f"{slug}-{rng.randrange(1000, 10000)}", name))
    choices = [
        Choice(name, list(options), name.replace("-", " ").capitalize())
        for name, options in bar.options.items()
    ]
    return BarFacts(tuple(items), tuple(choices))


WORLD = WorldSource(
    name="taskmaster4",
    corpus="taskmaster4",
    title="A coffee bar: its menu, and orders.",
    facts=BarFacts,
    functions=FUNCTIONS,
    begin=lambda _: BarState(),
    invent_facts=invent_facts,
    read=read_courses,
    find_facts=find_facts,
    same=same_but_order,
)
