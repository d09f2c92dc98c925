"""Every scenario under load: scripted people at ten times human speed, over real sockets."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Line

if TYPE_CHECKING:
    from commonground.play.collect.setup.study import Study
    from commonground.play.rooms.players.rehearsing import Rehearsal

SESSIONS = 50
SPEED = 10.0
ACKNOWLEDGED_MS = 50.0
RENEWED_MS = 30.0


def run() -> list[Line]:
    from commonground.play.scenarios import iterate_scenarios

    lines = []
    for scenario in sorted(iterate_scenarios(), key=lambda each: each.name):
        if scenario.room.is_dir():
            lines += _measure(scenario.name)
    return lines


def _measure(name: str) -> list[Line]:
    from commonground.play.collect.setup.preparing import prepare_study
    from commonground.play.rooms.players.rehearsing import find_share_ms

    with tempfile.TemporaryDirectory() as folder:
        study = prepare_study(Path(folder) / "load", name, material=None, languages=("en",))
        done = _rehearse(study, Path(folder) / "OUT")
    lines = [_describe(f"{name}: an act acknowledged, p99", done)]
    if done.renewals_s:
        next_ms = find_share_ms(done.renewals_s, 0.99) or 0.0
        lines.append(
            Line(
                f"{name}: the next piece on the page, p99",
                f"{next_ms:.1f} ms",
                f"{len(done.renewals_s):,} times",
                None,
                f"under {RENEWED_MS:.0f} ms",
                next_ms < RENEWED_MS,
            )
        )
    return lines


def _rehearse(study: Study, out: Path) -> Rehearsal:
    from commonground.play.rooms.players.rehearsing import rehearse_study

    return rehearse_study(study, out, sessions=SESSIONS, speed=SPEED)


def _describe(title: str, done: Rehearsal) -> Line:
    wait_ms = done.wait_ms(0.99) or 0.0
    return Line(
        title,
        f"{wait_ms:.1f} ms",
        f"{done.complete} sessions, {done.acts:,} acts",
        None,
        f"under {ACKNOWLEDGED_MS:.0f} ms, {SESSIONS} complete",
        wait_ms < ACKNOWLEDGED_MS and done.complete >= SESSIONS,
    )
