"""``commonground play --measure``: puts measures of sets of games side by side, as curves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from commonground.cli._options import (
    Form,
    number_cell,
    plain,
    print_data,
    print_rich,
    print_table,
    working,
)
from commonground.errors import UsageError
from commonground.printing import count_of

NUMBERS = ("set", "games", "measure", "page", "value", "low", "high")
"""Columns of measured sets as CSV."""

if TYPE_CHECKING:
    from commonground.measuring import MeasuredGames, Point


def measure_games(
    corpus: str,
    words: tuple[str, ...],
    *,
    same: bool,
    conditions: bool,
    split: str | None,
    seed: int,
    out: Path | None,
    form: Form,
) -> None:
    """Prints measures of sets of games, and writes their curves.

    Args:
        corpus: the one of their format.
        words: a set each, as NAME=PATH.
        same: whether only games count whose material was played in every set.
        conditions: whether an export is divided by who had which seat.
        split: the released one; None for all.
        seed: of resampling and pairing.
        out: None to write no curves.

    Raises:
        UsageError: a word names no set.
    """
    from commonground.corpora import get_corpus
    from commonground.figures.drawing.writing import write_figure
    from commonground.files.outputs import refuse_file_name
    from commonground.games import MeasuredSets
    from commonground.play.curves import (
        describe_begun,
        get_measuring,
        make_curves,
        measure_sets,
        summarise_sets,
    )

    if out is not None:
        refuse_file_name(out)
    entry, named = get_corpus(corpus), _parse_sets(words)
    with working("measuring"):
        measured = measure_sets(
            entry, named, same=same, conditions=conditions, split=split, seed=seed
        )
    played = summarise_sets(named)
    table = make_curves(get_measuring(entry), measured)
    files = [] if out is None else [str(path) for path in write_figure(table, out)]
    told = {"sets": measured, "played": played, "files": files}
    if print_data(form, told, NUMBERS, MeasuredSets(corpus, measured).list_numbers()):
        return
    for name, each in measured.items():
        _print_set(name, each)
    for name, begun in played.items():
        print_rich(plain(describe_begun(name, begun)))
    if files:
        print_rich(f"Written: {', '.join(files)}")


def _parse_sets(words: tuple[str, ...]) -> dict[str, Path]:
    if not words:
        raise UsageError("--measure needs sets of games.", "Such as models=played.")
    sets: dict[str, Path] = {}
    for word in words:
        if word.startswith("-"):
            raise UsageError(f"There is no option {word.partition('=')[0]} with --measure.")
        name, sign, path = word.partition("=")
        if not (name and sign and path):
            raise UsageError(f"{word!r} names no set.", "Such as models=played.")
        if name in sets:
            raise UsageError(f"There are two sets called {name}.")
        sets[name] = Path(path)
    return sets


def _print_set(name: str, measured: MeasuredGames) -> None:
    print_rich(plain(name, "bold") + plain(f"  {count_of(measured.games, 'game')}"))
    pages = sorted({each.page for each in measured.points if each.page is not None})
    heads = [*map(str, pages), "all", "decline"]
    # Of page None is the number over all pages.
    found: Mapping[tuple[str, int | None], Point]
    found = {(each.measure, each.page): each for each in measured.points}
    declines = {each.measure: each for each in measured.declines}
    rows = []
    for measure in dict.fromkeys(each.measure for each in measured.points):
        cells = [number_cell(found.get((measure, page))) for page in (*pages, None)]
        rows.append((measure, *cells, number_cell(declines.get(measure))))
    print_table(("", *heads), rows, heads)
    if measured.coupling is not None:
        coupling = measured.coupling
        heads = ["partners", "never met", "difference"]
        points = (coupling.real, coupling.control, coupling.difference)
        row = (coupling.real.measure, *map(number_cell, points))
        print_table(("", *heads), [row], heads)
