"""A furniture session between two acts, and what the assistant does on its screen."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native.simmc1 import Carousel
from commonground.play.scenarios.simmc.furniture.material import Form
from commonground.play.scenarios.simmc.furniture.strokes import (
    PLACES,
    Action,
    Name,
    Screen,
    Stroke,
)
from commonground.play.scenarios.simmc.game.graphs import show
from commonground.play.scenarios.simmc.game.talk import ShopState, replace
from commonground.play.scenarios.simmc.release import ShopRound

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
