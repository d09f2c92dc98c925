"""The annotated dialogues that predictions are held against.

They are read through ``native``, but only what tasks ask for: files that the official tagger wrote
have a field more (``tags``), files that were cut down to what the official script reads lack most
of the others, and to decode every frame of every turn, nine tenths of a file, takes time that few
scores need. Acts stay as plain values, as the official script and predictions have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from commonground.corpora.frames.convert import FOLD_OF
from commonground.corpora.frames.native import (
    FORMATS,
    Database,
    Frame,
    FramesDialogue,
    Package,
    Search,
    Turn,
    TurnLabels,
)
from commonground.errors import TaskError
from commonground.files.gold import read_dialogues
from commonground.records import UNSET, UnsetType, choose_fields
from commonground.task import Gold, Tally


class TaggedLabels(TurnLabels):
    """Annotations of a turn with the tags of the official tagger; no released file has any."""

    tags: list[str] | UnsetType = UNSET


GoldDialogue = choose_fields(
    FramesDialogue,
    {
        FramesDialogue: "id user_id turns",
        Turn: "author text labels db?",
        TurnLabels: TaggedLabels,
        TaggedLabels: "acts active_frame frames? acts_without_refs? tags?",
        Frame: msgspec.Raw,
        Database: "search? result?",
        Search: msgspec.Raw,
        Package: msgspec.Raw,
    },
)
"""A released dialogue, as far as the tasks need it."""


def name_split(user_id: str | None) -> str | None:
    """Returns the authors' fold of a user's dialogues; None where they are in none."""
    fold = FOLD_OF.get(user_id or "")
    return None if fold is None else f"fold-{fold}"


def list_acts(turn: Turn) -> list[dict[str, Any]]:
    """Lists the acts of a turn as plain values."""
    return cast("list[dict[str, Any]]", turn.labels.acts)


class UserTurn(msgspec.Struct, frozen=True):
    """A user's turn in its dialogue.

    Attributes:
        dialogue: where it is from.
        number: its number among the turns, from 0.
        event: number of the event that its utterance is in the store.
    """

    dialogue: FramesDialogue
    number: int
    event: int

    @property
    def turn(self) -> Turn:
        """The turn as annotated, looked up in its dialogue."""
        return self.dialogue.turns[self.number]

    @property
    def before(self) -> Turn | None:
        """The turn before; None where it is the first."""
        return self.dialogue.turns[self.number - 1] if self.number else None

    @property
    def instance_id(self) -> str:
        """Id of the instance that it is, in every task."""
        return f"{self.dialogue.id}:{self.number}"

    @property
    def split(self) -> str | None:
        """The authors' fold that it is in; None where its user is in none."""
        return name_split(self.dialogue.user_id)

    @property
    def acts(self) -> list[dict[str, Any]]:
        """Its acts, as plain values."""
        return list_acts(self.turn)

    @property
    def acts_without_refs(self) -> list[dict[str, Any]]:
        """Its acts with slots and values but without frames, as plain values."""
        return cast("list[dict[str, Any]]", self.turn.labels.acts_without_refs or [])

    @property
    def tags(self) -> list[str]:
        """What the official tagger wrote; empty where it did not."""
        return cast("TaggedLabels", self.turn.labels).tags or []


_FORMATS = tuple(
    msgspec.structs.replace(fmt, record=GoldDialogue, keys=frozenset({"id", "user_id", "turns"}))
    for fmt in FORMATS
)


def load_dialogues(gold: Gold, faults: Tally) -> Iterator[FramesDialogue]:
    """Gives the dialogues of a gold source, of its split where it names one.

    Raises:
        TaskError: there are none.
        UsageError: there is no such split.
    """
    for each in read_dialogues(
        gold, _FORMATS, ("dialogues",), faults, lambda dialogue: name_split(dialogue.user_id)
    ):
        # Of two records with one id the import calls the second `ID~2`.
        each.record.id = each.dialogue_id
        yield each.record


def decode_frames(turn: Turn) -> list[Any]:
    """Decodes the frames after a turn, which stay undecoded where nobody asks for them.

    Raises:
        TaskError: one is no JSON.
    """
    try:
        return [
            msgspec.json.decode(raw) for raw in cast("list[msgspec.Raw]", turn.labels.frames or [])
        ]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TaskError(
            f"A frame of a turn is not JSON: {error}.", "Name the released frames.json."
        ) from error


def list_user_turns(dialogue: FramesDialogue) -> Iterator[UserTurn]:
    """Lists the turns of the user in order."""
    searches = 0
    for number, turn in enumerate(dialogue.turns):
        if turn.db:
            # As `convert` counts: each search is an event, before the turn that speaks of it.
            searches += max(len(turn.db.search or ()), len(turn.db.result or ()))
        if turn.author == "user":
            yield UserTurn(dialogue, number, number + searches)


def list_history(place: UserTurn) -> list[dict[str, str]]:
    """Lists what was said before a turn, with its author."""
    turns = place.dialogue.turns[: place.number]
    return [{"author": turn.author, "text": turn.text} for turn in turns]
