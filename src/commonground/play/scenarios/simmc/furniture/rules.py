"""The rules of the furniture game.

The assistant searches a catalogue by type, price, colour, material, style and room. It sees three
of what was found at a time, goes on to the next three or back, brings one of them into focus, turns
it to another side, puts it back, and opens texts that tell what the catalogue says of a thing. The
user sees what is *shared*, and nothing before that: a row of up to three things, or one in focus.

Two more buttons say what cannot be seen: *specify*, that attributes of a thing are told, and
*cart*, that a thing is put into the cart, or, in the same round, out of it again. A price or
dimension in the answer, of a thing whose text was opened in the round, counts as specified without
the button.

What was shared, specified and put into the cart in a round comes to the action of the round by the
rules in ``strokes``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native.simmc1 import ApiCall, ApiCalls, Carousel
from commonground.play.acts import Empty
from commonground.play.scenario import Allowed, Refusal, Sitting, payload_schema
from commonground.play.scenarios.simmc.furniture import strokes
from commonground.play.scenarios.simmc.furniture.material import (
    Form,
    FurnitureMaterial,
    make_form,
    require_sound,
)
from commonground.play.scenarios.simmc.furniture.strokes import (
    PLACES,
    Action,
    Name,
    Screen,
    Stroke,
)
from commonground.play.scenarios.simmc.game.graphs import IN_CART, scene_of, show, tell
from commonground.play.scenarios.simmc.game.talk import ShopGame, ShopState, plain, replace
from commonground.play.scenarios.simmc.release import ShopRound, build_dialogue, build_turn
from commonground.play.scenarios.simmc.shop.items import DIRECTIONS, Item, ShopFacts, View
from commonground.play.worlds.furniture import FUNCTIONS, facts_of, find_page

Side = Literal["front", "left", "right", "back", "up", "down"]


class FurnitureRound(ShopRound, frozen=True, kw_only=True):
    """A round under way, or over.

    Attributes:
        scene: what the user saw at its start, by its place.
        seen: the same, as API calls have it.
        opened: things whose text was opened.
        specified: things and attributes that were told of them.
        action: what the round comes to; None for nothing.
        left: what the user saw at its end.
    """

    scene: dict[int, str]
    seen: Carousel
    strokes: tuple[Stroke, ...] = ()
    opened: tuple[int, ...] = ()
    specified: dict[int, tuple[str, ...]] = msgspec.field(default_factory=dict)
    action: Action | None = None
    left: Carousel | None = None


class FurnitureState(ShopState[FurnitureRound], frozen=True, kw_only=True):
    """A session between two acts.

    The view is what the assistant sees, shared or not.

    Attributes:
        screen: of the assistant, as the log has it: what is prepared, and what is shared.
        shared_side: that the user sees of what is in focus.
        seen: what the user sees, as API calls have it: with no focus at all until a share.
        unshared: keystrokes of closed rounds that were not shared in them.
    """

    form: Form
    screen: Screen = Screen()
    shared_side: str = "front"
    seen: Carousel = msgspec.field(default_factory=lambda: Carousel(focus=None, carousel=[]))
    unshared: tuple[Stroke, ...] = ()


def shared_scene(screen: Screen) -> dict[int, str]:
    """Returns what the user sees, by its place."""
    if screen.shared_focus:
        return {int(screen.shared_focus): "focus"}
    return {int(each): place for each, place in zip(screen.shared_row, PLACES, strict=False)}


def press(
    state: FurnitureState,
    name: Name,
    after: Screen | None = None,
    *,
    text_focus: str = "",
    **more: Any,
) -> FurnitureState:
    """Returns the state after a keystroke.

    Args:
        state: the state before; its view is that after it.
        name: of the API call that the keystroke is recorded as.
        after: the screen after it; None where the view is prepared to be shared.
        text_focus: number of the thing in focus whose text is open then; empty for none.
    """
    screen, view = state.screen, state.view
    if after is None:
        # A new row takes away what was in focus, and closes every text.
        after = Screen(
            focus="" if view.focus is None else str(view.focus),
            row=tuple(map(str, view.row)),
            text_focus=text_focus,
            shared_focus=screen.shared_focus,
            shared_row=screen.shared_row,
        )
    now, stroke = state.now, Stroke(name, screen, after, **more)
    return replace(state, screen=after, open=replace(now, strokes=(*now.strokes, stroke)))


def open_text(state: FurnitureState, item: int) -> FurnitureState:
    """Opens the text of a thing; closes it if it is open."""
    screen, thing = state.screen, str(item)
    opens = thing not in screen.open_texts
    if screen.in_focus:
        after = replace(screen, text_focus=thing if opens else "")
    else:
        # In focus one text may be open; in a row, that of each thing.
        others = tuple(each for each in screen.texts if each != thing)
        after = replace(screen, texts=(*others, thing) if opens else others)
    pressed = press(state, "FurnitureClick", after)
    now = pressed.now
    return replace(pressed, open=replace(now, opened=(*now.opened, item))) if opens else pressed


def share(state: FurnitureState) -> FurnitureState:
    """Shows the user what is prepared."""
    screen = state.screen
    # What is shared is no longer prepared: another share needs another key before it.
    after = Screen(
        text_focus=screen.text_focus,
        texts=screen.texts,
        shared_focus=screen.focus,
        shared_row=screen.row,
    )
    known = show(state.known, shared_scene(after), state.items)
    shared = replace(state, known=known, shared_side=state.view.side, seen=after.shared())
    return press(shared, "Share", after)


class Thing(msgspec.Struct, frozen=True, gc=False):
    """Something is done with a thing."""

    item: int


class Turned(msgspec.Struct, frozen=True, gc=False):
    """What is in focus is turned."""

    direction: Side


class Specified(msgspec.Struct, frozen=True, gc=False):
    """Attributes of a thing are told; none for taking it back."""

    item: int
    attributes: list[str]


class Furniture(ShopGame[FurnitureState, FurnitureMaterial]):
    """How furniture is sold in a shop whose view the assistant searches, turns and shares.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    name = "simmc-furniture"
    version = "1"
    material = FurnitureMaterial
    functions = FUNCTIONS
    gestures = {  # noqa: RUF012 - nobody changes it
        "simmc.search": strokes.Query,
        "simmc.focus": Thing,
        "simmc.unfocus": Empty,
        "simmc.rotate": Turned,
        "simmc.click": Thing,
        "simmc.prev": Empty,
        "simmc.next": Empty,
        "simmc.share": Empty,
        "simmc.specify": Specified,
        "simmc.cart": Thing,
    }
    gesture_refusals = frozenset(
        {
            *("unknown_furniture_type", "nothing_found", "not_on_screen", "nothing_in_focus"),
            *("in_focus", "no_more", "nothing_prepared", "never_shown", "unknown_attribute"),
            "in_cart",
        }
    )

    def start(self, material: FurnitureMaterial, _seed: int) -> FurnitureState:
        """Opens a shop in which nothing has been searched, shown or put in the cart."""
        require_sound(material)
        facts, form = ShopFacts(material.items), make_form(material.items)
        return FurnitureState(facts=facts, form=form)

    def open_round(self, state: FurnitureState, text: str) -> FurnitureState:
        """Notes what the user said, and saw when it did."""
        scene = shared_scene(state.screen)
        now = FurnitureRound(before=state.known, scene=scene, seen=state.seen, said=text)
        return replace(state, open=now)

    def _gesture(self, state: FurnitureState, kind: str, payload: Any) -> FurnitureState | Refusal:
        view = state.view
        match kind:
            case "simmc.search":
                return self._search(state, payload)
            case "simmc.focus" if view.focus is not None:
                return Refusal("in_focus")
            case "simmc.focus" | "simmc.click" if payload.item not in _on_screen(view):
                return Refusal("not_on_screen", parameters={"item": payload.item})
            case "simmc.focus":
                place = PLACES[view.row.index(payload.item)]
                shown = self.call(state, "FocusOnFurniture", position=place)
                return press(shown, "BringObjectToFocus")
            case "simmc.click":
                return open_text(state, payload.item)
            case "simmc.unfocus" | "simmc.rotate" if view.focus is None:
                return Refusal("nothing_in_focus")
            case "simmc.unfocus":
                row = self.call(state, "NavigateCarousel", navigate_direction="Here")
                return press(row, "RemoveObjectInFocus")
            case "simmc.rotate":
                way, text = payload.direction, state.screen.text_focus
                turned = self.call(state, "Rotate", direction=way)
                return press(turned, "Rotate", text_focus=text, direction=way)
            case "simmc.prev":
                return self._turn_page(state, "Previous")
            case "simmc.next":
                return self._turn_page(state, "Next")
            case "simmc.share":
                return share(state) if state.screen.is_prepared else Refusal("nothing_prepared")
        return _press_button(state, payload)

    def _search(self, state: FurnitureState, query: strokes.Query) -> FurnitureState | Refusal:
        if query.furniture_type not in state.form.types:
            named = {"furnitureType": query.furniture_type}
            return Refusal("unknown_furniture_type", parameters=named)
        asked = {name: each for name, each in plain(query).items() if each is not None}
        found = self.call(state, "SearchFurniture", **asked)
        # An empty row has no place in the log: a share of it would leave what is seen as it is.
        if not found.view.row:
            return Refusal("nothing_found")
        given, argued = strokes.fill_query(query, state.form.types[query.furniture_type])
        return press(found, "SearchFurniture", given=given, query=argued)

    def _turn_page(
        self, state: FurnitureState, direction: Literal["Next", "Previous"]
    ) -> FurnitureState | Refusal:
        if find_page(state.view, direction) is None:
            return Refusal("no_more")
        row = self.call(state, "NavigateCarousel", navigate_direction=direction)
        return press(row, direction)

    def close_round(self, state: FurnitureState, text: str) -> FurnitureState:
        """Notes the answer, what the round comes to, and what the user knows by it."""
        now = _notice_spoken(state, text)
        # What was pressed after the last share of the round before may be shared in this one.
        shown, unshared = strokes.split_shared([*state.unshared, *now.strokes])
        actions = [*strokes.scene_actions(shown), *_told_actions(now)]
        known = state.known
        for item, attributes in now.specified.items():
            known = tell(known, item, facts_of(state.items[item], attributes))
        if now.carted is not None:
            known = tell(known, now.carted, {IN_CART: True})
            state = self.call(state, "AddToCart", furniture_id=now.carted)
        closed = replace(
            now, answer=text, after=known, action=strokes.dominant_action(actions), left=state.seen
        )
        rounds = (*state.rounds, closed)
        return replace(state, known=known, open=None, rounds=rounds, unshared=tuple(unshared))

    def show(self, state: FurnitureState, role: str) -> dict[str, Any]:
        """Returns what is shared; to the assistant its screen, its results and the form, too.

        ``scene`` is what the user sees, ``basket`` what is in the cart. ``screen`` is what the
        assistant sees: ``focus``, ``row``, and ``texts`` with what the catalogue says of each
        thing whose text is open. ``gallery`` has all that the user ever saw. ``pressed`` is what
        the assistant's buttons say in this round, ``action`` what the round comes to so far.
        """
        items, view = state.items, state.view
        scene = [
            _describe(items[each], state.shared_side if place == "focus" else "front", place)
            for each, place in shared_scene(state.screen).items()
        ]
        basket = [_describe(items[each], "front", "") for each in view.cart]
        if role == "user":
            return {"scene": scene, "basket": basket}
        now = state.open
        specified = {} if now is None else now.specified
        return {
            "scene": scene,
            "basket": basket,
            "screen": _show_screen(state),
            "results": {"found": len(view.results), "at": find_page(view, "Here") or 0},
            "form": plain(state.form),
            "shown": sorted(state.known.numbers),
            "gallery": [_describe(items[each], "front", "") for each in state.known.numbers],
            "pressed": {
                "specified": {str(item): list(told) for item, told in specified.items()},
                "cart": None if now is None else now.carted,
            },
            "action": None if now is None else _action_so_far(state, now),
        }

    def allowed_gestures(self, state: FurnitureState) -> Iterator[Allowed]:
        """Yields what the screen and the results make possible, and the two buttons."""
        view = state.view
        yield _allow_search(state.form)
        if view.focus is not None:
            yield Allowed("simmc.unfocus", payload_schema())
            yield Allowed("simmc.rotate", payload_schema(direction={"enum": list(DIRECTIONS)}))
        elif view.row:
            yield Allowed("simmc.focus", payload_schema(item={"enum": list(view.row)}))
        if on_screen := _on_screen(view):
            yield Allowed("simmc.click", payload_schema(item={"enum": on_screen}))
        if find_page(view, "Previous") is not None:
            yield Allowed("simmc.prev", payload_schema())
        if find_page(view, "Next") is not None:
            yield Allowed("simmc.next", payload_schema())
        if state.screen.is_prepared:
            yield Allowed("simmc.share", payload_schema())
        if shown := list(state.known.numbers):
            names = {
                "type": "array",
                "items": {"enum": list(strokes.SPECIFIED)},
                "uniqueItems": True,
            }
            yield Allowed("simmc.specify", payload_schema(item={"enum": shown}, attributes=names))
            if free := [each for each in shown if each not in view.cart]:
                yield Allowed("simmc.cart", payload_schema(item={"enum": free}))

    def finish(self, state: FurnitureState, sitting: Sitting) -> Sequence[Any]:
        """Returns dialogue, API calls and opinions; nothing where no round was closed."""
        if not state.rounds:
            return []
        turns, actions = [], []
        for place, each in enumerate(state.rounds):
            scene = scene_of(each.before, each.scene, state.items)
            pressed = [msgspec.json.encode(key.released()).decode() for key in each.strokes]
            turns.append(build_turn("furniture", place, each, scene, pressed))
            actions.append(_call(each, place))
        return [
            build_dialogue("furniture", sitting.number, turns, state.rounds[-1].after),
            ApiCalls(dialog_id=sitting.number, actions=actions),
            *self.list_opinions(state, sitting),
        ]


