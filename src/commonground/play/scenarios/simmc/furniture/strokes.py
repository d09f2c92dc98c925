"""Keystrokes of the furniture shop, and the action that those of a round come to.

The assistant has a screen of its own: a row of up to three things of its search results, or one of
them in focus, with texts that it has opened. What the user sees changes by *Share* alone. The log
keeps each keystroke with the screens before and after it. A screen says ``prefab...`` for what the
assistant has prepared, and nothing where it has prepared nothing since the last share; then what is
shared is what it sees as well.

The actions are those that the authors' script gives (``extract_actions.py`` of SIMMC at 2747421):
keystrokes count up to the last share, those after it count for the next round; what stands before
a search was never shown. What the script mends before that is right here from the start: a share
begins with what it shares, and putting a thing back leads to the row that is seen then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from commonground.corpora.simmc.native.simmc1 import Carousel

PLACES = ("left", "center", "right")
SPECIFIED = ("price", "dimensions", "info", "material", "color")
"""What ``SpecifyInfo`` names; anything else, and several at once, are ``info``."""

_TOLERANCE = 0.9
"""A limit of price that is no further from that of all things of a type counts as none."""

Name = Literal[
    "SearchFurniture",
    "BringObjectToFocus",
    "RemoveObjectInFocus",
    "Rotate",
    "FurnitureClick",
    "Previous",
    "Next",
    "Share",
]
_MOVES = frozenset({"BringObjectToFocus", "RemoveObjectInFocus", "Previous", "Next"})

DOMINANCE = (
    *("AddToCart", "SpecifyInfo", "Rotate", "SearchFurniture"),
    *("FocusOnFurniture", "NavigateCarousel"),
)
"""Of several actions of a round, the first of these is that of the round."""


class Screen(msgspec.Struct, frozen=True, gc=False):
    """What the assistant has prepared, and what is shared; things are catalogue ids as texts.

    Attributes:
        focus: prepared in focus; empty for none.
        row: prepared in the row, or after what is in focus.
        text_focus: in focus, with its text open; empty for none.
        texts: in the row, with their texts open.
        shared_focus: that the user sees in focus; empty for none.
        shared_row: that the user sees, or would without the focus.
    """

    focus: str = ""
    row: tuple[str, ...] = ()
    text_focus: str = ""
    texts: tuple[str, ...] = ()
    shared_focus: str = ""
    shared_row: tuple[str, ...] = ()

    @property
    def is_prepared(self) -> bool:
        """Whether a share would change what the user sees."""
        return bool(self.focus or self.row)

    @property
    def in_focus(self) -> str:
        """What the assistant sees in focus; empty for none."""
        return self.focus if self.is_prepared else self.shared_focus

    @property
    def in_row(self) -> tuple[str, ...]:
        """The row that the assistant sees, or would without the focus."""
        return self.row if self.row else self.shared_row

    @property
    def open_texts(self) -> tuple[str, ...]:
        """What has its text open."""
        return (*([self.text_focus] if self.text_focus else []), *self.texts)

    def released(self) -> dict[str, Any]:
        """Returns the screen as keystrokes have it."""
        return {
            "prefabInFocus": self.focus,
            "prefabsInCarousel": list(self.row),
            "textPrefabInFocus": self.text_focus,
            "textPrefabsInCarousel": list(self.texts),
            "sharedPrefabInFocus": self.shared_focus,
            "sharedPrefabsInCarousel": list(self.shared_row),
        }

    def shared(self) -> Carousel:
        """Returns what the user sees, as API calls have it."""
        return Carousel(focus=self.shared_focus, carousel=list(self.shared_row))


Price = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]


class Query(msgspec.Struct, frozen=True, rename="camel"):
    """What is searched for; an empty text stands for anything.

    Attributes:
        furniture_type: one of those that the form offers; the only field that must be given.
        min_price, max_price: US dollars; None for no bound.
    """

    furniture_type: str
    color: str = ""
    material: str = ""
    decor_style: str = ""
    intended_room: str = ""
    min_price: Price | None = None
    max_price: Price | None = None


class Stroke(msgspec.Struct, frozen=True):
    """A keystroke.

    Attributes:
        name: of the key; rotations have their direction beside it.
        direction: of a rotation; empty for any other.
        given: of a search, what the log says of it; None for any other.
        query: of a search, its arguments as an action, with -1 for prices that were left open.
    """

    name: Name
    before: Screen
    after: Screen
    direction: str = ""
    given: dict[str, Any] | None = None
    query: dict[str, Any] | None = None

    def released(self) -> dict[str, Any]:
        """Returns the keystroke as logs have it; there it is a JSON text."""
        return {
            "actionName": self.name + self.direction.title(),
            "actionMetadata": self.given,
            "previousState": self.before.released(),
            "nextState": self.after.released(),
        }


def fill_query(query: Query, prices: tuple[float, float]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a search as the log has it, with both prices, and as an action has it.

    The search form begins with the lowest and highest price of the type, so these in the log mean
    that nobody set them.
    """
    given: dict[str, Any] = msgspec.to_builtins(query)
    argued = dict(given)
    for name, default in zip(("minPrice", "maxPrice"), prices, strict=True):
        given[name] = default if given[name] is None else given[name]
        argued[name] = -1 if abs(given[name] - default) <= _TOLERANCE else given[name]
    return given, argued


class Action(msgspec.Struct, frozen=True):
    """Something that was done in a round.

    Attributes:
        name: as API calls have it.
        before, after: the screens around it; None for what changes none.
        thing: what it is about, for those that come to be in focus.
    """

    name: str
    args: dict[str, Any]
    before: Screen | None = None
    after: Screen | None = None
    thing: str = ""


