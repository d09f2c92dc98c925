"""Games played without a server, and the released logs played again by the same rules."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.measure import Line, best_of, python, run_process

GAMES = 20


def run() -> list[Line]:
    lines = [_play()]
    data = os.environ.get("COMMONGROUND_DATA")
    if data:
        lines.append(_replay(Path(data) / "photobook" / "logs"))
    return lines


def _play() -> Line:
    from commonground.play.player import Seat
    from commonground.play.scenarios import get_scenario
    from commonground.play.session import play
    from commonground.play.sessions import seat_players

    scenario = get_scenario("photobook")
    seats = seat_players(scenario, {})
    material = scenario.material_source().invent(GAMES, 1)[0]

    def play_all() -> None:
        for seed in range(GAMES):
            players = {role: kind.enter(Seat(role, material, seed)) for role, kind in seats.items()}
            play(scenario.rules, material, seed, players)

    seconds = best_of(play_all) / GAMES
    return Line(
        "a game of two scripted players",
        f"{seconds * 1000:.1f} ms",
        f"mean of {GAMES}",
        None,
        "under 100 ms",
        seconds < 0.1,
    )


def _replay(logs: Path) -> Line:
    program = "from commonground.cli import main; main()"
    words = python(program, "play", "photobook", "--replay", str(logs), "--json")
    seconds = best_of(lambda: run_process(words), 3)
    return Line(
        "2,502 released logs played again, whole process",
        f"{seconds:.2f} s",
        f"{len(os.sched_getaffinity(0))} cores",
        None,
        "under 3 s",
        seconds < 3,
    )
