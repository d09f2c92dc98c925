"""What forks come to, beside what people made of the same games: score, words and turns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec

from commonground.figure import Chart, Figure, FigureColumn
from commonground.figures.tables import FigureTable
from commonground.metric import Counts, Values
from commonground.play.scenarios import ScenarioEntry
from commonground.play.sessions import PlayedSession
from commonground.statistics.bootstrap import compare_paired
from commonground.statistics.counts import group_rows, ratio, tabulate_counts

MEASURES = {"score": "points", "words": "words", "turns": "turns"}
"""What is measured of a whole game, with its title."""

MOST_GROUPS = 25
"""Groups of acts that a figure has; of more acts, some that follow each other are one group."""

_WORD = re.compile(r"[^\W_]+(?:['’*][^\W_]+)*")


class ForkEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What one fork came to.

    Attributes:
        act: the first act that could be another one.
        people: each measure of the game as it was played.
        fork: each measure of the fork; None of one that did not come to its end.
        ended: by role, why a person's own acts ended.
    """

    number: int
    game: str
    act: int
    people: dict[str, float]
    fork: dict[str, float] | None
    ended: dict[str, str] = {}


class EffectPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A measure of many forks, less that of the games as they were played.

    Attributes:
        act: the first act of the group that the forks are of; None for all.
        people: mean of the games as they were played, each as often as it forked.
        fork: mean of the forks.
        difference: the forks less the people.
        low: lower end of the 95 % interval of the difference, over resampled games; None, as
            ``high``, where there is one game only.
    """

    measure: str
    act: int | None
    forks: int
    games: int
    people: float | None
    fork: float | None
    difference: float | None
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        """The difference, as tables of numbers call it."""
        return self.difference


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """What forks came to, beside what people made of the same games.

    Attributes:
        points: each measure over all forks that came to their end.
        by_act: the same by the act at which they forked.
        width: how many acts that follow each other are one group there.
        aborted: how many forks did not come to their end and are not measured.
        ended: how often people's own acts ended, by the reason.
    """

    forks: list[ForkEffect]
    points: list[EffectPoint]
    by_act: list[EffectPoint]
    width: int
    aborted: int
    ended: dict[str, int]


def measure_state(scenario: ScenarioEntry, state: Any) -> dict[str, float]:
    """Measures a game: its points, where it has any, and the words and turns of its chat.

    Words are runs of letters and digits, apostrophes and stars inside them. Texts in a row of one
    player are one turn.
    """
    chat = scenario.rules.view(state, scenario.rules.roles[0])["chat"]
    texts = [each for each in chat if each["role"] is not None]
    speakers = [each["role"] for each in texts]
    found = {
        "words": float(sum(len(_WORD.findall(each["text"])) for each in texts)),
        "turns": float(sum(a != b for a, b in zip(speakers, [None, *speakers], strict=False))),
    }
    outcome = scenario.outcome()
    return found if outcome is None else {"score": outcome.score(state), **found}


def measure_fork(scenario: ScenarioEntry, made: PlayedSession) -> ForkEffect | None:
    """Measures a fork beside its game; None where a player was stuck before it began.

    Raises:
        StuckError: the game cannot be played by the rules.
    """
    if made.fork is None or made.log is None or made.log.fork is None:
        return None
    last = made.fork.course.states()[-1]
    # Some games were left before their end; forks of them that went the same way end there, too.
    has_ended = made.log.complete or (made.state == last and not made.result.reason)
    return ForkEffect(
        number=made.log.number,
        game=made.fork.game,
        act=made.fork.act,
        people=measure_state(scenario, last),
        fork=measure_state(scenario, made.state) if has_ended else None,
        ended={role: each.reason for role, each in made.log.fork.ended.items()},
    )


def sum_up_effects(forks: Iterable[ForkEffect], *, seed: int = 0) -> Effects:
    """Compares forks with their games, over all and by act, with intervals over resampled games."""
    listed = list(forks)
    ended = [each for each in listed if each.fork is not None]
    width = _choose_width({each.act for each in ended})
    groups: dict[int, list[ForkEffect]] = {}
    for each in ended:
        groups.setdefault(each.act - each.act % width, []).append(each)
    reasons = Counter(reason for each in listed for reason in each.ended.values())
    return Effects(
        forks=listed,
        points=_compare(None, ended, seed),
        by_act=[p for act, group in sorted(groups.items()) for p in _compare(act, group, seed)],
        width=width,
        aborted=len(listed) - len(ended),
        ended=dict(reasons.most_common()),
    )


def _choose_width(acts: set[int]) -> int:
    """Returns how many acts are to be a group: 1, 2, 5, 10 and so on."""
    width, steps = 1, 0
    while len({act // width for act in acts}) > MOST_GROUPS:
        steps += 1
        width = (1, 2, 5)[steps % 3] * 10 ** (steps // 3)
    return width


def _compare(act: int | None, forks: Sequence[ForkEffect], seed: int) -> list[EffectPoint]:
    if not forks:
        return []
    names = [name for name in MEASURES if name in forks[0].people]
    games = [each.game for each in forks]
    people, fork = (
        group_rows(tabulate_counts([{"forks": 1.0, **side} for side in sides]), games)
        for sides in ([e.people for e in forks], [e.fork or {} for e in forks])
    )

    def combine(counts: Counts) -> Values:
        return {name: ratio(counts[name], counts["forks"]) for name in names}

    found = compare_paired(fork, people, combine, seed=seed)
    return [
        EffectPoint(
            measure=name,
            act=act,
            forks=len(forks),
            games=len(set(games)),
            people=found[name].second,
            fork=found[name].first,
            difference=found[name].difference,
            low=found[name].low,
            high=found[name].high,
        )
        for name in names
    ]


def draw_effects(effects: Effects, unit: str) -> FigureTable:
    """Returns the effects by act as a figure: a panel for each measure, with its intervals."""
    names = tuple(dict.fromkeys(each.measure for each in effects.by_act))
    columns = [FigureColumn("act", "forked at act"), FigureColumn("forks", "forks")]
    for name in names:
        columns += [
            FigureColumn(name, f"{MEASURES[name]}, fork minus people", digits=2),
            FigureColumn(f"{name}_low", "from", digits=2),
            FigureColumn(f"{name}_high", "to", digits=2),
        ]
    grouped = (
        "" if effects.width == 1 else f" Forks of {effects.width} acts in a row are one point."
    )
    rows: list[list[Any]] = []
    for act, group in groupby(effects.by_act, lambda each: each.act):
        points = list(group)
        ends = [end for each in points for end in (each.difference, each.low, each.high)]
        rows.append([act, points[0].forks, *ends])
    figure = Figure(
        name="effects",
        title=f"What a fork changes in a {unit}, by the act at which it forks",
        caption=f"Means over forks, with 95 % intervals over resampled {unit}s.{grouped}",
        columns=tuple(columns),
        compute=lambda _data: rows,
        chart=Chart(kind="line", x="act", y=names),
    )
    return FigureTable(figure, "", rows)
