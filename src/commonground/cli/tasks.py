"""``commonground tasks``: prints the benchmark tasks, or all about one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from commonground.cli._options import json_option, new_table, print_json, print_rich


@click.command(short_help="List the benchmark tasks.")
@json_option
def command(as_json: bool) -> None:
    """List the benchmark tasks: what is predicted, the official measures, and the baselines.

    Below its name is the task's name in inspect_ai, if language models can do it. Below the table
    are the games that models can play there, and the contamination probe.

    \b
    Example:
      commonground tasks
    """
    tasks, games = _list_tasks(), _list_games()
    if as_json:
        print_json([*tasks, *games, _PROBE])
        return
    _print_tasks(tasks)
    asked = [each["inspect"] for each in tasks if each["inspect"] is not None]
    if asked:
        click.echo("Language models are asked with inspect eval, such as:")
        click.echo(f"  inspect eval {asked[0]} --model MODEL -T limit=20")
    click.echo("Games that language models can play, with each other or with others:")
    for game in games:
        click.echo(f"  inspect eval {game['inspect']} --model MODEL -T games=5")
    click.echo(f"{_PROBE['title'].capitalize()}:")
    click.echo(f"  inspect eval {_PROBE['inspect']} --model MODEL -T corpus=NAME")


_PROBE = {
    "name": "probe",
    "kind": "probe",
    "title": "contamination probe: whether a model has memorised dialogues of a corpus",
    "inspect": "commonground/probe",
}


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
    table = new_table("task", "what is predicted", "measures", "baselines")
    for task in tasks:
        measures = "\n".join(
            f"{name} = {matches}" if matches else f"{name} (ours)"
            for name, matches in task["measures"].items()
        )
        names = "\n".join(filter(None, (task["name"], task["inspect"])))
        table.add_row(names, task["title"], measures, ", ".join(task["baselines"]))
    print_rich(table)


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
