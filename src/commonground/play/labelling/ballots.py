"""What one person said of one unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.play.labelling.units import Unit
from commonground.play.scenario import ReleasedFile

MOST_SKIPS = 3
"""People who skip a unit before it is given to nobody any more."""


class Ballot(msgspec.Struct, frozen=True):
    """What one person, or a model, said of one unit.

    Attributes:
        worker: number of the person; it stays with a person over sessions.
        number: of the session; where a unit has votes to spare, the first ones count.
        votes: by candidate; empty where the unit was skipped.
        skipped: why it was skipped; None where it was labelled.
        note: what was written about that.
        by_model: whether a model cast it. Such ballots are kept apart: they count in nothing that
            is said of people's.
    """

    unit: Unit
    worker: int
    number: int
    votes: dict[str, Any]
    skipped: str | None = None
    note: str = ""
    by_model: bool = False


def name_worker(number: int, *, is_model: bool = False) -> str:
    """Returns the pseudonym under which the votes of a person, or of a model, are released."""
    return f"{'M' if is_model else 'W'}{number:04d}"


def release_model_votes(ballots: Iterable[Ballot]) -> Iterator[ReleasedFile]:
    """Yields what models said of each unit, a JSON file; nothing where no model was asked."""
    models = sorted((each for each in ballots if each.by_model), key=lambda each: each.number)
    votes = [
        {
            "unit": each.unit.id,
            "model": name_worker(each.worker, is_model=True),
            "votes": each.votes,
            "skipped": each.skipped,
            "note": each.note,
        }
        for each in models
    ]
    if votes:
        yield ReleasedFile("extra/model_votes.json", msgspec.json.encode(votes))


def choose_counted(ballots: Iterable[Ballot]) -> list[Ballot]:
    """Returns those ballots of a unit that count: as many as are wanted, by one person each.

    Args:
        ballots: of people, in the order of their sessions; skips count for nothing.
    """
    first: dict[int, Ballot] = {}
    for each in ballots:
        if each.skipped is None:
            first.setdefault(each.worker, each)
    counted = sorted(first.values(), key=lambda each: each.number)
    return counted[: counted[0].unit.people] if counted else []


def is_done(ballots: Sequence[Ballot]) -> bool:
    """Says whether a unit needs no more people, by all its ballots."""
    people = [each for each in ballots if not each.by_model]
    labelled = {each.worker for each in people if each.skipped is None}
    skipped = {each.worker for each in people if each.skipped is not None}
    wanted = people[0].unit.people if people else 1
    return len(labelled) >= wanted or len(skipped) >= MOST_SKIPS
