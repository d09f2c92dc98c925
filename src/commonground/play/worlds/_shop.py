"""What SIMMC's two shops share: the view, the cart, and the calls of released files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.simmc.native.catalogue import FashionItem, FurnitureItem
from commonground.corpora.simmc.native.simmc1 import (
    ApiCall,
    ApiCalls,
    Dialogue1,
    Scene,
    dialogue_id_of,
    domain_of_calls,
    domain_of_name,
)
from commonground.corpora.simmc.native.targets import Target, TargetAct
from commonground.model import Json
from commonground.play.scenarios.simmc.furniture.strokes import PLACES
from commonground.play.scenarios.simmc.shop.catalogues import (
    COLUMNS,
    make_clothes,
    make_furniture,
)
from commonground.play.scenarios.simmc.shop.items import Domain, Item, View
from commonground.play.world import (
    CallError,
    Course,
    FoundRecord,
    Function,
    SeenCall,
    WorldSource,
)
from commonground.records import UNSET


def describe(items: Mapping[int, Item], number: int) -> dict[str, Json]:
    """Describes a thing by its number and what is seen of it, where the catalogue has it."""
    return {"id": number, **(items[number].seen if number in items else {})}


def put_in_cart(view: View, number: int) -> View:
    """Puts a thing into the cart; one that is in there stays there once."""
    cart = (*view.cart, *([] if number in view.cart else [number]))
    return msgspec.structs.replace(view, cart=cart)


def need_item(name: str, items: Mapping[int, Item], number: int | None) -> Item:
    """Returns an item of the catalogue; its number is None where nothing is in focus.

    Raises:
        CallError: there is none.
    """
    if number is None or number not in items:
        what = "nothing is in focus" if number is None else f"the catalogue has no item {number}"
        raise CallError(f"{name}: {what}.", "Search first, and name what was found.")
    return items[number]


def same_view(found: Json, seen: Json) -> bool:
    """Compares a result with what a release says of it, the order of a row apart.

    A release may say less: the numbers of things without what they look like, or only what is in
    focus.
    """
    if isinstance(seen, Mapping):
        return isinstance(found, Mapping) and all(
            key in found and same_view(found[key], each) for key, each in seen.items()
        )
    if isinstance(seen, list) and seen and isinstance(seen[0], Mapping):
        ours, theirs = ({each["id"]: each for each in things} for things in (found, seen))
        return ours.keys() == theirs.keys() and same_view(ours, theirs)
    return bool(found == seen)


def make_source(
    domain: Domain,
    title: str,
    facts: type[Any],
    functions: Sequence[Function],
    prepare: Callable[[Any], Any],
    invent: Callable[[int], Any],
    read_catalogue: Callable[[Path], Iterable[Item]],
    begin: Callable[[Any], View] = lambda _: View(),
) -> WorldSource:
    """Returns where the world of one of the shops comes from; see :class:`WorldSource`.

    A world of released files is a shop of their catalogue, in which every image may be brought into
    focus, or one of the things that a dialogue of targets shows.

    Args:
        title: what can be done in it.
        facts: type of its facts, which is made of items.
    """

    def find_facts(courses: list[Course]) -> Any:
        # Each number once.
        items = {item.number: item for course in courses for item in course.facts}
        return facts(tuple(items.values()))

    return WorldSource(
        name=f"simmc-{domain}",
        corpus="simmc",
        title=title,
        facts=facts,
        functions=functions,
        begin=begin,
        invent_facts=invent,
        read=lambda record: _read_courses([FoundRecord("", "$", record)], domain),
        find_facts=find_facts,
        same=same_view,
        prepare=prepare,
        gather=lambda folder: facts(tuple(read_catalogue(folder))),
        join=partial(_read_courses, domain=domain),
    )


def _read_courses(records: Iterable[FoundRecord], domain: Domain) -> Iterator[Course]:
    """Yields the calls of one of the shops, and its catalogue where it is at hand.

    What people saw of a call is in the files of API calls; of what clothes look like it is in the
    dialogues; of furniture in the target files it is in the line of the next turn.
    """
    called: list[tuple[str, ApiCalls]] = []
    scenes: dict[str, list[Scene]] = {}
    lines: list[tuple[FoundRecord, Target]] = []
    items: list[Item] = []
    for each in records:
        match each.record:
            case ApiCalls() as record if domain_of_calls(record, each.source) == domain:
                called.append((each.source, record))
            case Dialogue1() as record if record.domains[:1] == [domain]:
                scenes[dialogue_id_of(domain, record.dialogue_idx)] = [
                    {} if turn.visual_objects is UNSET else turn.visual_objects
                    for turn in record.dialogue
                ]
            case Target() as record if domain_of_name(each.source) == domain:
                lines.append((each, record))
            case FashionItem() as record if domain == "fashion" and (each.key or "").isdecimal():
                items.append(make_clothes(int(each.key or 0), record, {}))
            case FurnitureItem(cells=dict() as cells) as record if domain == "furniture":
                # The row of names has no cells.
                if record.item_id is not None and cells.keys() >= {*COLUMNS}:
                    items.append(make_furniture(int(record.item_id), cells, {}))
    if items:
        yield Course("", [], domain, facts=items)
    for source, record in called:
        dialogue = dialogue_id_of(domain, record.dialog_id)
        calls = _read_calls(record, scenes.get(dialogue, []))
        yield Course(dialogue, calls, domain, source)
    yield from _read_targets(lines, domain)


def _read_calls(record: ApiCalls, scenes: Sequence[Scene]) -> list[SeenCall]:
    calls = []
    for number, action in enumerate(record.actions):
        if action.action == "None":
            continue
        given = action.action_supervision or {}
        path = f".actions[{number}]"
        if record.focus_images is UNSET:
            before, result = _read_furniture(action)
            calls.append(SeenCall(path, action.action, given.get("args") or {}, result, "", before))
            continue
        focus = record.focus_images
        at = {"focus": focus[number]} if number < len(focus) else {}
        seen = None
        # What a thing costs is told in words, and a cart is in no file: only a search shows.
        if number + 1 < len(focus) and action.action.startswith("Search"):
            scene = scenes[number + 1] if number + 1 < len(scenes) else {}
            # Dialogues whose scene stays the same leave it out.
            looks = [_drop_place(each) for each in scene.values()]
            seen = {"focus": {"id": focus[number + 1], **(looks[0] if len(looks) == 1 else {})}}
        calls.append(SeenCall(path, action.action, given, seen, "", at))
    return calls


def _drop_place(look: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in look.items() if name != "pos"}


def _read_furniture(action: ApiCall) -> tuple[dict[str, Any], Json]:
    """Returns what was in view before an action, and what it brought into view."""
    before, after = action.carousel_state, action.action_output_state
    at: dict[str, Any] = {}
    if before is not UNSET and before is not None:
        at = {"focus": _number(before.focus), "row": _numbers(before.carousel)}
    # What is told of things is in no file of calls.
    if after is UNSET or after is None or action.action == "SpecifyInfo":
        return at, None
    focus = _number(after.focus)
    row = [{"id": each} for each in _numbers(after.carousel)]
    return at, {"focus": None if focus is None else {"id": focus}, "carousel": row}


def _numbers(row: Sequence[str | int] | None) -> tuple[int, ...]:
    return tuple(each for thing in row or () if (each := _number(thing)) is not None)


def _number(thing: str | int | None) -> int | None:
    text = str(thing).removeprefix("OBJECT_")
    return int(text) if text.isdecimal() else None


def _read_targets(lines: Sequence[tuple[FoundRecord, Target]], domain: Domain) -> Iterator[Course]:
    """Yields the dialogues of target files. A dialogue begins where a line repeats no turn."""
    starts = [at for at, (_, line) in enumerate(lines) if not line.before]
    for start, end in pairwise([*starts, len(lines)]):
        found = lines[start:end]
        calls = _read_dialogue([(each.path, line) for each, line in found], domain)
        if not calls:
            continue
        source, first = found[0][0].source, found[0][0].path
        # Things have numbers of their dialogue there, and so each dialogue is a shop of its own.
        items = [
            _item_of(number, look)
            for _, line in found
            for name, look in line.scene.items()
            if (number := _number(name)) is not None
        ]
        yield Course(first, calls, f"{source} {first}", source, items)


def _read_dialogue(lines: Sequence[tuple[str, Target]], domain: Domain) -> list[SeenCall]:
    calls: list[SeenCall] = []
    at: dict[str, Any] = {}
    for number, (path, line) in enumerate(lines):
        at = {**at, **_place(line.scene)}
        if line.action is None or line.action.act == "None":
            continue
        given = _arguments(line.action, domain)
        after = _place(lines[number + 1][1].scene) if number + 1 < len(lines) else {}
        seen: Json = None
        # The scene of clothes does not tell which catalogue number is meant.
        if domain == "furniture" and after and line.action.act != "SpecifyInfo":
            seen = {"focus": None if after["focus"] is None else {"id": after["focus"]}}
            if "row" in after:
                seen["carousel"] = [{"id": each} for each in after["row"]]
        calls.append(SeenCall(path, line.action.act, given, seen, "", dict(at)))
    return calls


def _place(scene: Scene) -> dict[str, Any]:
    """Returns what a scene says of the view; nothing where it stayed the same."""
    places = {look.get("pos"): _number(name) for name, look in scene.items()}
    if places.get("focus") is not None:
        return {"focus": places["focus"]}
    row = tuple(number for each in PLACES if (number := places.get(each)) is not None)
    return {"focus": None, "row": row} if row else {}


def _arguments(action: TargetAct, domain: Domain) -> dict[str, Any]:
    if domain == "fashion":
        names = [slot[0] for slot in action.slots]
        return {} if action.act == "AddToCart" else {"attributes": names}
    return {slot[0]: slot[1] for slot in action.slots if len(slot) > 1}


def _item_of(number: int, look: Mapping[str, Any]) -> Item:
    """Returns a thing of a scene, which tells its type and colour and not its price."""
    facts = dict.fromkeys(("material", "decor_style", "intended_room"), "")
    facts |= {"color": str(look.get("color", "")), "sale_price": "0"}
    return Item(number, str(look.get("class_name", "")), facts, _drop_place(look))
