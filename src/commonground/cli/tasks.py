"""``commonground tasks``: lists the benchmark tasks, writes instances, estimates prices."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from commonground.cli._estimating import estimate_price
from commonground.cli._options import (
    Form,
    form_options,
    json_option,
    print_data,
    print_json,
    print_table,
    refuse_options,
    store_option,
    working,
)
from commonground.printing import count_of

SECTION = "score"


@click.group(
    invoke_without_command=True,
    short_help="List the benchmark tasks, write their instances, estimate prices.",
)
@form_options
@click.pass_context
def command(context: click.Context, form: Form) -> None:
    """List the benchmark tasks: what is predicted, the official measures, and the baselines.

    Below each name is the task's name in inspect_ai, if language models can do it. Below the table
    are the games that models can play there, the dialogues in which they can serve people, and the
    contamination probe.

    \b
    Example:
      commonground tasks
      commonground tasks instances frames/tracking --out instances.jsonl
      commonground tasks estimate simmc/dst --model openai/NAME -T limit=50
    """
    if context.invoked_subcommand is not None:
        refuse_options({"as_json", "as_csv"}, f"stands after {context.invoked_subcommand}")
        return
    tasks, games, agents = _list_tasks(), _list_games(), _list_agents()
    every = [*tasks, *games, *agents, _PROBE]
    names = ("name", "kind", "title", "corpora", "measures", "baselines", "inspect")
    rows = (map(_flatten, map(each.get, names)) for each in every)
    if print_data(form, every, names, rows):
        return
    _print_tasks(tasks)
    asked = [each["inspect"] for each in tasks if each["inspect"] is not None]
    if asked:
        click.echo("Language models are asked with inspect eval, such as:")
        click.echo(f"  inspect eval {asked[0]} --model MODEL -T limit=20")
    click.echo("Games that language models can play, with each other or with others:")
    for game in games:
        click.echo(f"  inspect eval {game['inspect']} --model MODEL -T games=5")
    click.echo("People whom language models can serve, turn by turn, as agents with tools:")
    for agent in agents:
        click.echo(f"  inspect eval {agent['inspect']} --model MODEL -T limit=20")
    click.echo(f"{_PROBE['title'].capitalize()}:")
    click.echo(f"  inspect eval {_PROBE['inspect']} --model MODEL -T corpus=NAME")


@command.command("instances", short_help="Write the instances of a task: inputs and right answers.")
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


command.add_command(estimate_price)

_PROBE = {
    "name": "probe",
    "kind": "probe",
    "title": "contamination probe: whether a model has memorised dialogues of a corpus",
    "inspect": "commonground/probe",
}


def _flatten(value: Any) -> Any:
    return list(value) if isinstance(value, dict) else value


def _list_tasks() -> list[dict[str, Any]]:
    from commonground.bench.evaluation.baselines.methods import iterate_baselines
    from commonground.bench.evaluation.prompts import find_prompts, inspect_name
    from commonground.bench.evaluation.tasks import iterate_tasks

    asked = {name: f"commonground/{inspect_name(name)}" for name in find_prompts()}
    methods = {each.task: [m.name for m in each.methods] for each in iterate_baselines()}
    return [
        {
            "name": task.name,
            "kind": "task",
            "title": task.title,
            "corpora": list(task.corpora),
            "predictions": task.summary,
            "inputs": task.allowed,
            "modes": task.modes,
            "measures": {each.name: each.matches for each in task.measures},
            "baselines": methods.get(task.name, []),
            "inspect": asked.get(task.name),
        }
        for task in iterate_tasks()
    ]


def _print_tasks(tasks: Iterable[dict[str, Any]]) -> None:
    rows = []
    for task in tasks:
        measures = "\n".join(
            f"{name} = {matches}" if matches else f"{name} (ours)"
            for name, matches in task["measures"].items()
        )
        names = "\n".join(filter(None, (task["name"], task["inspect"])))
        rows.append((names, task["title"], measures, ", ".join(task["baselines"])))
    print_table(("task", "what is predicted", "measures", "baselines"), rows)


def _list_games() -> list[dict[str, str]]:
    from commonground.bench.evaluation.prompts import inspect_game_name
    from commonground.play.scenarios import iterate_scenarios

    return [
        {
            "name": each.name,
            "kind": "game",
            "title": f"the game of {each.name}, played by its rules",
            "inspect": f"commonground/{inspect_game_name(each.name)}",
        }
        for each in iterate_scenarios()
        if each.room.is_dir()
    ]


def _list_agents() -> list[dict[str, str]]:
    from commonground.bench.evaluation.prompts import inspect_agent_name
    from commonground.play.episodes import iterate_episodes

    return [
        {
            "name": f"{each.world.corpus}/agent",
            "kind": "agent",
            "title": f"people of released dialogues are served, turn by turn; {each.world.title}",
            "inspect": f"commonground/{inspect_agent_name(each.world.corpus)}",
        }
        for each in iterate_episodes()
    ]
