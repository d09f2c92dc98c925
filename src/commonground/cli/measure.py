"""``commonground measure``: puts measures of sets of games side by side, as curves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    new_table,
    number_cell,
    plain,
    print_json,
    print_rich,
    to_builtins,
    working,
)
from commonground.errors import UsageError
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.measuring import MeasuredGames, Point


@click.command(short_help="Measure sets of games, side by side.")
@click.argument("corpus")
@click.argument("sets", nargs=-1, required=True, metavar="NAME=PATH...")
@click.option("--same", is_flag=True, help="Only games whose material was played in every set.")
@click.option(
    "--conditions", is_flag=True, help="A set for each way in which people and models sat."
)
@click.option("--split", help="Only games of this released split.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of resampling and pairing."
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder to write the curves to, as SVG and CSV."
)
@json_option
def command(
    corpus: str,
    sets: tuple[str, ...],
    same: bool,
    conditions: bool,
    split: str | None,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Measure sets of games by the same rules, page by page, and show them side by side.

    CORPUS is the corpus of their format, such as `photobook`. Each NAME=PATH names a set and says
    where it is: a store, or a folder of released files or of what `commonground play` has written.

    With --conditions, an export of `commonground collect` is divided by who sat where, such as
    people-model. Other sets stay as they are.

    Only games that were played to their end are measured. Of what `commonground play` has written,
    it is said how many were begun, and what the others were aborted for.

    Each number has a 95 % interval over resampled games. Entrainment is shown beside a control: the
    same measure with players of different games, who never met.

    \b
    Example:
      commonground measure photobook people=logs models=played --out curves
      commonground measure photobook people=logs models=played --same --json
    """
    from commonground.corpora import get_corpus
    from commonground.figures.drawing.writing import write_figure
    from commonground.files.outputs import refuse_file_name
    from commonground.play.curves import (
        describe_begun,
        get_measuring,
        make_curves,
        measure_sets,
        summarise_sets,
    )

    if out is not None:
        refuse_file_name(out)
    entry, named = get_corpus(corpus), _parse_sets(sets)
    with working("measuring"):
        measured = measure_sets(
            entry, named, same=same, conditions=conditions, split=split, seed=seed
        )
    played = summarise_sets(named)
    table = make_curves(get_measuring(entry), measured)
    files = [] if out is None else [str(path) for path in write_figure(table, out)]
    if as_json:
        results = {name: to_builtins(each) for name, each in played.items()}
        print_json({"sets": to_builtins(measured), "played": results, "files": files})
        return
    for name, each in measured.items():
        _print_set(name, each)
    for name, begun in played.items():
        print_rich(plain(describe_begun(name, begun)))
    if files:
        print_rich(f"Written: {', '.join(files)}")


def _parse_sets(words: tuple[str, ...]) -> dict[str, Path]:
    sets: dict[str, Path] = {}
    for word in words:
        name, sign, path = word.partition("=")
        if not (name and sign and path):
            raise UsageError(f"{word!r} names no set.", "Such as models=played.")
        if name in sets:
            raise UsageError(f"There are two sets of the name {name}.")
        sets[name] = Path(path)
    return sets


def _print_set(name: str, measured: MeasuredGames) -> None:
    print_rich(plain(name, "bold") + plain(f"  {count_of(measured.games, 'game')}"))
    pages = sorted({each.page for each in measured.points if each.page is not None})
    heads = [*map(str, pages), "all", "decline"]
    table = new_table("", *heads, right=heads)
    # Of page None is the number over all pages.
    found: Mapping[tuple[str, int | None], Point]
    found = {(each.measure, each.page): each for each in measured.points}
    declines = {each.measure: each for each in measured.declines}
    for measure in dict.fromkeys(each.measure for each in measured.points):
        cells = [number_cell(found.get((measure, page))) for page in (*pages, None)]
        table.add_row(measure, *cells, number_cell(declines.get(measure)))
    print_rich(table)
    if measured.coupling is not None:
        coupling = measured.coupling
        heads = ["partners", "never met", "difference"]
        table = new_table("", *heads, right=heads)
        points = (coupling.real, coupling.control, coupling.difference)
        table.add_row(coupling.real.measure, *map(number_cell, points))
        print_rich(table)
