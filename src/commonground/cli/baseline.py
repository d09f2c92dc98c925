"""``commonground baseline``: trains the methods of a task and prints what their answers score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    Form,
    form_options,
    number_cell,
    plain,
    print_data,
    print_rich,
    print_table,
    step_bar,
    store_option,
)
from commonground.printing import count_of

if TYPE_CHECKING:
    from rich.text import Text

    from commonground.bench.evaluation.baselines.results import BaselineResult
    from commonground.bench.evaluation.baselines.run import Job

SECTION = "score"


@click.command(short_help="Train and score the baselines of a benchmark task.")
@click.argument("task_name", metavar="TASK")
@click.option(
    "--method",
    "methods",
    multiple=True,
    help="Method; may be repeated.  [default: all that need neither encoder nor vectors]",
)
@click.option("--corpus", help="Imported corpus, where a task has several.")
@click.option("--part", help="Part, such as SIMMC's fashion.  [default: each part in turn]")
@click.option("--train", help="Split to train on.  [default: the released one]")
@click.option("--test", help="Split to test on.  [default: the released one]")
@click.option("--seed", default=1, show_default=True, help="Seed of all random choices.")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Use only so many dialogues of each split."
)
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    help="Saved model to test, instead of training one.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder for the files model-, predictions- and result-METHOD.",
)
@click.option(
    "--encoder",
    metavar="NAME|FOLDER",
    help="Sentence encoder for methods that need one.  [default: minilm, or that of the model]",
)
@click.option(
    "--vectors",
    metavar="NAME|FILE",
    help="Vectors of pictures for methods that use them: efficientnet-lite0, or an .npz file"
    " with the arrays names and vectors.  [default: efficientnet-lite0, or those of the model]",
)
@store_option
@form_options
def command(
    task_name: str,
    methods: tuple[str, ...],
    corpus: str | None,
    part: str | None,
    train: str | None,
    test: str | None,
    seed: int,
    limit: int | None,
    model: Path | None,
    out: Path | None,
    encoder: str | None,
    vectors: str | None,
    store: Path | None,
    form: Form,
) -> None:
    """Train the baselines of a benchmark task, test them, and score their answers.

    TASK is a name that `commonground tasks` prints.

    Baselines are trained on one released split and tested on another. If every split is a fold,
    each fold is predicted by a model trained on the others. Without such splits, a tenth of the
    dialogues, at least one, is held out, and the result says `derived_holdout`. No method sees the
    right answers of its test data. `commonground tasks` lists the methods.

    \b
    Example:
      commonground baseline frames/tracking
      commonground baseline simmc/actions --method linear --out runs
      commonground baseline simmc/actions --model runs/model-linear-fashion.msgpack --test dev
    """
    from commonground.bench.evaluation.baselines.jobs import plan_baselines
    from commonground.bench.evaluation.baselines.run import run_baseline
    from commonground.files.outputs import refuse_file_name

    if out is not None:
        refuse_file_name(out)
    if model is not None and (methods or part or train or limit):
        raise click.UsageError("--model cannot be given with --method, --part, --train or --limit")
    # All at once, before the first one learns: a name that is wrong is said now, not in an hour.
    jobs = plan_baselines(
        task_name,
        *methods,
        corpus=corpus,
        part=part,
        train=train,
        test=test,
        seed=seed,
        limit=limit,
        model=model,
        out=out,
        encoder=encoder,
        vectors=vectors,
        store=store,
    )
    results = []
    for number, job in enumerate(jobs, 1):
        with step_bar(f"{_name(job)} ({number} of {len(jobs)})") as step:
            results.append(run_baseline(job, step))
    columns = (*_COLUMNS, "train_s", "answer_s")
    if not print_data(form, results, columns, _list_rows(jobs, results)):
        _print(jobs, results)


_COLUMNS = ("task", "corpus", "part", "method", "number", "value", "low", "high")


def _list_rows(jobs: Sequence[Job], results: Sequence[BaselineResult]) -> Iterator[tuple[Any, ...]]:
    from commonground.bench.evaluation.reporting import list_main

    for job, result in zip(jobs, results, strict=True):
        run = result.baseline
        names = (result.task, run.corpus, run.protocol.part, run.method)
        for each in list_main(job.task, result.measures):
            times = (run.train_s, run.answer_s)
            yield (*names, each.name, each.value, each.low, each.high, *times)


def _name(job: Job) -> str:
    part = job.plan.protocol.part
    return f"{job.method.name}, {part}" if part else job.method.name


def _print(jobs: Sequence[Job], results: Sequence[BaselineResult]) -> None:
    groups: dict[str | None, list[tuple[Job, BaselineResult]]] = {}
    for job, result in zip(jobs, results, strict=True):
        groups.setdefault(result.baseline.protocol.part, []).append((job, result))
    for group in groups.values():
        _print_group(group)


def _print_group(group: Sequence[tuple[Job, BaselineResult]]) -> None:
    from commonground.bench.evaluation.reporting import list_main
    from commonground.store.shared import UNCOUNTED, describe_overlaps

    job, first = group[0]
    run = first.baseline
    where = f"{run.corpus}, {run.protocol.part}" if run.protocol.part else run.corpus
    print_rich(
        plain(first.task, "bold") + plain(f" on {where}: {run.protocol.describe()}"),
        f"trained on {count_of(run.learned_from.instances, 'instance')} "
        f"({count_of(run.learned_from.dialogues, 'dialogue')}), tested on "
        f"{count_of(run.answered.instances, 'instance')} "
        f"({count_of(run.answered.dialogues, 'dialogue')})",
        plain(f"Overlap: {describe_overlaps(first.overlap) or UNCOUNTED}"),
    )
    if run.data is not None and run.data != first.store:
        print_rich("[yellow]The model was trained on another import than it is tested on.[/]")
    values = {
        result.baseline.method: list(list_main(job.task, result.measures)) for _, result in group
    }
    names = list(dict.fromkeys(value.name for found in values.values() for value in found))
    numbers = (*names, "learn s", "answer s")
    rows: list[list[str | Text]] = []
    for _, result in group:
        shown = {value.name: number_cell(value) for value in values[result.baseline.method]}
        times = (_seconds(result.baseline.train_s), _seconds(result.baseline.answer_s))
        cells = (shown.get(name, "–") for name in names)
        rows.append([result.baseline.method, *cells, *times])
    print_table(("method", *numbers), rows, numbers)
    for _, result in group:
        _print_problems(result)


def _print_problems(result: BaselineResult) -> None:
    from rich.markup import escape

    for problem in result.problems:
        counted = f"{problem.count:,} × {problem.kind}"
        example = escape(problem.example)
        print_rich(f"[yellow]{result.baseline.method}: {counted}[/], such as {example}")


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
