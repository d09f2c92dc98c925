"""Frames dialogues in the schema: searches are actions, packages objects, frames states."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

import msgspec

from commonground.corpora.frames.convert.labels import States, add_labels
from commonground.corpora.frames.convert.packages import package_id, package_object
from commonground.corpora.frames.native import FramesDialogue, Package, Search, Turn, read_time
from commonground.files.reading import ConversionError
from commonground.model import Action, Dialogue, Display, Outcome, Speaker, Utterance
from commonground.records import UNSET

FOLD_OF: dict[str, int] = {
    "U21E41CQP": 1,
    "U23KPC9QV": 1,
    "U21RP4FCY": 2,
    "U22HTHYNP": 3,
    "U22K1SX9N": 4,
    "U231PNNA3": 5,
    "U23KR88NT": 6,
    "U24V2QUKC": 7,
    "U260BGVS6": 8,
    "U2709166N": 9,
    "U2AMZ8TLK": 10,
}
"""Fold of each user in the authors' evaluation.

Source: ``get_users_for_fold`` of ``frames/utils.py`` in Maluuba/frames.
"""


def convert(record: FramesDialogue) -> Dialogue:
    """Turns a released dialogue into one of the schema.

    Raises:
        ConversionError: a rating or a frame number is out of range.
    """
    fold = FOLD_OF.get(record.user_id)
    began_ms = read_time(record.turns[0].timestamp, 1000) if record.turns else None
    began = None
    if began_ms is not None:
        # Without its zone, as the tables keep times; the released number is in UTC.
        began = datetime.fromtimestamp(began_ms / 1000, UTC).replace(tzinfo=None)
    dialogue = Dialogue(
        dialogue_id=record.id,
        split=None if fold is None else f"fold-{fold}",
        started_at=began,
        speakers=[
            Speaker("user", "user", record.user_id),
            Speaker("wizard", "assistant", record.wizard_id),
        ],
        outcomes=_outcomes(record),
    )
    # Grows over the dialogue: an offer may be of a package that was found many turns before.
    shown: dict[str, Package] = {}
    states = States()
    for number, turn in enumerate(record.turns):
        # Each of the wizard's 9,579 turns has it, 6,111 with nothing in it.
        if turn.db is not UNSET:
            _add_searches(dialogue, turn, number, began_ms, shown)
        event = len(dialogue.events)
        at_ms = read_time(turn.timestamp, 1000)
        at_s = None if at_ms is None or began_ms is None else (at_ms - began_ms) / 1000
        dialogue.events.append(Utterance(turn.author, turn.text, number, None, at_s))
        add_labels(dialogue, states, turn, event, number, shown)
    dialogue.states = states.rows()
    return dialogue


def _outcomes(record: FramesDialogue) -> list[Outcome]:
    rating, success = record.labels.userSurveyRating, record.labels.wizardSurveyTaskSuccessful
    outcomes = [Outcome("success", float(success), None, "wizard")]
    if rating is not None:
        try:
            outcomes.insert(0, Outcome("rating", float(rating), None, "user"))
        except OverflowError:
            expected = "a rating from 1 to 5"
            raise ConversionError(".labels.userSurveyRating", expected, rating) from None
    return outcomes


def _add_searches(
    dialogue: Dialogue,
    turn: Turn,
    number: int,
    began_ms: float | None,
    shown: dict[str, Package],
) -> None:
    """Adds the searches of a turn, before what is said in it."""
    assert turn.db is not UNSET  # noqa: S101 - the caller has looked
    # Where the lists differ in length, a search lacks its result, or a result its query.
    pairs = zip_longest(turn.db.search, turn.db.result)
    for search, packages in pairs:
        at_s = _search_seconds(search, began_ms)
        found = query = None
        if packages is not None:
            found = _add_packages(dialogue, packages, len(dialogue.events), shown)
        if search is not None:
            query = msgspec.to_builtins(search)
            # When it was is the time of the event.
            del query["timestamp"]
        dialogue.events.append(Action("wizard", "search", query, found, number, None, at_s))


def _search_seconds(search: Search | None, began_ms: float | None) -> float | None:
    at_s = None if search is None else read_time(search.timestamp)
    if at_s is None or began_ms is None:
        return None
    # Turns are stamped in milliseconds, searches in seconds. What subtracting such large numbers
    # leaves behind the milliseconds is noise.
    return round(at_s - began_ms / 1000, 3)


def _add_packages(
    dialogue: Dialogue, packages: list[Package], event: int, shown: dict[str, Package]
) -> list[Any]:
    """Adds what a search has found as objects that the wizard sees, and returns it as JSON."""
    found = []
    for position, package in enumerate(packages):
        object_id = package_id(package)
        described = package_object(object_id, package)
        if object_id not in shown:
            shown[object_id] = package
            dialogue.objects.append(described)
        dialogue.displays.append(Display(object_id, "wizard", event, None, position))
        found.append(described.attributes)
    return found
