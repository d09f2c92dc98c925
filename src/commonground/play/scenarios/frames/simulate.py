"""Invents Frames dialogues: scripted players play by the rules, over an invented database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec

from commonground.corpora.frames.convert import FOLD_OF
from commonground.corpora.frames.native import FramesDialogue
from commonground.play.player import Seat
from commonground.play.scenario import Sitting
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.script import PLAYER
from commonground.play.scenarios.frames.travel.cards import sample_card
from commonground.play.scenarios.frames.travel.database import Invention, open_database
from commonground.play.session import play

_START_US = 1_471_000_000_000_000
"""The first dialogue starts on 12 August 2016."""

_BETWEEN_US = 1_200_000_000  # twenty minutes
# Each user comes once; the wizards, who are numbered before them, serve many.
_WIZARDS = 8


def simulate(out: Path, *, dialogues: int, seed: int) -> None:
    """Writes invented dialogues.

    Args:
        out: folder to write ``frames.json`` to.
        dialogues: the first of a longer corpus are those of a shorter one.
        seed: the same seed gives the same bytes.
    """
    out.mkdir(parents=True, exist_ok=True)
    for file in SCENARIO.release(iterate_dialogues(dialogues, seed)):
        (out / file.path).write_bytes(file.data)


def iterate_dialogues(dialogues: int, seed: int) -> Iterator[FramesDialogue]:
    """Plays dialogues, one after the other, and yields them in order of time.

    The users are one of each of the authors' folds in turn, so ten dialogues fill all splits. The
    same seed gives the same dialogues.
    """
    # Fold 1 has two users, of whom the later one stays.
    users = list({fold: user for user, fold in FOLD_OF.items()}.values())
    packages = Invention(seed)
    database = open_database(packages)
    for number in range(dialogues):
        material = FramesMaterial((sample_card(database, seed, number),), packages)
        rng = Random(f"{seed}:dialogue:{number}")
        players = {
            role: PLAYER.enter(Seat(role, material, rng.getrandbits(32))) for role in SCENARIO.roles
        }
        start_us = _START_US + number * _BETWEEN_US + rng.randrange(600_000_000)
        session = play(SCENARIO, material, rng.getrandbits(32), players, start_us=start_us)
        agents = {"user": _WIZARDS + number, "wizard": rng.randrange(_WIZARDS)}
        (dialogue,) = SCENARIO.finish(session.state, Sitting(number, agents))
        yield msgspec.structs.replace(dialogue, user_id=users[number % len(users)])
