"""``commonground report-card``: asks fixed tasks, and prints one number of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    Form,
    form_options,
    number_cell,
    print_data,
    print_table,
    step_bar,
    store_option,
    working,
)
from commonground.cli.leaderboard import COLUMNS, list_rows, print_notes, refuse
from commonground.errors import UsageError, unknown_name

if TYPE_CHECKING:
    from commonground.bench.evaluation.leaderboard import Leaderboard
    from commonground.bench.evaluation.report_card import CardTask
    from commonground.bench.inspect_tasks.logs.standings import Collected

SECTION = "score"


@click.command(short_help="Run a model on fixed tasks, and print a score for each.")
@click.argument("logs", type=click.Path(path_type=Path, file_okay=False))
@click.option("--model", "models", multiple=True, help="Model to ask; may be repeated.")
@click.option("--scripted", is_flag=True, help="Let a simple baseline answer each task, too.")
@click.option(
    "--chance", is_flag=True, help="Answer with the right answers to other questions, too."
)
@click.option("--task", "names", multiple=True, help="Task; may be repeated.  [default: all]")
@click.option("--dialogues", type=click.IntRange(1), help="Dialogues of each task.  [default: 100]")
@store_option
@form_options
def command(
    logs: Path,
    models: tuple[str, ...],
    scripted: bool,
    chance: bool,
    names: tuple[str, ...],
    dialogues: int | None,
    store: Path | None,
    form: Form,
) -> None:
    """Run a model on fixed tasks, keep the logs in the folder LOGS, and print a score for each.

    Tasks, scores, settings and seed are the same for everyone. Each task asks one question about
    each of 100 dialogues, which are drawn by hash: a smaller draw is part of a larger one.
    Questions that LOGS already answers are not asked again. Scores are computed again from the
    logs, over all questions. If a corpus has people's own answers, these come first. Without a
    model, the card of LOGS is printed. With --task, other tasks are not read. Tasks whose corpus or
    test split was not imported are left out.

    \b
    Example:
      commonground report-card cards --scripted --chance --dialogues 10
      commonground report-card cards --model openai/gpt-5
      commonground report-card cards --csv > card.csv
    """
    from commonground.bench.evaluation.report_card import read_card
    from commonground.bench.evaluation.reporting import find_logs
    from commonground.extras import needing

    known = {each.task: each for each in read_card().tasks}
    for name in names:
        if name not in known:
            raise unknown_name("task", name, known, "of the report card")
    tasks = [known[name] for name in names] or list(known.values())
    with needing("inspect", "Models are asked with inspect_ai"):
        import commonground.bench.inspect_tasks.card  # noqa: F401
        from commonground.bench.inspect_tasks.logs.standings import choose_logs
    paths = find_logs(logs)
    found = _collect(choose_logs(paths, names) if names else paths, store)
    if models or scripted or chance:
        made = _ask(found, tasks, models, scripted, chance, logs, dialogues, store)
        found = found.join(_collect(made, store))
    if not found.scored:
        raise UsageError(
            f"There is no log in {logs} to print a card of.", "Name a model: --model MODEL"
        )
    card = found.as_leaderboard()
    if not print_data(form, card, COLUMNS, list_rows(card)):
        _print(card)
    refuse(found)


def _collect(paths: Sequence[Path], store: Path | None) -> Collected:
    from commonground.bench.inspect_tasks.logs.standings import collect_logs

    with working("Scoring logs again"):
        return collect_logs(paths, None if store is None else str(store))


def _ask(
    found: Collected,
    tasks: Sequence[CardTask],
    models: Sequence[str],
    scripted: bool,
    by_chance: bool,
    logs: Path,
    dialogues: int | None,
    store: Path | None,
) -> list[Path]:
    """Asks all that has no log yet, and returns the new logs."""
    from commonground.bench.evaluation.report_card import read_card
    from commonground.bench.inspect_tasks.card import find_missing, list_runs, run_card

    card = read_card()
    named = None if store is None else str(store)
    missing = find_missing(tasks, named)
    for task, what in missing.items():
        click.echo(f"Left out: {task}, since {what}.", err=True)
    limit = dialogues or card.dialogues
    done = {
        (each.entry.result.task, each.entry.result.asked.model)
        for each in found.scored
        if each.entry.result.asked and f"-T limit={limit}" in each.entry.result.asked.narrowed
    }
    asked = [each for each in tasks if each.task not in missing]
    runs = [
        run
        for run in list_runs(asked, models, scripted=scripted, by_chance=by_chance)
        if (run.task.task, run.system) not in done
    ]
    made = []
    with step_bar("Asking") as bar:
        for number, run in enumerate(runs):
            bar(number, len(runs), f"{run.task.task}, {run.system}")
            made.append(run_card(card, run, logs, dialogues=limit, store=named))
    return made


def _print(card: Leaderboard) -> None:
    """Prints a line for each task, with a column for each system; scripts share one."""
    from commonground.bench.evaluation.report_card import read_card
    from commonground.bench.evaluation.reporting import BASELINE

    scripts = {each.task: f"{BASELINE}{each.scripted}" for each in read_card().tasks}
    rows = [
        {_name(each.system, scripts.get(board.task)): each for each in board.standings}
        for board in card.boards
    ]
    systems = sorted(dict.fromkeys(name for row in rows for name in row), key=_order)
    lines = []
    for board, row in zip(card.boards, rows, strict=True):
        of = "" if board.of is None else f" of {board.of:,}"
        numbers = [row[system].number if system in row else None for system in systems]
        about = (f"{board.task}, {board.part}", board.number, f"{board.n:,}{of}")
        lines.append((*about, *map(number_cell, numbers)))
    print_table(("task", "number", "n", *systems), lines, ("n", *systems))
    for board in card.boards:
        print_notes(board)


_SCRIPT = "script"


def _name(system: str, script: str | None) -> str:
    return _SCRIPT if system == script else system


def _order(name: str) -> tuple[int, str]:
    """Puts people before models, models before the script, and chance last."""
    from commonground.bench.evaluation.reporting import PEOPLE
    from commonground.bench.inspect_tasks.card import CHANCE

    places = {PEOPLE: 0, _SCRIPT: 2, CHANCE: 3}
    return places.get(name, 1), name
