"""Measures of games as curves, a set of games beside others: people and models, say.

Sets are read from released files, from what ``commonground play`` has written, or from stores;
whoever played them, they are measured by the same function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import Entry
from commonground.errors import UsageError
from commonground.figure import Chart, Figure, FigureColumn
from commonground.figures.tables import FigureTable
from commonground.measuring import MeasuredGames, Measuring, list_pages
from commonground.play.outcomes import EARLY
from commonground.play.sessions.session_logs import (
    LOG_NAME,
    read_seated,
    read_sessions,
)
from commonground.printing import count_of
from commonground.store.opening import load
from commonground.task import Gold


def get_measuring(entry: Entry) -> Measuring:
    """Returns how the games of a corpus are measured.

    Raises:
        UsageError: nobody has said it.
    """
    found = next((each for _, each in entry.constants("figures", "MEASURING", Measuring)), None)
    if found is None:
        raise UsageError(f"{entry.name} has no measures of games.")
    return found


def measure_sets(
    entry: Entry,
    sets: Mapping[str, Path],
    *,
    same: bool = False,
    conditions: bool = False,
    split: str | None = None,
    seed: int = 0,
) -> dict[str, MeasuredGames]:
    """Measures sets of games, by name.

    Args:
        sets: for each name, a store, or a folder of released or played files.
        same: measure only the games whose material was played in every set.
        conditions: make a set of each condition of an export: of the games with the same models in
            the same seats.
        split: released split that is measured; None for all.
        seed: of resamples, and of pairs who never met.

    Raises:
        CommongroundError: a set cannot be read.
        UsageError: the corpus has no measures, or no material is in every set.
    """
    measuring = get_measuring(entry)
    found: Mapping[str, Sequence[Any]] = {
        name: measuring.read(_find_games(entry, path, split)) for name, path in sets.items()
    }
    if conditions:
        found = {
            name: games
            for each, path in sets.items()
            for name, games in _split_conditions(measuring, each, found[each], path).items()
        }
    if same:
        found = measuring.keep_shared(found)
        if not all(found.values()):
            raise UsageError(
                "No material was played in every set.",
                "Play them on one schedule: commonground play --schedule.",
            )
    return {name: measuring.measure(games, seed) for name, games in found.items()}


class Begun(msgspec.Struct, frozen=True):
    """How the games of a set ended, as their log says; ``causes`` count why some were aborted."""

    games: int
    played: int
    causes: dict[str, int]


def summarise_sets(sets: Mapping[str, Path]) -> dict[str, Begun]:
    """Counts how games ended, by set; without those that ``commonground play`` has not written.

    Raises:
        CommongroundError: a log of games cannot be read.
    """
    logs = {name: path / LOG_NAME for name, path in sets.items()}
    return {name: _summarise(path) for name, path in logs.items() if path.is_file()}


def _summarise(path: Path) -> Begun:
    causes: Counter[str] = Counter()
    games = played = 0
    for log in read_sessions(path):
        games += 1
        played += log.complete
        if not log.complete:
            causes[log.cause or EARLY] += 1
    return Begun(games, played, dict(causes.most_common()))


def describe_begun(name: str, begun: Begun) -> str:
    """Returns in a sentence how the games of a set ended."""
    why = ", ".join(f"{cause} {count:,}" for cause, count in begun.causes.items())
    aborted = f"{begun.games - begun.played:,} aborted" + (f" ({why})" if why else "")
    return f"{name}: {count_of(begun.games, 'game')} begun, {begun.played:,} played, {aborted}."


def _find_games(entry: Entry, path: Path, split: str | None) -> Gold:
    log = path / LOG_NAME
    if log.is_file() and any(
        each.fork is not None and each.fork.same < len(each.acts) for each in read_sessions(log)
    ):
        raise UsageError(
            f"{path} has games that fork from others: nobody played them as a whole.",
            "Their effects are in its folder effects.",
        )
    if (path / entry.name / "manifest.json").is_file():
        return Gold(corpus=load(entry.name, path), split=split)
    return Gold(files=[path], split=split)


def _split_conditions(
    measuring: Measuring, name: str, games: Sequence[Any], path: Path
) -> dict[str, list[Any]]:
    """Divides a set by who sat where; a set of which no file says it stays as it is."""
    seated = read_seated(path)
    if not seated:
        return {name: list(games)}
    # Where one model sits everywhere its name tells nothing.
    several = len({model for each in seated.values() for model in each.values()}) > 1
    found: dict[tuple[int, str], list[Any]] = {}
    for game in games:
        models = seated.get(measuring.number(game), {})
        players = (
            (models[role] if several else "model") if role in models else "people"
            for role in measuring.roles
        )
        # People first: whatever has models in it is read beside them.
        found.setdefault((len(models), f"{name} {'-'.join(players)}"), []).append(game)
    return {title: each for (_, title), each in sorted(found.items())}


def make_curves(measuring: Measuring, measured: Mapping[str, MeasuredGames]) -> FigureTable:
    """Returns the curves of sets as a figure: a line for each set, with its intervals."""
    names = tuple(each.name for each in measuring.measures)
    columns = [FigureColumn("set", "games of"), FigureColumn("page", measuring.page)]
    for each in measuring.measures:
        columns += [
            FigureColumn(each.name, each.title, digits=each.digits),
            FigureColumn(f"{each.name}_low", "from", digits=each.digits),
            FigureColumn(f"{each.name}_high", "to", digits=each.digits),
        ]
    figure = Figure(
        name="curves",
        title=f"Games by {measuring.page}",
        caption="Means with 95 % intervals over resampled games.",
        columns=tuple(columns),
        compute=lambda _data: rows,
        chart=Chart(kind="line", x="page", y=names, color="set", zero=False),
    )
    rows = [[name, *row] for name, each in measured.items() for row in list_pages(each, names)]
    return FigureTable(figure, "", rows)
