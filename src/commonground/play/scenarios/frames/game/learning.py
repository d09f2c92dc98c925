"""Learning what to suggest from released dialogues: the state at each turn, and what was noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from commonground.corpora.frames.native import FORMATS, FramesDialogue, Turn
from commonground.errors import FormatError, SourceError
from commonground.files.documents import decode_all
from commonground.play.scenarios.frames.game import frame_book as books
from commonground.play.scenarios.frames.game.frame_book import Book, open_book
from commonground.play.scenarios.frames.game.hearing import hear
from commonground.play.scenarios.frames.game.learned import (
    PairModel,
    describe,
    list_pairs,
    train_pairs,
)
from commonground.play.scenarios.frames.game.state import FramesState, MessageRun, Noted, Setting
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.travel.cards import TaskCard
from commonground.play.worlds.travel import build_world, read_courses

_CARD = TaskCard("released", "strict", "", {})


class HeardTurn(NamedTuple):
    """A user turn as annotated, with the state before anything was noted of it."""

    state: FramesState
    turn: Turn


def read_dialogues(place: Path) -> list[FramesDialogue]:
    """Reads a released file, or ``frames.json`` in a folder.

    Raises:
        SourceError: it cannot be read.
        FormatError: it is no file of dialogues; the message says where.
    """
    file = place / "frames.json" if place.is_dir() else place
    try:
        data = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror}.") from error
    return [each.record for each in decode_all(str(file), data, FORMATS[0])]


def read_turns(dialogues: Sequence[FramesDialogue]) -> Iterator[HeardTurn]:
    """Yields every user turn with the state before it, which is the released one.

    The database is what searches found: the one that the wizards had was never released.
    """
    courses = [course for each in dialogues for course in read_courses(each)]
    material = FramesMaterial((_CARD,), build_world(courses).facts.packages)
    for dialogue in dialogues:
        before, runs = open_book(), list[MessageRun]()
        for turn in dialogue.turns:
            run = MessageRun(turn.author, before, (turn.text,), 0)
            if turn.author == "user":
                setting = Setting(material, _CARD, 0)
                yield HeardTurn(FramesState(setting, (*runs, run), last_us=0), turn)
            before = Book(tuple(turn.labels.frames), turn.labels.active_frame)
            notes = [Noted(a, before, made=books.created_by(a)) for a in turn.labels.acts]
            runs.append(msgspec.structs.replace(run, notes=tuple(notes)))


def learn(turns: Iterable[HeardTurn]) -> PairModel:
    """Fits which acts and slots a turn has, given its words and the frames before it."""
    examples, pairs = [], []
    for state, turn in turns:
        examples.append(describe(hear(state)))
        pairs.append(list_pairs(turn.labels.acts))
    return train_pairs(examples, pairs)


def learn_from(place: Path) -> PairModel:
    """Learns from a released file.

    Raises:
        SourceError, FormatError: as :func:`read_dialogues` does.
        FormatError: it has too few dialogues to learn from.
    """
    model = learn(read_turns(read_dialogues(place)))
    if not model.pairs:
        raise FormatError(f"{place} has too few dialogues to learn from.")
    return model