def split_shared(strokes: Sequence[Stroke]) -> tuple[list[Stroke], list[Stroke]]:
    """Divides keystrokes into those whose outcome the user has seen, and those still to be shared.

    Of the former, what stands before the last search is left out, and shares are.
    """
    last = max((at for at, each in enumerate(strokes) if each.name == "Share"), default=-1)
    shown = [each for each in strokes[: last + 1] if each.name != "Share"]
    searches = [at for at, each in enumerate(shown) if each.name == "SearchFurniture"]
    return shown[searches[-1] if searches else 0 :], list(strokes[last + 1 :])


def scene_actions(shown: Sequence[Stroke]) -> list[Action]:
    """Returns the fewest actions that lead to what the user sees after shared keystrokes."""
    if not shown:
        return []
    # Opening a text changes nothing that the user sees.
    strokes = [each for each in shown if each.name != "FurnitureClick"]
    actions, opening = [], shown[0].before
    if shown[0].name == "SearchFurniture":
        opening = shown[0].after
        given = dict(shown[0].query or {})
        actions.append(Action("SearchFurniture", given, shown[0].before, opening))
    last = max((at for at, each in enumerate(strokes) if each.name in _MOVES), default=None)
    if last is not None:
        move = strokes[last]
        if move.name != "BringObjectToFocus":  # nothing can be turned in a row
            return [*actions, *_navigate(move, opening)]
        thing, after = move.after.focus, move.after
        # What the user sees in a row is named by that row, whatever the assistant has prepared.
        row = after.shared_row if thing in after.shared_row else after.row
        args = {"position": PLACES[row.index(thing)]}
        actions.append(Action("FocusOnFurniture", args, opening, after, thing))
    # Only turns after the last move: before it something else was in focus.
    turns = [each for each in strokes[(last or 0) :] if each.name == "Rotate"]
    return [*actions, *_rotate(turns, after_focus=last is not None)]


def _navigate(move: Stroke, opening: Screen) -> list[Action]:
    """Returns the action of a move in the row; none where the user sees the row as before."""
    # Whether a row was in view: neither what is prepared nor, where nothing is, what is shared has
    # a thing in focus.
    shown = not opening.focus and not (not opening.row and opening.shared_focus)
    if shown and opening.in_row == move.after.in_row:
        return []
    direction = move.name if move.name in ("Next", "Previous") else "Here"
    return [Action("NavigateCarousel", {"navigate_direction": direction}, opening, move.after)]


def _rotate(turns: Sequence[Stroke], *, after_focus: bool) -> list[Action]:
    """Returns the action of rotations: the last counts, and the front is shown anyway."""
    if not turns or (after_focus and turns[-1].direction == "front"):
        return []
    args = {"direction": turns[-1].direction}
    after = turns[-1].after
    return [Action("Rotate", args, turns[0].before, after, after.in_focus)]


def dominant_action(actions: Sequence[Action]) -> Action | None:
    """Returns the action that stands for a round; None where nothing was done."""
    for name in DOMINANCE:
        same = [each for each in actions if each.name == name]
        if same:
            return same[-1]
    return None


def specify(attributes: Sequence[str], thing: str, seen: Carousel) -> Action:
    """Returns the action of telling one attribute or more of a thing.

    Args:
        seen: what the user saw at the beginning of the round.
    """
    made = attributes[0] if len(attributes) == 1 else "info"
    matches = made if made in SPECIFIED else "info"
    return Action("SpecifyInfo", {"matches": matches, "furniture_id": place_of(thing, seen)})


def place_of(thing: str, seen: Carousel) -> str:
    """Returns where a thing is; empty where it is not in view."""
    if seen.focus:
        return "focus" if seen.focus == thing else ""
    row = [str(each) for each in seen.carousel or ()]
    return PLACES[row.index(thing)] if thing in row else ""


def seen_after(action: Action | None, seen: Carousel) -> Carousel:
    """Returns what an action leads to: the row that it brings, or a thing with the row it is of.

    Where there is no action, that is what the user saw before.
    """
    if action is None or action.after is None:
        return seen
    after = action.after
    if not action.thing:
        return Carousel(focus=None, carousel=list(after.in_row))
    # As in a focus: the row that the user sees goes before the one that is prepared.
    row = next((row for row in (after.shared_row, after.row) if action.thing in row), ())
    return Carousel(focus=after.in_focus, carousel=list(row))


def supervision(action: Action | None) -> dict[str, Any]:
    """Returns an action as API calls have it: with its name, arguments and screens."""
    if action is None:
        return {"api": "None", "args": None, "previousState": None, "nextState": None}
    made: dict[str, Any] = {"api": action.name, "args": action.args}
    if action.name != "SpecifyInfo":
        made |= {
            "previousState": action.before and action.before.released(),
            "nextState": action.after and action.after.released(),
        }
    return made


def spoken_facts(text: str, facts: Mapping[str, str]) -> tuple[str, ...]:
    """Returns which of price and dimensions of a thing a text says, by their numbers."""
    words = {_plain_number(each) for each in text.replace("$", " ").split()}
    made = []
    if _plain_number(facts["sale_price"]) in words:
        made.append("price")
    if any(_plain_number(facts[name]) in words for name in ("x_dim", "y_dim", "z_dim")):
        made.append("dimensions")
    return tuple(made)


def _plain_number(word: str) -> str:
    """Writes a number in one way: ``1,499.00.`` is ``1499``; other words stay as they are."""
    plain = word.strip(".,;:!?()\"'").replace(",", "")
    try:
        return f"{float(plain):g}"
    except ValueError:
        return word
