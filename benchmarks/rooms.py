"""Every scenario under load: scripted people at ten times human speed, over real sockets."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Line

if TYPE_CHECKING:
    from commonground.collect.study import Study
    from commonground.rooms.rehearsing import Rehearsal

SESSIONS = 50
SPEED = 10.0
ACKNOWLEDGED_MS = 50.0
SEARCHED_MS = 50.0
RENEWED_MS = 30.0
PACKAGES = 100_000


def run() -> list[Line]:
    from commonground.corpora import iterate_scenarios

    lines = []
    for scenario in sorted(iterate_scenarios(), key=lambda each: each.name):
        if scenario.room.is_dir():
            lines += _measure(scenario.name)
    return lines + _search()


def _measure(name: str) -> list[Line]:
    from commonground.collect.preparing import prepare_study
    from commonground.rooms.rehearsing import find_share_ms

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
    from commonground.rooms.rehearsing import rehearse_study

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


def _search() -> list[Line]:
    """Lets wizards of Frames search a large database."""
    with tempfile.TemporaryDirectory() as folder:
        done = _rehearse(_make_large(Path(folder) / "large"), Path(folder) / "OUT")
    wait_ms = done.wait_ms(0.99, "frames.search") or 0.0
    count = len(done.waits.get("frames.search", ()))
    search = Line(
        f"frames: a search in {PACKAGES:,} packages answered, p99",
        f"{wait_ms:.1f} ms",
        f"{count:,} searches",
        None,
        f"under {SEARCHED_MS:.0f} ms",
        0 < wait_ms < SEARCHED_MS,
    )
    return [search, _describe("frames: an act acknowledged beside them, p99", done)]


def _make_large(folder: Path) -> Study:
    from commonground.collect.plan import read_plan
    from commonground.collect.study import create_study
    from commonground.corpora import get_scenario
    from commonground.corpora.frames.scenario.material import Material
    from commonground.corpora.frames.scenario.travel.cards import sample_card
    from commonground.corpora.frames.scenario.travel.database import Invention, open_database

    packages = Invention(1, PACKAGES)
    database = open_database(packages)
    return create_study(
        folder,
        scenario="frames",
        languages=("en",),
        images=None,
        material=[Material((sample_card(database, 1, n),), packages) for n in range(SESSIONS)],
        defaults=read_plan(get_scenario("frames").room).study,
    )
