"""``commonground tasks``: prints the benchmark tasks, or all about one."""

from __future__ import annotations

import click

from commonground.cli._options import json_option, new_table, print_json, print_rich


@click.command(short_help="List the benchmark tasks.")
@json_option
def command(as_json: bool) -> None:
    """List the benchmark tasks: what is predicted, the official measures, and the baselines.

    Below its name is the task's name in inspect_ai, if language models can do it.

    \b
    Example:
      commonground tasks
    """
    from commonground.evaluation.baselines.methods import iterate_baselines
    from commonground.evaluation.discovery import iterate_tasks
    from commonground.evaluation.prompts import find_prompts, inspect_name

    asked = {name: f"commonground/{inspect_name(name)}" for name in find_prompts()}
    methods = {each.task: [m.name for m in each.methods] for each in iterate_baselines()}
    rows = [
        {
            "name": task.name,
            "title": task.title,
            "corpora": list(task.corpora),
            "predictions": task.summary,
            "inputs": task.allowed,
            "modes": task.modes,
            "options": task.options,
            "measures": {each.name: each.matches for each in task.measures},
            "baselines": methods.get(task.name, []),
            "inspect": asked.get(task.name),
        }
        for task in iterate_tasks()
    ]
    if as_json:
        print_json(rows)
        return
    table = new_table("task", "what is predicted", "measures", "baselines")
    for task in iterate_tasks():
        measures = "\n".join(
            f"{each.name}" + (f" = {each.matches}" if each.matches else " (ours)")
            for each in task.measures
        )
        names = "\n".join(filter(None, (task.name, asked.get(task.name))))
        table.add_row(names, task.title, measures, ", ".join(methods.get(task.name, [])))
    print_rich(table)
    if asked:
        click.echo("Language models are asked with inspect eval, such as:")
        click.echo(f"  inspect eval {next(iter(asked.values()))} --model MODEL -T limit=20")
