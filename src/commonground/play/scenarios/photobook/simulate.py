"""Invents PhotoBook games: scripted players play by the rules, with invented pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from commonground.corpora.photobook.native import Game
from commonground.play.player import Seat
from commonground.play.scenario import Act, Sitting
from commonground.play.scenarios.photobook.material import (
    PhotobookMaterial,
    invent_material,
    write_material,
)
from commonground.play.scenarios.photobook.players.script import PLAYER
from commonground.play.scenarios.photobook.rules import SCENARIO
from commonground.play.session import play, replay_acts

# Each split has a game among the first four; from there on the shares are near the released ones.
_SPLITS = ("train", "val", "test", "dev", *["train"] * 26, *["val"] * 5, *["test"] * 5)
# Agents come and go: who plays is drawn from a window that moves on with the games.
_AGENTS_PER_GAME = 0.62
_AGENT_WINDOW = 12
_START_US = 1_709_542_800_250_000
"""The first game starts on 4 March 2024, some time after nine."""

_LEAVES = 0.03
"""Share of games that somebody leaves before the questionnaire; their logs lack that feedback."""


def simulate(out: Path, *, dialogues: int, seed: int) -> None:
    """Writes invented games with their pictures, splits and domains.

    Args:
        out: folder to write below: ``logs/``, ``images/``, ``data_splits.json`` and
            ``domain_ids.txt``.
        seed: the same seed gives the same bytes.
    """
    (out / "logs").mkdir(parents=True, exist_ok=True)
    materials = invent_material(dialogues, seed)
    used: set[int] = set()
    for game in iterate_games(materials, dialogues, seed):
        used.add(game.domain_id)
        for file in SCENARIO.release([game]):
            (out / file.path).write_bytes(file.data)
    write_material([each for each in materials if each.domain_id in used], out, seed)
    ids: dict[str, list[int]] = {"train": [], "dev": [], "val": [], "test": []}
    for game_id in range(dialogues):
        ids[_SPLITS[game_id % len(_SPLITS)]].append(game_id)
    (out / "data_splits.json").write_text(json.dumps(ids), encoding="utf-8")


def iterate_games(materials: list[PhotobookMaterial], dialogues: int, seed: int) -> Iterator[Game]:
    """Plays games, one after the other, and yields them in order of time.

    A longer corpus of the same material starts like a shorter one.

    Args:
        materials: each game draws one of them.
        seed: the same seed gives the same games.
    """
    start_us = _START_US
    for game_id in range(dialogues):
        rng = Random(f"{seed}:game:{game_id}")
        # 20 s to 25 minutes after the one before, so that some games overlap.
        start_us += rng.randrange(20_000_000, 1_500_000_000)
        first = int(game_id * _AGENTS_PER_GAME)
        a, b = rng.sample(range(first, first + _AGENT_WINDOW), 2)
        material, players = rng.choice(materials), {}
        for role, agent in (("A", a), ("B", b)):
            # An agent has the same habits in all games.
            habits = Random(f"{seed}:agent:{agent}").getrandbits(32)
            players[role] = PLAYER.enter(Seat(role, material, habits))
        drawn = rng.getrandbits(32)
        session = play(SCENARIO, material, drawn, players, start_us=start_us)
        state = session.state
        if rng.random() < _LEAVES:
            *acts, last = session.acts
            left = Act("session.ended", None, {"reason": "partner_left"}, last.at_us)
            state = replay_acts(SCENARIO, material, drawn, [*acts, left])
        yield from SCENARIO.finish(state, Sitting(game_id, {"A": a, "B": b}))
