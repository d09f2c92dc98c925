"""``commonground tasks instances``: writes the instances of a task as JSON lines."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import json_option, print_json, store_option, working
from commonground.printing import count_of


@click.command("instances", short_help="Write the instances of a task: inputs and right answers.")
@click.argument("task_name", metavar="TASK")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="JSON lines to write.")
@click.option(
    "--gold",
    "gold_files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Released file to take the instances from; may be repeated.  [default: the store]",
)
@click.option("--corpus", help="Imported corpus, where a task has several.")
@click.option("--split", help="Split.  [default: all]")
@click.option("--input", "inputs", multiple=True, help="Input to write.  [default: all allowed]")
@click.option("--without-gold", is_flag=True, help="Leave out what is to be predicted.")
@store_option
@json_option
def write_task_instances(
    task_name: str,
    out: Path,
    gold_files: tuple[Path, ...],
    corpus: str | None,
    split: str | None,
    inputs: tuple[str, ...],
    without_gold: bool,
    store: Path | None,
    as_json: bool,
) -> None:
    """Write the instances of a task as JSON lines: what a model may see, and the right answer.

    TASK is a name that `commonground tasks` prints.

    Inputs that the authors do not allow at test time are refused.

    \b
    Example:
      commonground tasks instances frames/tracking --split fold-1 --out fold1.jsonl
    """
    from commonground.bench.evaluation import access
    from commonground.bench.evaluation.instances import write_instances

    found = access.instances(task_name, gold=gold_files, corpus=corpus, split=split, store=store)
    with working(f"writing {out}"):
        count = write_instances(
            found.task, found.gold, out, inputs=inputs, with_gold=not without_gold
        )
    if as_json:
        print_json({"task": task_name, "instances": count, "file": str(out)})
        return
    click.echo(f"{count_of(count, 'instance')} of {task_name} in {out}")
