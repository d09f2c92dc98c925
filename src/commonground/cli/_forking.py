"""What forks changed, as ``commonground play --fork`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from commonground.cli._options import new_table, number_cell, print_csv, print_rich
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.play.sessions.effects import Effects


def print_effects(effects: Effects, unit: str, out: Path) -> None:
    """Prints what forks changed over all, and why people's own acts ended.

    Args:
        unit: what a game is called.
        out: folder that has the figure by act.
    """
    measured = [each for each in effects.forks if each.fork is not None]
    games = len({each.game for each in measured})
    print_rich(
        f"{count_of(len(measured), 'fork')} of {count_of(games, unit)}, compared "
        "with what people did"
    )
    heads = ("people", "fork", "fork minus people")
    table = new_table("", *heads, right=heads)
    for each in effects.points:
        table.add_row(each.measure, f"{each.people:,.2f}", f"{each.fork:,.2f}", number_cell(each))
    if effects.points:
        print_rich(table)
    if effects.aborted:
        print_rich(f"{count_of(effects.aborted, 'fork')} aborted, and not measured")
    for reason, count in effects.ended.items():
        print_rich(f"people's own acts ended: {reason}, {count:,}")
    print_rich(f"By act: {out / 'effects' / 'effects.svg'}")


def print_effects_csv(effects: Effects) -> None:
    """Prints what forks changed, over all and by act."""
    columns = ("measure", "act", "forks", "games", "people", "fork", "difference", "low", "high")
    points = [*effects.points, *effects.by_act]
    print_csv(columns, ([getattr(each, name) for name in columns] for each in points))
