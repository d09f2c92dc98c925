"""Writes invented MPChat files: threads that scripted people label by the rules, and pictures.

A thread is told once in each task file, as in the released files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from commonground.corpora.mpchat.native import (
    CANDIDATES,
    MAX_PERSONAS,
    NrpThread,
    Persona,
    Task,
    Thread,
)
from commonground.play.labelling.ballots import is_done
from commonground.play.player import Seat
from commonground.play.scenario import Sitting
from commonground.play.scenarios.mpchat.invented_reddit import (
    MIN_AUTHORS,
    Invented,
    InventedReddit,
)
from commonground.play.scenarios.mpchat.material import draw_author, draw_thread, units_of
from commonground.play.scenarios.mpchat.ranking import tell_tasks
from commonground.play.scenarios.mpchat.release import (
    TASKS,
    Ballot,
    count_votes,
    label_thread,
    map_posts,
    render_map,
    render_task,
)
from commonground.play.scenarios.mpchat.rules import SCENARIO
from commonground.play.scenarios.mpchat.scenes import say_grounded
from commonground.play.scenarios.mpchat.script import PLAYER
from commonground.play.session import play

SHARE = 0.15
"""Share of the threads that go to ``test``, and again to ``val``."""

WORKERS = 40
"""People who label an invented corpus."""

_START_US = 1_672_531_200_000_000  # 2023-01-01, UTC


def simulate(out: Path, *, dialogues: int, seed: int) -> None:
    """Writes an invented corpus below ``out``, pictures in ``out/images``.

    A thread gives up to three dialogues, one for each task; a task without any has no file.

    Args:
        dialogues: number of dialogues in all files together.
        seed: the same seed gives the same files.
    """
    threads = -(-dialogues // len(TASKS))  # rounded up
    reddit = InventedReddit(seed, max(MIN_AUTHORS, threads))
    pool, tasks = Neighbours(reddit), TASKS[:dialogues]
    # Dealt out one by one: of four dialogues the first task has two and the others one each.
    counts = {task: (dialogues - at - 1) // len(TASKS) + 1 for at, task in enumerate(tasks)}
    posts: list[tuple[str, str]] = []
    out.mkdir(parents=True, exist_ok=True)
    splits = divide_splits(threads)
    files: dict[Task, dict[str, list[Thread]]] = {
        task: {split: [] for split in splits} for task in tasks
    }
    for split, numbers in splits.items():
        for number in numbers:
            invented = reddit.thread(number)
            labelled = label_invented(invented, seed)
            for task, thread in tell_tasks(labelled, None if split == "train" else pool):
                if number < counts.get(task, 0):
                    files[task][split].append(thread)
            draw_thread(reddit, invented, out / "images")
            posts += map_posts([labelled])
    for task, found in files.items():
        (out / f"mpchat_{task}.json").write_bytes(render_task(found))
    (out / "dialog_image_urls.json").write_bytes(render_map(posts))
    people = [reddit.author(number) for number in range(reddit.size)]
    for author in people:
        draw_author(author, out / "images")
    shown = ((each.id, str(each.direct_url)) for author in people for each in author.personas)
    (out / "persona_image_urls.json").write_bytes(render_map(shown))


def divide_splits(threads: int) -> dict[str, range]:
    """Divides the numbers of the threads; the first ones are tested, so small corpora have some."""
    part = max(1, round(threads * SHARE))
    test, val = min(threads, part), min(threads, 2 * part)
    return {"train": range(val, threads), "val": range(test, val), "test": range(test)}


def label_invented(invented: Invented, seed: int) -> NrpThread:
    """Has scripted people label a thread: three each response, others where somebody skips it."""
    start_us = _START_US + invented.number * 3_600_000_000  # an hour apart
    cast: list[Ballot] = []
    for unit in units_of(invented):
        ballots: list[Ballot] = []
        rng = Random(f"{seed}/labels/{unit.id}")
        # In any order, until three have labelled it or have skipped it.
        for worker in rng.sample(range(WORKERS), WORKERS):
            # Somebody has the same habits in all sessions.
            habits = Random(f"{seed}/worker/{worker}").getrandbits(32)
            players = {"worker": PLAYER.enter(Seat("worker", unit, habits))}
            session = play(SCENARIO, unit, rng.getrandbits(32), players, start_us=start_us)
            sitting = Sitting(len(ballots), {"worker": worker})
            ballots += SCENARIO.finish(session.state, sitting)
            if is_done(ballots):
                break
        cast += ballots
    return label_thread(invented.thread, count_votes(cast))


class Neighbours:
    """Wrong candidates from authors of an invented Reddit near the main one; see :class:`Pool`."""

    def __init__(self, reddit: InventedReddit) -> None:
        self._world = reddit

    def responses(self, rng: Random, thread: NrpThread, right: str) -> list[str]:
        """Makes up responses that would fit other authors, none of which repeats the right one."""
        others = {right: None}
        while len(others) < CANDIDATES:
            [author] = self._world.near(rng, number_of(thread), 1)
            others[say_grounded(rng, [rng.choice(author.scenes)])] = None
        return [*others][1:]

    def personas(self, rng: Random, thread: NrpThread) -> list[Sequence[Persona]]:
        """Draws other authors, with the first of their elements as candidates."""
        authors = self._world.near(rng, number_of(thread), CANDIDATES - 1)
        return [author.personas[:MAX_PERSONAS] for author in authors]


def number_of(thread: NrpThread) -> int:
    """Returns the number of an invented main author, which is the end of the name."""
    return int(thread.main_author.rpartition("_")[2])
