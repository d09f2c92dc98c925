"""What each player sees of a session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from commonground.corpora.frames.native import InfoValue, Package, Search
from commonground.corpora.frames.vocabulary import FLAGS
from commonground.play.scenarios.frames.game.frame_book import Book
from commonground.play.scenarios.frames.game.gestures import list_offers
from commonground.play.scenarios.frames.game.learned import PairModel
from commonground.play.scenarios.frames.game.state import FramesState, Noted, WizardSearch
from commonground.play.scenarios.frames.game.suggesting import propose_gestures, suggest_gestures
from commonground.play.scenarios.frames.travel.database import fill_form, open_database
from commonground.play.scenarios.frames.travel.values import say_package

_FLAGS = sorted(FLAGS)


def show_user(state: FramesState) -> dict[str, Any]:
    """Returns what only the user sees: the card, but not whether it can be done."""
    card = msgspec.to_builtins(state.setting.card)
    card["places"] = list(card["places"])
    # Anyone who knew that it cannot be done would not try.
    del card["solvable"]
    return {"card": card, "answered": state.rating is not None}


def show_wizard(state: FramesState, model: PairModel | None = None) -> dict[str, Any]:
    """Returns what only the wizard sees.

    ``frames`` stand as they are with what was noted and begun; ``changed`` says which slots of them
    are new since the last turn. ``notes`` are about the user's last words, ``draft`` about the next
    message; ``suggestions`` and ``proposals`` are gestures that could come next, for either.
    ``heard`` is what can be noted, in which no other frame can begin where ``opened`` is true.
    ``searches`` only grows; the last ``waiting`` of them belong to the next message. ``offers``
    says which frame is of which row; ``form`` is a search for what the active frame holds. The
    values of ``flags`` are yes or no. Without a model, suggestions are made by patterns.
    """
    book = state.book
    database = open_database(state.setting.material.packages)
    return {
        "answered": state.success is not None,
        "frames": msgspec.to_builtins(list(book.frames)),
        "active": book.active,
        "changed": _find_changed(_base(state), book),
        "notes": _show_notes(state.notes("user")),
        "draft": _show_notes(state.draft),
        "opened": state.has_opened,
        "heard": state.runs[-1].text if state.last_author == "user" else None,
        "searches": [found.shown for found in state.searches],
        "waiting": state.waiting,
        "offers": {
            str(frame): {"search": each.search, "row": each.row}
            for frame, each in list_offers(state).items()
        },
        "cities": database.cities,
        "flags": _FLAGS,
        "days": database.days,
        "form": fill_form(book.held(book.active), database.year),
        "suggestions": suggest_gestures(state, model),
        "proposals": propose_gestures(state),
    }


def _base(state: FramesState) -> Book | None:
    """Returns the frames before what is noted and begun now; None where nothing was said."""
    if not state.runs:
        return None
    last = state.runs[-1]
    return last.base if last.author == "user" else last.book


def _find_changed(base: Book | None, book: Book) -> dict[str, list[str]]:
    """Returns the slots that changed, by number of the frame; a new one is held to its parent."""
    known = base.frames if base is not None else ()
    changed: dict[str, list[str]] = {}
    for number, frame in enumerate(book.frames):
        parent = frame.frame_parent_id
        before: dict[str, list[InfoValue]] = {}
        if number < len(known):
            before = known[number].info
        elif parent is not None:
            before = book.frame(parent).info
        slots = [slot for slot, values in frame.info.items() if before.get(slot) != values]
        if slots:
            changed[str(frame.frame_id)] = slots
    return changed


def _show_notes(notes: Iterable[Noted]) -> list[dict[str, Any]]:
    """Shows gestures: act (None for an edit), words for the message, frame made (None for none)."""
    return [
        {
            "act": msgspec.to_builtins(each.act),
            "text": each.text,
            "made": each.made,
            "gesture": msgspec.to_builtins(each.gesture),
        }
        for each in notes
    ]


def show_search(
    number: int, query: Search, packages: Iterable[Package], *, fits: bool = True
) -> WizardSearch:
    """Returns a search with what views show of it, which is worked out once.

    Args:
        number: of the search in the session, from 1.
        packages: what was found; ten at most, so that what is sent to the wizard is bounded.
        fits: whether they fit; false where others are suggested.
    """
    found = tuple(packages)
    shown = {
        "number": number,
        "query": msgspec.to_builtins(query),
        "packages": msgspec.to_builtins(list(found)),
        "said": [say_package(each) for each in found],
        "fits": fits,
    }
    return WizardSearch(query, found, shown, fits)
