"""``room.toml`` of a scenario: what its room and a new study of it begin with."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError, SourceError


class QuizQuestion(msgspec.Struct, frozen=True):
    """A question of the quiz: its name in the catalogue, and the number of the right answer."""

    name: str
    right: int


class Practice(msgspec.Struct, frozen=True):
    """A field of the warm-up page, and what is right to choose."""

    name: str
    right: str


class StudyDefaults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a new study begins with where the scenario's needs are not those of a game of two.

    Attributes:
        times: seconds, by their names in ``study.toml``.
    """

    sessions_each: int = 1
    times: dict[str, float] = {}


class RoomPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``room.toml`` of a scenario.

    Attributes:
        quiz: questions that must be answered right before the waiting room.
        practice: fields of the warm-up page.
        chat: whether people write to each other beside the game.
        shared: folders of what several rooms have in common: as seen from this one, or the name of
            a kit of ``rooms/kits``. What the room has itself takes the place of what has the same
            name there.
    """

    quiz: list[QuizQuestion] = []
    practice: list[Practice] = []
    chat: bool = True
    study: StudyDefaults = StudyDefaults()
    shared: list[str] = []


def read_plan(room: Path) -> RoomPlan:
    """Reads ``room.toml`` in the folder of a room.

    Raises:
        SourceError: it cannot be read.
        FormatError: it is not well-formed.
    """
    path = room / "room.toml"
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(data, RoomPlan)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: {error}.") from error