def _on_screen(view: View) -> list[int]:
    return [*view.row] if view.focus is None else [view.focus]


def _press_button(state: FurnitureState, payload: Specified | Thing) -> FurnitureState | Refusal:
    now = state.now
    if payload.item not in state.known.numbers:
        return Refusal("never_shown", parameters={"item": payload.item})
    if isinstance(payload, Thing):
        if payload.item in state.view.cart:
            return Refusal("in_cart")
        carted = None if now.carted == payload.item else payload.item
        return replace(state, open=replace(now, carted=carted))
    for each in payload.attributes:
        if each not in strokes.SPECIFIED:
            return Refusal("unknown_attribute", parameters={"attribute": each})
    others = {item: specified for item, specified in now.specified.items() if item != payload.item}
    mine = tuple(dict.fromkeys(payload.attributes))
    return replace(
        state, open=replace(now, specified={**others, payload.item: mine} if mine else others)
    )


# What a round comes to


def _notice_spoken(state: FurnitureState, text: str) -> FurnitureRound:
    """Counts as specified what the answer says of things whose texts were opened."""
    now, items = state.now, state.items
    if now.specified:
        return now
    spoken = {item: strokes.spoken_facts(text, items[item].facts) for item in now.opened}
    known = state.known.numbers
    specified = {item: facts for item, facts in spoken.items() if facts and item in known}
    return replace(now, specified=specified)


