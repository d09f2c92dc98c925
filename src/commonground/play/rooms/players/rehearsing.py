"""Rehearsing a study: scripted players go through a copy of it as people would."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

import msgspec

from commonground.engines.processes import require_posix
from commonground.errors import FormatError, SourceError, UsageError, find_named
from commonground.files.outputs import write_file
from commonground.files.work_folders import temporary_folder
from commonground.play.collect.exports.exporting import Exported, export_study
from commonground.play.collect.log import EventLog
from commonground.play.collect.setup.partners import count_people
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.study import (
    IDENTITIES,
    LOCK,
    LOG,
    ORDERS,
    PLACES,
    SETTINGS,
    Study,
    open_study,
)
from commonground.play.rooms.players.guests import Guest, Stay
from commonground.play.scenarios import get_scenario

ARRIVAL_S = 0.05
"""Seconds between two arrivals."""

# From `[models]` to the next heading or the end; its own tables, such as `[models.prices."x"]`, are
# part of it.
_MODELS_TABLES = re.compile(r"(?ms)^\[models[\].].*?(?=^\[(?!models[\].])|\Z)")

_SERVE = "from commonground.cli import main; main()"
# A server that is told to end writes its log first; then it is killed.
_STOP_S = 30.0

Progress = Callable[[int, int], None]
"""Called with how many guests have left, and how many came."""


class Rehearsal(msgspec.Struct, frozen=True):
    """What came of a rehearsal.

    Attributes:
        exits: how many left by each way out.
        acts: that were acknowledged.
        waits: types of act, each with the seconds until those acts were answered, in rising order.
        renewals_s: seconds until the next session was on the page, in rising order.
        refused: acts that were refused, by code.
        mishaps: that befell guests, by kind.
        complete: sessions that were played to their end.
        sessions: all sessions, complete or not.
        released: files in the released format that were exported.
        is_assigned: whether people work alone and are given one thing after the other, so that
            who leaves has one more on the page.
    """

    guests: int
    exits: dict[str, int]
    acts: int
    waits: dict[str, list[float]]
    renewals_s: list[float]
    refused: dict[str, int]
    mishaps: dict[str, int]
    complete: int
    sessions: int
    released: int
    is_assigned: bool = False

    def wait_ms(self, share: float, kind: str | None = None) -> float | None:
        """Returns the milliseconds in which a share of acts was answered; None without such acts.

        Args:
            share: such as 0.99.
            kind: type of the acts; None for all.
        """
        found = self.waits.values() if kind is None else [self.waits.get(kind, [])]
        return find_share_ms([wait_s for each in found for wait_s in each], share)


def find_share_ms(seconds: Sequence[float], share: float) -> float | None:
    """Returns the milliseconds within which a share of times lies; None where there are none."""
    if not seconds:
        return None
    return sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)] * 1000


def rehearse_study(
    study: Study,
    out: Path,
    *,
    sessions: int,
    people: int | None = None,
    speed: float,
    seed: int = 0,
    mishaps: float = 0.0,
    models: bool = False,
    progress: Progress | None = None,
) -> Rehearsal:
    """Lets scripted players play sessions of a study, in a copy that is served to them only.

    Args:
        study: to rehearse; nothing of it changes, and its log stays as it is.
        out: folder for what is exported then.
        people: how many people label, each as long as there are units for them, whatever
            `sessions` says; None for as many as share so many sessions.
        speed: how many times as fast as people the players are.
        mishaps: share of their acts that have one; see :data:`MISHAPS` of ``guests``.
        models: whether the language models of the study sit down, too, and are asked.

    Raises:
        CommongroundError: the study cannot be served, or a player cannot go on.
    """
    # Here, too, where what is said is of the study itself and not of its copy.
    study.require_pictures()
    with temporary_folder() as folder:
        copy = copy_study(study, folder / study.folder.resolve().name, models=models)
        with serve_beside(copy.folder) as address:
            guests = invite(
                copy,
                address,
                sessions=sessions,
                people=people,
                speed=speed,
                seed=seed,
                mishaps=mishaps,
            )
            stays = asyncio.run(gather(guests, progress))
        exported = export_study(copy, out, what="rehearsal")
    assigner = get_scenario(study.settings.scenario).assigner()
    return sum_up(stays, exported, is_assigned=assigner is not None)


def copy_study(study: Study, folder: Path, *, models: bool = False) -> Study:
    """Copies a study without what was collected, and lets everybody in who has the address.

    Args:
        folder: to make.
        models: whether people meet the language models of the study in the copy, too.

    Raises:
        FormatError: the settings of the models stand where they cannot be taken out.
    """
    left = (LOG + "*", IDENTITIES + "*", LOCK + "*", PLACES, ORDERS, "images")
    shutil.copytree(study.folder, folder, ignore=shutil.ignore_patterns(*left))
    images = study.images
    if images is not None and images.is_dir() and not Path(study.settings.images).is_absolute():
        (folder / study.settings.images).symlink_to(images.resolve())
    path = folder / SETTINGS
    text = path.read_text(encoding="utf-8")
    # By text, not by reading and writing it as TOML: comments and all else stay as they are.
    text = re.sub(r"(?m)^plain = false", "plain = true", text)
    if not models:
        # Unless it is wanted, no provider is asked and nothing is spent: scripts meet scripts.
        text = _MODELS_TABLES.sub("", text)
    write_file(path, text.encode())
    EventLog.create(folder / LOG).close()
    copy = open_study(folder)
    if copy.settings.models is not None and not models:
        raise FormatError(
            f"{study.folder / SETTINGS}: a rehearsal needs the models in a table of their own.",
            "Write [models] on a line, and their settings below it.",
        )
    return copy


@contextmanager
def serve_beside(folder: Path) -> Iterator[str]:
    """Serves a study in a process of its own; yields the address of its participants.

    Raises:
        SourceError: the process says that it cannot.
    """
    require_posix("`collect rehearse`")
    words = ("collect", "serve", str(folder), "--port", "0", "--monitor-port", "0")
    with subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-c", _SERVE, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Whatever this process ignores, that one is to end by Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as server:
        try:
            assert server.stdout is not None  # noqa: S101 - asked for above
            # The addresses of participants and of the monitor, in this order.
            said = [server.stdout.readline() for _ in range(2)]
            found = re.search(r"http://\S+", said[0])
            if found is None:
                server.kill()
                raise SourceError("".join([*said, server.stdout.read()]).strip())
            yield found[0].rstrip("/")
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(_STOP_S)


def invite(
    study: Study,
    address: str,
    *,
    sessions: int,
    people: int | None = None,
    speed: float,
    seed: int = 0,
    mishaps: float = 0.0,
) -> list[Guest]:
    """Returns as many scripted guests as so many sessions need, or a few more.

    Where some of them meet language models, nobody is left without a partner.

    Args:
        address: of the study's participants.
        people, speed, mishaps: as in :func:`rehearse_study`.

    Raises:
        UsageError: the scenario has no script, or `people` are too few or none that label.
    """
    scenario = get_scenario(study.settings.scenario)
    roles, assigner = scenario.rules.roles, scenario.assigner()
    script = find_named("player", "script", scenario.player_kinds())
    most = 1
    if people is not None:
        if assigner is None:
            raise UsageError(
                f"People of {scenario.name} play in sessions of {len(roles)}.",
                "Say how many sessions are played: --sessions. --people is for labelling.",
            )
        least = max(getattr(each, "people", 1) for each in study.stock.pieces)
        if people < least:
            raise UsageError(
                f"Each unit is for {least} people: with {people} none would be done.",
                f"Rehearse with --people {least}.",
            )
        # Nobody is given a unit twice: they leave when there is none left for them.
        count, most = people, len(study.stock)
    elif assigner is not None:
        count = assigner.people(sessions)
        most = -(-sessions // count)  # negated twice, the division rounds up
    elif study.settings.models is not None:
        count = count_people(study.settings.models, roles, study.settings.seed, sessions)
    else:
        count = sessions * len(roles)
    rng = Random(f"{seed}:guests")
    return [
        Guest(
            study,
            scenario,
            read_plan(scenario.room),
            dict.fromkeys(roles, script),
            address,
            seed=rng.getrandbits(32),
            speed=speed,
            most=most,
            mishaps=mishaps,
        )
        for _ in range(count)
    ]


async def gather(guests: Sequence[Guest], progress: Progress | None = None) -> list[Stay]:
    """Lets guests come one after the other, and returns when all have left."""
    left = 0

    async def run(number: int, guest: Guest) -> Stay:
        nonlocal left
        # All at once would measure how fast connections are taken, not how acts are.
        await asyncio.sleep(number * ARRIVAL_S)
        stay = await guest.run()
        left += 1
        if progress is not None:
            progress(left, len(guests))
        return stay

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run(*each)) for each in enumerate(guests)]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None  # the first that failed; the others were stopped
    return [task.result() for task in tasks]


def sum_up(stays: Sequence[Stay], exported: Exported, *, is_assigned: bool = False) -> Rehearsal:
    """Counts what came of all guests together; ``is_assigned`` is that of :class:`Rehearsal`."""
    waits: dict[str, list[float]] = {}
    for kind, wait_s in sorted(each for stay in stays for each in stay.waits):
        waits.setdefault(kind, []).append(wait_s)
    return Rehearsal(
        guests=len(stays),
        exits=dict(Counter(stay.way_out or "" for stay in stays)),
        acts=sum(len(stay.counted) for stay in stays),
        waits=waits,
        renewals_s=sorted(each for stay in stays for each in stay.renewals_s),
        refused=dict(sum((stay.refused for stay in stays), Counter())),
        mishaps=dict(sum((stay.mishaps for stay in stays), Counter())),
        complete=exported.complete,
        sessions=exported.sessions,
        released=exported.released,
        is_assigned=is_assigned,
    )
