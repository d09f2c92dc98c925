"""``commonground play --calls``: released calls, executed again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonground.cli._options import (
    Form,
    print_data,
    print_rich,
    print_table,
    progress_bar,
    to_builtins,
)
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.play.reruns import Rerun

_HEADS = ("function", "calls", "unanswered", "typed", "as seen", "of", "facts", "elsewhere", "own")

_LISTED = 20
"""Differences that are printed; ``--json`` has more."""


def rerun_calls(name: str, paths: tuple[Path, ...], form: Form) -> bool:
    """Executes the calls of a world's released files again and prints what came of them.

    Args:
        paths: files, folders or archives.

    Returns:
        Whether all files could be read.
    """
    from commonground.play.reruns import REASONS, rerun_files
    from commonground.play.worlds import get_world

    source = get_world(name)
    with progress_bar(f"calls of {name}") as report:
        rerun = rerun_files(source, paths, report)
    total = {**to_builtins(rerun.total), "rate": rerun.total.rate}
    whole = {**to_builtins(rerun), "total": total, "descriptions": REASONS}
    if not print_data(form, whole, _HEADS, _list_rows(rerun)):
        _print_rerun(rerun)
    return not rerun.unread


def _list_rows(rerun: Rerun) -> list[tuple[Any, ...]]:
    counted = [*rerun.counts.items(), ("all", rerun.total)]
    return [
        (
            name or "(none)",
            *(each.calls, each.unanswered, each.typed, each.as_seen, each.executed),
            *(each.worked_out, each.elsewhere, each.own),
        )
        for name, each in counted
    ]


def _print_rerun(rerun: Rerun) -> None:
    from commonground.play.reruns import REASONS

    rate = rerun.total.rate
    share = "" if rate is None else f", {rate:.1%}"
    executed = count_of(rerun.total.executed, "call")
    print_rich(f"{executed} executed again; {rerun.total.as_seen:,} as people saw{share}.")
    rows = ((name, *(f"{each:,}" for each in numbers)) for name, *numbers in _list_rows(rerun))
    print_table(_HEADS, rows, right=_HEADS[1:])
    if rerun.reasons:
        listed = []
        for code, number in sorted(rerun.reasons.items(), key=lambda each: -each[1]):
            first = next(each for each in rerun.differences if each.code == code)
            where = f"{first.source} {first.dialogue} {first.path}"
            listed.append((code, f"{number:,}", REASONS[code], where))
        print_table(("differs", "calls", "reason", "first"), listed, right=("calls",))
        print_rich("All of them, with their places: the same command with --json.")
    for where, reason in [*rerun.unread.items()][:_LISTED]:
        print_rich(f"{where} was not read: {reason}")