def _told_actions(now: FurnitureRound) -> Iterator[Action]:
    for item, attributes in now.specified.items():
        yield strokes.specify(attributes, str(item), now.seen)
    if now.carted is not None:
        place = strokes.place_of(str(now.carted), now.seen)
        yield Action("AddToCart", {"furniture_id": place})


def _action_so_far(state: FurnitureState, now: FurnitureRound) -> str:
    shown, _ = strokes.split_shared([*state.unshared, *now.strokes])
    action = strokes.dominant_action([*strokes.scene_actions(shown), *_told_actions(now)])
    return "None" if action is None else action.name


def _call(each: FurnitureRound, place: int) -> ApiCall:
    action = each.action
    return ApiCall(
        turn_idx=place,
        action="None" if action is None else action.name,
        action_supervision=strokes.supervision(action),
        carousel_state=each.seen,
        action_output_state=strokes.seen_after(action, each.seen),
        final_carousel_state=each.left,
    )


# What is shown


def _describe(item: Item, side: str, place: str) -> dict[str, Any]:
    """Describes a thing as it is seen; ``size`` is its width, depth and height, for drawing it."""
    seen = {"item": item.number, "place": place, "side": side, "size": _size(item)}
    return {**seen, **item.portrait(side)}


def _size(item: Item) -> list[float] | None:
    try:
        size = [float(item.facts[name]) for name in ("x_dim", "y_dim", "z_dim")]
    except ValueError:
        return None
    return size if all(0 < each < math.inf for each in size) else None


def _show_screen(state: FurnitureState) -> dict[str, Any]:
    screen, view, items = state.screen, state.view, state.items
    row = zip(view.row, PLACES, strict=False)
    focus = None if view.focus is None else _describe(items[view.focus], view.side, "focus")
    return {
        "focus": focus,
        "row": [_describe(items[each], "front", place) for each, place in row],
        "prepared": screen.is_prepared,
        "texts": {each: items[int(each)].facts for each in screen.open_texts},
    }


def _allow_search(form: Form) -> Allowed:
    text = {"type": "string"}
    price = {"type": ["number", "null"], "minimum": 0, "maximum": 1_000_000}
    fields = payload_schema(
        furnitureType={"enum": list(form.types)},
        color=text,
        material=text,
        decorStyle=text,
        intendedRoom=text,
        minPrice=price,
        maxPrice=price,
    )
    return Allowed("simmc.search", {**fields, "required": ["furnitureType"]})


SCENARIO = Furniture()
