"""A furniture session between two acts, and what the assistant does on its screen."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native.simmc1 import Carousel
from commonground.play.scenarios.simmc.furniture.material import Form, FurnitureMaterial
from commonground.play.scenarios.simmc.furniture.strokes import (
    PLACES,
    Action,
    Name,
    Query,
    Screen,
    Stroke,
    fill_query,
)
from commonground.play.scenarios.simmc.game.graphs import UserKnowledge, show
from commonground.play.scenarios.simmc.game.talk import ShopState, replace
from commonground.play.scenarios.simmc.shop.items import Item
from commonground.play.worlds.furniture import ROW, search

Side = Literal["front", "left", "right", "back", "up", "down"]


class Shop(msgspec.Struct, frozen=True):
    """What does not change in a session.

    Attributes:
        material: what it is played with.
        items: of the material, by number.
        form: for searching.
    """

    material: FurnitureMaterial
    items: dict[int, Item]
    form: Form


class FurnitureRound(msgspec.Struct, frozen=True):
    """A round under way, or over.

    Attributes:
        before: what the user knew at its start.
        scene: what the user saw at its start, by its place.
        seen: the same, as API calls have it.
        said: the user's words.
        strokes: the assistant's keystrokes.
        opened: things whose text was opened.
        specified: things and attributes that were told of them.
        carted: the thing that was put into the cart; None for none.
        answer: the assistant's words.
        after: what the user knew at its end.
        action: what the round comes to; None for nothing.
        left: what the user saw at its end.
    """

    before: UserKnowledge
    scene: dict[int, str]
    seen: Carousel
    said: str
    strokes: tuple[Stroke, ...] = ()
    opened: tuple[int, ...] = ()
    specified: dict[int, tuple[str, ...]] = {}
    carted: int | None = None
    answer: str = ""
    after: UserKnowledge = msgspec.field(default_factory=UserKnowledge)
    action: Action | None = None
    left: Carousel | None = None


class FurnitureState(ShopState, frozen=True, kw_only=True):
    """A session between two acts.

    Attributes:
        shop: what does not change.
        screen: of the assistant.
        side: that the assistant sees of what is in focus.
        shared_side: that the user sees of it.
        results: what the last search found.
        at: place in the results of the first thing of the row.
        known: what the user knows.
        seen: what the user sees, as API calls have it: with no focus at all until a share.
        rounds: those that are closed.
        open: the round in which the assistant is to answer; None where the user is to speak.
        unshared: keystrokes of closed rounds that were not shared in them.
    """

    shop: Shop
    screen: Screen = Screen()
    side: Side = "front"
    shared_side: Side = "front"
    results: tuple[int, ...] = ()
    at: int = 0
    known: UserKnowledge = msgspec.field(default_factory=UserKnowledge)
    seen: Carousel = msgspec.field(default_factory=lambda: Carousel(focus=None, carousel=[]))
    rounds: tuple[FurnitureRound, ...] = ()
    open: FurnitureRound | None = None
    unshared: tuple[Stroke, ...] = ()


def shared_scene(screen: Screen) -> dict[int, str]:
    """Returns what the user sees, by its place."""
    if screen.shared_focus:
        return {int(screen.shared_focus): "focus"}
    return {int(each): place for each, place in zip(screen.shared_row, PLACES, strict=False)}


def open_of(state: FurnitureState) -> FurnitureRound:
    """Returns the round that is on; it must be the assistant's turn."""
    assert state.open is not None  # noqa: S101 - ``apply`` looked whose turn it is
    return state.open


def prepare(screen: Screen, *, focus: str = "", text_focus: str = "") -> Screen:
    """Returns a screen with the row that is seen, and perhaps a thing of it in focus.

    Args:
        screen: as it is now.
        focus: number of the thing to show alone; empty for none.
        text_focus: number of the thing in focus whose text is open; empty for none.
    """
    return Screen(
        focus=focus,
        row=screen.in_row,
        text_focus=text_focus,
        shared_focus=screen.shared_focus,
        shared_row=screen.shared_row,
    )


def press(state: FurnitureState, name: Name, after: Screen, **more: Any) -> FurnitureState:
    """Returns the state after a keystroke.

    Args:
        state: the state before.
        name: of the API call that the keystroke is recorded as.
        after: the screen after it.
        more: what else the record of the keystroke says.
    """
    stroke = Stroke(name, state.screen, after, **more)
    now = open_of(state)
    return replace(state, screen=after, open=replace(now, strokes=(*now.strokes, stroke)))


def run_search(state: FurnitureState, query: Query) -> FurnitureState:
    """Prepares the first row of what a query finds, which must be something."""
    found = tuple(each.number for each in search(state.shop.material.items, query))
    given, argued = fill_query(query, state.shop.form.types[query.furniture_type])
    searched = replace(state, results=found, at=0, side="front")
    return press(searched, "SearchFurniture", _row_at(searched, 0), given=given, query=argued)


def _row_at(state: FurnitureState, at: int) -> Screen:
    row = tuple(str(each) for each in state.results[at : at + ROW])
    screen = state.screen
    # A new row takes away what was in focus, and closes every text.
    return Screen(row=row, shared_focus=screen.shared_focus, shared_row=screen.shared_row)


def turn_page(state: FurnitureState, name: Name) -> FurnitureState:
    """Prepares the next row of the results, or the one before, as the key says."""
    at = state.at + (ROW if name == "Next" else -ROW)
    return press(replace(state, at=at), name, _row_at(state, at))


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
    now = open_of(pressed)
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
    known = show(state.known, shared_scene(after), state.shop.items)
    shared = replace(state, known=known, shared_side=state.side, seen=after.shared())
    return press(shared, "Share", after)
