"""The annotated dialogues that predictions are held against, from released files or the store.

The four structs below are narrow readings of ``native.FramesDialogue`` and what is in it, with the
same names for the same fields. The native ones will not do, for three reasons: files that the
official tagger wrote have a field more (``tags``); files that were cut down to what the official
script reads lack most of the others; and to decode every frame of every turn, nine tenths of a
file, takes time that few scores need.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.frames.convert import FOLD_OF
from commonground.errors import TaskError, unknown_name
from commonground.sources import Document, list_documents
from commonground.task import Gold


class GoldLabels(msgspec.Struct):
    """``native.TurnLabels``, as far as the tasks need it.

    Attributes:
        acts: plain, as the official script and predictions have them.
        active_frame: number of the frame that is spoken of after the turn.
        frames: undecoded; see :func:`decode_frames`.
        acts_without_refs: on turns of the user only.
        tags: what the official tagger wrote; no released file has any.
    """

    acts: list[dict[str, Any]]
    active_frame: int
    frames: list[msgspec.Raw] = []
    acts_without_refs: list[dict[str, Any]] | None = None
    tags: list[str] = []


class GoldSearches(msgspec.Struct):
    """``native.Database``, undecoded: only how many searches there are is asked."""

    search: list[msgspec.Raw] = []
    result: list[msgspec.Raw] = []


class GoldTurn(msgspec.Struct):
    """``native.Turn`` without its time.

    Attributes:
        author: ``user`` or ``wizard``.
        text: as typed.
        labels: acts, and on user turns the acts without references.
        db: on wizard turns only.
    """

    author: str
    text: str
    labels: GoldLabels
    db: GoldSearches | None = None


class GoldDialogue(msgspec.Struct):
    """``native.FramesDialogue`` without the wizard and the survey.

    Attributes:
        id: a UUID.
        user_id: decides in which fold it is.
        turns: all of them, as positions count.
    """

    id: str
    user_id: str
    turns: list[GoldTurn]

    @property
    def split(self) -> str | None:
        """The authors' fold that the dialogue is in; None where its user is in none."""
        return name_split(self.user_id)


def name_split(user_id: str | None) -> str | None:
    """Returns the authors' fold of a user's dialogues; None where they are in none."""
    fold = FOLD_OF.get(user_id or "")
    return None if fold is None else f"fold-{fold}"


class UserTurn(msgspec.Struct, frozen=True):
    """A user's turn in its dialogue.

    Attributes:
        dialogue: where it is from.
        number: its number among the turns, from 0.
        event: number of the event that its utterance is in the store.
    """

    dialogue: GoldDialogue
    number: int
    event: int

    @property
    def turn(self) -> GoldTurn:
        """The turn as annotated, looked up in its dialogue."""
        return self.dialogue.turns[self.number]

    @property
    def instance_id(self) -> str:
        """Id of the instance that it is, in every task."""
        return f"{self.dialogue.id}:{self.number}"


_DIALOGUES = msgspec.json.Decoder(list[GoldDialogue])
_DIALOGUE = msgspec.json.Decoder(GoldDialogue)


def load_dialogues(gold: Gold) -> Iterator[GoldDialogue]:
    """Gives the dialogues of a gold source, of its split where it names one.

    Raises:
        TaskError: a file is not one of Frames, or there is no gold source.
        UsageError: there is no such split.
    """
    if gold.files:
        splits = sorted({f"fold-{fold}" for fold in FOLD_OF.values()})
        if gold.split is not None and gold.split not in splits:
            raise unknown_name("split", gold.split, splits)
        for dialogue in _load_files(gold):
            if gold.split in (None, dialogue.split):
                yield dialogue
    elif gold.corpus is not None:
        yield from _load_store(gold)
    else:
        raise TaskError("There is nothing to score against.", "Name frames.json or import it.")


def _load_files(gold: Gold) -> Iterator[GoldDialogue]:
    """Gives the dialogues of all files; in a folder there may be others, which are passed over."""
    named = {str(path) for path in gold.files}
    fault = "there is no JSON"
    found = False
    for document in _list_json(gold):
        try:
            yield from _DIALOGUES.decode(document.read())
            found = True
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            fault = f"{document.name} is not a file of annotated Frames dialogues: {error}"
            is_other = isinstance(error, msgspec.ValidationError)
            if not is_other or document.path in named:
                raise _not_frames(fault) from error
    if not found:
        raise _not_frames(fault)


def _not_frames(fault: str) -> TaskError:
    return TaskError(f"{fault}.", "Name the released frames.json.")


def _list_json(gold: Gold) -> list[Document]:
    """Lists JSON files; a folder may hold one both plain and in the archive it came in."""
    documents = list_documents(gold.files).documents
    plain = {each.base for each in documents if each.entry is None}
    return [
        each
        for each in documents
        if each.base.endswith(".json") and (each.entry is None or each.base not in plain)
    ]


def _load_store(gold: Gold) -> Iterator[GoldDialogue]:
    query = "SELECT dialogue_id, json FROM native WHERE corpus = ? AND format = 'dialogues'"
    ids = gold.corpus.ids(gold.split)
    records = dict(gold.corpus.rows(query, [gold.corpus.name]))
    for dialogue_id in ids:
        if dialogue_id in records:
            dialogue = _DIALOGUE.decode(records[dialogue_id])
            dialogue.id = dialogue_id
            yield dialogue


def decode_frames(labels: GoldLabels) -> list[Any]:
    """Decodes the frames after a turn, which stay undecoded where nobody asks for them.

    Raises:
        TaskError: one is no JSON.
    """
    try:
        return [msgspec.json.decode(raw) for raw in labels.frames]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _not_frames(f"A frame of a turn is no JSON: {error}") from error


def list_user_turns(dialogue: GoldDialogue) -> Iterator[UserTurn]:
    """Lists the turns of the user in order."""
    searches = 0
    for number, turn in enumerate(dialogue.turns):
        if turn.db is not None:
            searches += max(len(turn.db.search), len(turn.db.result))
        if turn.author == "user":
            yield UserTurn(dialogue, number, number + searches)


def list_history(place: UserTurn) -> list[dict[str, str]]:
    """Lists what was said before a turn, with its author."""
    turns = place.dialogue.turns[: place.number]
    return [{"author": turn.author, "text": turn.text} for turn in turns]
