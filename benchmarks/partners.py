"""People beside language models that take their time: how soon people's acts are acknowledged."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.collecting import Crowd, count_faults, new_study, play_served
from benchmarks.measure import Line

MODELS = 50
PAIRS = 50
ANSWERS_AFTER_S = 30.0
LOAD_S = 70.0
"""Seconds of play: all models are asked three times, and their answers come at once."""

REFERENCE_S = 20.0
"""Seconds for which as many people play among themselves."""

BAR_MS = 100.0

_STUB = "from benchmarks.partners import serve_slow_model; serve_slow_model()"


def run() -> list[Line]:
    from tests.unit.play.rooms.minds import settings_for

    settings = settings_for("B").replace("share = 1.0", f"share = {MODELS / (MODELS + PAIRS)}")
    with tempfile.TemporaryDirectory() as name:
        # As many people who write as much, and no model: what the machine makes of that.
        alone = Path(name) / "alone"
        people = _seat_people(alone, MODELS + 2 * PAIRS)
        alone_ms = _find_p99_ms(play_served(alone, people, REFERENCE_S))
        folder = Path(name) / "load"
        tokens = _seat_everybody(folder, settings)
        waits_s, asked = _play(folder, tokens)
        faults = count_faults(folder, len(waits_s))
    p99_ms = _find_p99_ms(waits_s)
    return [
        Line(
            f"an act acknowledged beside {MODELS} models with answers after "
            f"{ANSWERS_AFTER_S:.0f} s, p99",
            f"{p99_ms:.1f} ms",
            f"{len(waits_s):,} acts of {len(tokens)} people, {faults} lost or doubled, "
            f"{asked} requests; {alone_ms:.1f} ms without models",
            p99_ms / alone_ms,
            f"under {BAR_MS:.0f} ms, none lost",
            p99_ms < BAR_MS and not faults and asked >= MODELS,
        )
    ]


def _find_p99_ms(waits_s: list[float]) -> float:
    return waits_s[int(0.99 * len(waits_s))] * 1000


def _seat_people(folder: Path, people: int) -> list[str]:
    """Seats people with each other; returns the tokens of all."""
    crowd = Crowd(new_study(folder))
    pids = [crowd.enter(number) for number in range(people)]
    crowd.do(crowd.hall.tick)
    assert len(crowd.hall.ledger.sessions) == people // 2
    tokens = [crowd.identities.token(pid) for pid in pids]
    crowd.close()
    return tokens


def _seat_everybody(folder: Path, settings: str) -> list[str]:
    """Seats people with models and with each other; returns the tokens of all."""
    crowd = Crowd(new_study(folder, settings))
    pids = [crowd.enter(number) for number in range(MODELS + 2 * PAIRS)]
    crowd.do(crowd.hall.tick)
    sessions = crowd.hall.ledger.sessions.values()
    with_models = sum(any(seat.model for seat in each.seats.values()) for each in sessions)
    assert (with_models, len(sessions)) == (MODELS, MODELS + PAIRS)
    tokens = [crowd.identities.token(pid) for pid in pids]
    crowd.close()
    return tokens


def _play(folder: Path, tokens: list[str]) -> tuple[list[float], int]:
    """Lets everybody play while the models think; and counts what they were asked."""
    # A process of its own: what the model is sent must not keep the clocks of people waiting.
    with subprocess.Popen(
        [sys.executable, "-c", _STUB],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as stub:
        assert stub.stdin is not None
        assert stub.stdout is not None
        url = stub.stdout.readline().strip()
        environment = {"STUB_BASE_URL": url, "STUB_API_KEY": "none"}
        try:
            waits_s = play_served(folder, tokens, LOAD_S, environment)
            stub.stdin.close()
            return waits_s, int(stub.stdout.readline())
        finally:
            stub.kill()


def serve_slow_model() -> None:
    """Serves a model on this machine until the standard input ends; says how often it was asked."""
    from tests.unit.bench.inspect_tasks.stub import serve
    from tests.unit.play.rooms.minds import answer_by, play_photobook

    with serve(answer_by(play_photobook, after_s=ANSWERS_AFTER_S)) as stub:
        print(stub.url, flush=True)
        sys.stdin.read()  # ends with the process that began this one, whatever ends that
        print(len(stub.asked), flush=True)
