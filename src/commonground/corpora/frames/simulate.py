"""Writes invented Frames dialogues in the released format."""

from __future__ import annotations

import random
import uuid
from pathlib import Path

import msgspec

from commonground.corpora.frames.convert import FOLD_OF
from commonground.corpora.frames.native import DialogueLabels, FramesDialogue, Number
from commonground.corpora.frames.play import play_dialogue
from commonground.corpora.frames.session import Session
from commonground.corpora.frames.world import World

_BEGAN_MS = 1_471_000_000_000
_WIZARDS = tuple(f"USIMWIZ{number:02}" for number in range(1, 9))


def simulate(out: Path, *, corpus: str, dialogues: int, seed: int) -> None:  # noqa: ARG001
    """Writes ``frames.json`` below ``out``, one dialogue after the other.

    The users are one of each of the authors' folds in turn, so ten dialogues fill all splits.
    """
    out.mkdir(parents=True, exist_ok=True)
    world = World(seed)
    with (out / "frames.json").open("wb") as stream:
        stream.write(b"[")
        for number in range(dialogues):
            stream.write(b",\n" if number else b"\n")
            stream.write(msgspec.json.encode(make_dialogue(world, seed, number)))
        stream.write(b"\n]\n")


def make_dialogue(world: World, seed: int, number: int) -> FramesDialogue:
    """Makes the ``number``-th dialogue of a seed."""
    rng = random.Random(f"{seed}/dialogue/{number}")
    session = Session(rng, _BEGAN_MS + number * 1_200_000 + rng.randrange(600_000))
    booked = play_dialogue(session, world)
    users = list({fold: user for user, fold in FOLD_OF.items()}.values())
    return FramesDialogue(
        id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        user_id=users[number % len(users)],
        wizard_id=rng.choice(_WIZARDS),
        labels=DialogueLabels(
            userSurveyRating=_rating(rng, booked), wizardSurveyTaskSuccessful=booked
        ),
        turns=session.turns,
    )


def _rating(rng: random.Random, booked: bool) -> Number:
    rating = rng.choice((4, 5, 5, 5) if booked else (1, 2, 3, 4))
    return rating if rng.random() < 0.1 else float(rating)
