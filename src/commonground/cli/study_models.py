"""``commonground study-models``: people and models in every pairing, on one schedule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._measuring import NUMBERS
from commonground.cli._models import PlayerOptions, player_options
from commonground.cli._options import (
    Form,
    form_options,
    games_seed_option,
    material_option,
    number_cell,
    print_data,
    print_rich,
    print_table,
)
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.games import MeasuredSets, PlayedGames

SECTION = "collect"


@click.command(short_help="Play people and models in every pairing, on one schedule.")
@click.argument("scenario")
@click.option(
    "--seats", required=True, help="Who plays, in every pairing, such as people,openai/gpt-5."
)
@click.option(
    "--schedule",
    type=click.Path(path_type=Path),
    help="Games of people: released files, or a sessions.jsonl.",
)
@click.option(
    "--served",
    type=click.Path(path_type=Path),
    help="Export of a study in which people and models met, in place of --schedule.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder to write them to."
)
@click.option(
    "--games", type=click.IntRange(1), default=20, show_default=True, help="Games of each pairing."
)
@click.option(
    "--people",
    default="replay",
    show_default=True,
    help="Who plays people's part with models, such as a script.",
)
@material_option("that of the schedule")
@games_seed_option
@player_options
@form_options
def command(
    scenario: str,
    seats: str,
    schedule: Path | None,
    served: Path | None,
    out: Path,
    games: int,
    people: str,
    material: Path | None,
    seed: int,
    models: PlayerOptions,
    form: Form,
) -> None:
    """Play people and models in every pairing, on one schedule and with the same pictures.

    SCENARIO is a game that people played, such as `photobook`.

    With --seats people,MODEL these are people-people, people-model, model-people and model-model, A
    first. Games between people are taken from the schedule. With a model, --people plays people's
    part: `replay` repeats what was done, whatever the model says. With --served, people met the
    model in a study, and their games are taken from its export.

    Each pairing has a folder of games in OUT. An existing pairing is not played again, so repeat
    the command to continue where it was stopped. All are measured alike, on the games whose
    pictures all of them had: the table has 95 % intervals over resampled games, and OUT has a
    figure of the same, page by page.

    \b
    Example:
      commonground study-models photobook --seats people,openai/gpt-5 --schedule logs --out pairs
      commonground study-models photobook --seats people,openai/gpt-5 --served exported --out pairs
    """
    from commonground.errors import UsageError
    from commonground.games import study_models
    from commonground.play.scenarios import get_scenario

    source = schedule if served is None else served
    if source is None or (schedule is not None and served is not None):
        raise UsageError("Name the games of people.", "Either --schedule PATH, or --served EXPORT.")
    players = [each.strip() for each in seats.split(",")]
    budget = models.make_budget(players)
    study = study_models(
        get_scenario(scenario),
        players,
        out,
        schedule=source,
        games=games,
        seed=seed,
        people=people,
        served=served is not None,
        material=material,
        answers=models.answers,
        budget=budget,
        report=lambda name: click.echo(f"Playing {name}.", err=True),
    )
    if study.measured is None:
        click.echo(f"{study.stopped} Repeat the command to continue.", err=True)
        raise click.exceptions.Exit(1)
    folders = {name: str(folder) for name, folder in study.sets.items()}
    told = {"sets": study.measured.sets, "folders": folders}
    if not print_data(form, told, NUMBERS, study.measured.list_numbers()):
        _print_study(study.measured, study.games, out)


def _print_study(measured: MeasuredSets, made: dict[str, PlayedGames], out: Path) -> None:
    """Prints a line for each pairing, and what became of games that did not come to their end."""
    from commonground.play.outcomes import count_causes

    first = next(iter(measured.sets.values()))
    names = [each.measure for each in first.points if each.page is None]
    rows = []
    for pairing, found in measured.sets.items():
        numbers = {each.measure: each for each in found.points if each.page is None}
        cells = [number_cell(numbers.get(name)) for name in names]
        rows.append((pairing, f"{found.games:,}", *cells))
    print_table(("", "games", *names), rows, ("games", *names))
    for pairing, games in made.items():
        causes = count_causes(games.played.results)
        if causes:
            told = ", ".join(f"{cause} {count:,}" for cause, count in causes.items())
            print_rich(f"{pairing}: {count_of(sum(causes.values()), games.unit)} aborted ({told})")
    print_rich(f"Page by page: {out / 'curves.svg'}")
