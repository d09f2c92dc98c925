"""A leaderboard: systems that were asked the same questions, with one number each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from commonground import __version__
from commonground.bench.evaluation.rendering import make_environment
from commonground.bench.evaluation.report_card import choose_number
from commonground.bench.evaluation.reporting import (
    Number,
    ResultFile,
    name_kind,
    short_name,
)
from commonground.bench.evaluation.scoring import Value
from commonground.bench.evaluation.tasks import get_task
from commonground.store.shared import Overlap, describe_overlaps
from commonground.task import Task

_DIGITS = 12


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A system's result on one part of a task, scored by us.

    Attributes:
        ids: of the instances asked about.
        log: name of the log.
        sha256: of the log.
        differs: how the log's own numbers differ from these; empty where they agree.
        replies: address of a page that shows what was said; empty for none.
    """

    result: ResultFile
    ids: tuple[str, ...]
    log: str
    sha256: str
    differs: list[str]
    replies: str = ""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A system's line; what it has in common with :class:`Entry` means the same.

    Attributes:
        kind: ``people``, ``model``, or ``baseline`` for what neither said.
        n: instances asked about, all of which count.
        n_read: how many of these have a reply that was read; None where nothing tells.
        asked: how it was asked, in words.
        asked_at: when, as the log says.
    """

    system: str
    kind: str
    number: Number
    n: int
    n_read: int | None
    asked: str
    asked_at: str
    log: str
    sha256: str
    differs: list[str]
    replies: str


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """Systems that were asked the same questions in the same way: people, then the best first.

    Attributes:
        title: what is predicted.
        part: split, and part where a corpus has parts.
        number: name of the number, the one of the task on a report card.
        questions: digits that differ where other instances were asked about.
        conditions: digits that differ where they were asked in another way; empty where nobody was.
        n: instances asked about.
        of: instances that there are; None where nothing tells.
        overlap: how much of what these show also occurs in the training split; empty where the
            import has none.
    """

    task: str
    title: str
    corpus: str
    part: str
    number: str
    higher_is_better: bool
    questions: str
    conditions: str
    n: int
    of: int | None
    dialogues: int
    overlap: list[Overlap]
    standings: list[Standing]


class Refused(msgspec.Struct, frozen=True):
    """A log that no number was taken from."""

    log: str
    reason: str


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """All boards, and what is on none.

    Attributes:
        boards: the boards, by task.
        commonground: version that scored them.
    """

    boards: list[Board]
    refused: list[Refused]
    commonground: str = __version__


class _Key(NamedTuple):
    """What systems on one board have in common."""

    task: str
    corpus: str
    part: str
    questions: str
    conditions: str


def make_boards(entries: Iterable[Entry]) -> list[Board]:
    """Puts results on boards: one for each task, part, set of questions and way of asking."""
    groups: dict[_Key, list[Entry]] = {}
    for each in entries:
        asked = each.result.asked
        key = _Key(
            each.result.task,
            asked.corpus if asked else "",
            (asked.group if asked else "") or each.result.split or "all",
            hash_ids(each.ids),
            asked.conditions if asked else "",
        )
        groups.setdefault(key, []).append(each)
    # Of several sets of questions of a part, that of most comes first.
    ordered = sorted(groups.items(), key=lambda item: (item[0][:3], -item[1][0].result.n))
    return [_make_board(key, mine) for key, mine in ordered]


def hash_ids(ids: Iterable[str]) -> str:
    """Returns digits that differ where ids differ; their order changes nothing."""
    text = "\n".join(sorted(ids))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _make_board(key: _Key, entries: Sequence[Entry]) -> Board:
    task, first = get_task(key.task), entries[0].result
    measure, _, name = choose_number(task).partition(":")
    metric = next(each for each in task.measures if each.name == measure)
    # More of the number is better, or less.
    direction = metric.find_direction(name) or 1
    standings = [_make_standing(task, each) for each in entries]
    asked = first.asked
    return Board(
        **key._asdict(),
        title=task.title,
        number=_find_number(task, first).name,
        higher_is_better=direction > 0,
        n=first.n,
        of=asked.of if asked else None,
        dialogues=asked.dialogues if asked else 0,
        overlap=first.overlap,
        standings=sorted(standings, key=lambda each: _order(each, direction)),
    )


def _find_number(task: Task, result: ResultFile) -> Value:
    """Returns the one number of a task, by a short name."""
    chosen = choose_number(task)
    measure, _, name = chosen.partition(":")
    values = next(each.values for each in result.measures if each.name == measure)
    value = next((each for each in values if each.name == name), values[0])
    return msgspec.structs.replace(value, name=short_name(task, f"{measure}:{value.name}"))


def _make_standing(task: Task, entry: Entry) -> Standing:
    result, asked = entry.result, entry.result.asked
    value = _find_number(task, result)
    system = asked.model if asked else result.system
    narrowed = f", {' '.join(asked.narrowed)}" if asked and asked.narrowed else ""
    return Standing(
        system=system,
        kind=name_kind(system),
        number=Number(value.value, value.low, value.high),
        n=result.n,
        n_read=result.n_read,
        asked=f"{asked.describe()}, {asked.variant}{narrowed}" if asked else "",
        asked_at=asked.asked_at if asked else "",
        log=entry.log,
        sha256=entry.sha256,
        differs=entry.differs,
        replies=entry.replies,
    )


def _order(standing: Standing, direction: int) -> tuple[bool, bool, float, str]:
    value = standing.number.value
    return standing.kind != "people", value is None, -direction * (value or 0.0), standing.system


def render_leaderboard(leaderboard: Leaderboard) -> str:
    """Writes a leaderboard as a page that needs nothing else."""
    environment = make_environment()
    environment.filters["short"] = write_short
    environment.filters["described"] = describe_overlaps
    return environment.get_template("leaderboard.html").render(leaderboard=leaderboard) + "\n"


def write_short(value: float | None) -> str:
    """Writes a number with three places, or a dash where it is undefined."""
    return "–" if value is None else f"{value:.3f}"
