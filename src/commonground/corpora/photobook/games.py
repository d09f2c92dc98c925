"""PhotoBook games, from released files or from the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from commonground.corpora.photobook.native import FORMATS, Game, Round
from commonground.corpora.photobook.segments import Segment
from commonground.errors import TaskError
from commonground.files.dividing import recognise_document
from commonground.files.documents import iterate_records
from commonground.files.formats import identify_document
from commonground.files.sources import Document, list_documents
from commonground.task import Gold, Problem, Tally

NO_SCRIPT = "reads no predictions; here "

_GAME = msgspec.json.Decoder(Game)
_RELEASED_SPLITS = ["train", "dev", "val", "test"]
_BROKEN = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Games(msgspec.Struct):
    """Games in order of their ids.

    Attributes:
        by_id: the games by id as text, as the store has it.
        problems: what could not be read.
        splits: split of each game by id, where released files give it; the store has its own.
    """

    by_id: dict[str, Game] = {}
    problems: list[Problem] = []
    splits: dict[str, str] = {}


def load_games(gold: Gold) -> Games:
    """Loads the games of a split.

    Raises:
        TaskError: there are none, or files are to give a split and the split file is not there.
        SourceError: a file cannot be read.
    """
    games, faults = Games(), Tally(prefix=NO_SCRIPT)
    documents = list_documents(gold.files).documents if gold.files else []
    found = _read_files(documents, gold.split, faults) if gold.files else _read_store(gold, faults)
    splits = _read_splits(documents)
    games.splits = {str(game): name for name, ids in splits.items() for game in ids}
    kept = (game for game in found if gold.keeps(str(game.game_id)))
    games.by_id = {str(g.game_id): g for g in sorted(kept, key=lambda game: game.game_id)}
    games.problems = faults.problems()
    if not games.by_id:
        raise TaskError(
            f"Found no PhotoBook games to take the right answers from: {faults.describe()}.",
            "Name released logs (with data_splits.json for a split), or import the corpus.",
        )
    return games


def _read_store(gold: Gold, faults: Tally) -> Iterator[Game]:
    if gold.corpus is None:
        return
    query = (
        "SELECT n.dialogue_id, n.json FROM native n JOIN dialogues d "
        "ON d.corpus = n.corpus AND d.dialogue_id = n.dialogue_id "
        "WHERE n.corpus = ? AND n.format = 'log'"
    )
    parameters = [gold.corpus.name]
    if gold.split is not None:
        query += " AND d.split = ?"
        parameters.append(gold.split)
    for name, text in gold.corpus.rows(query, parameters):
        yield from _decode_game(text, name, faults)


def _decode_game(data: bytes | str, name: str, faults: Tally) -> Iterator[Game]:
    try:
        yield _GAME.decode(data)
    except _BROKEN as error:
        faults.add("unreadable games", f"{name}: {error}", "they are left out.", skipped=True)


def _read_files(documents: Sequence[Document], split: str | None, faults: Tally) -> Iterator[Game]:
    named = {d.name: identify_document(d, FORMATS) for d in documents}
    chosen = None if split is None else _read_split(documents, split)
    for document in documents:
        fmt = named[document.name]
        # A file without a name of the format is looked at by what it holds: people rename logs.
        if fmt is not None and fmt.name != "log":
            continue
        data = document.read()
        if fmt is None and recognise_document(data, FORMATS) is None:
            continue
        for game in _decode_game(data, document.name, faults):
            if chosen is None or game.game_id in chosen:
                yield game


def _read_split(documents: Sequence[Document], split: str) -> set[int]:
    """Returns the game ids of a split."""
    splits = _read_splits(documents)
    known = list(splits) or _RELEASED_SPLITS
    if split not in known:
        raise TaskError(f"PhotoBook has no split {split!r}.", f"There are: {', '.join(known)}.")
    if splits:
        return set(splits[split])
    raise TaskError(
        f"The logs do not say which games are in split {split!r}.", "Name data_splits.json, too."
    )


def _read_splits(documents: Sequence[Document]) -> dict[str, list[int]]:
    """Returns the game ids of each split; empty where no file gives them."""
    splits: dict[str, list[int]] = {}
    for document in documents:
        fmt = identify_document(document, FORMATS)
        if fmt is None or fmt.name != "splits":
            continue
        for read in iterate_records(document, fmt):
            if read.raw.split is not None:
                ids = splits.setdefault(read.raw.split, [])
                if isinstance(read.record, int):
                    ids.append(read.record)
    return splits


def number_messages(game: Game) -> list[range]:
    """Returns the numbers of the messages of each round, from 0 through the game."""
    ranges, first = [], 0
    for each in game.rounds:
        ranges.append(range(first, first + len(each.messages)))
        first += len(each.messages)
    return ranges


def list_images(game_round: Round) -> list[str]:
    """Returns the images that either player sees in a round, sorted."""
    return sorted({*game_round.images.A, *game_round.images.B})


def list_texts(game: Game, segment: Segment) -> list[list[str]]:
    """Returns speaker and text of each message of a segment."""
    messages = game.rounds[segment.round_index].messages
    first = number_messages(game)[segment.round_index].start
    found = [messages[number - first] for number in segment.messages]
    return [[each.speaker, each.message] for each in found]


def as_text(value: Any) -> str | None:
    """Returns a game id as text; None where it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None
