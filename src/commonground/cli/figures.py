"""``commonground figures``: writes the charts and numbers of a corpus as files."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import (
    json_option,
    print_json,
    progress_bar,
    store_option,
    worker_options,
)
from commonground.printing import count_of


@click.command(short_help="Write a corpus's figures as SVG, PNG and CSV.")
@click.argument("corpus")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--figure", "names", multiple=True, metavar="NAME", help="Only this figure; may be repeated."
)
@worker_options
@store_option
@json_option
def command(
    corpus: str,
    out: Path,
    names: tuple[str, ...],
    engine: str,
    scheduler: str | None,
    jobs: int | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Write each figure of a corpus to OUT: a chart as SVG and PNG, the numbers as CSV.

    CORPUS is a name that `commonground list` prints; `all` compares the imported corpora with each
    other. Charts need altair and vl-convert.

    \b
    Example:
      commonground figures photobook figures
    """
    from commonground.engines import open_engine
    from commonground.outputs import refuse_file_name
    from commonground.stats.figure_runs import choose_figures
    from commonground.stats.writing import write_figure
    from commonground.store.opening import open_store

    refuse_file_name(out)
    chosen = choose_figures(open_store(store), corpus, names)
    written: list[Path] = []
    where = open_engine(engine, scheduler=scheduler, jobs=jobs)
    with where as workers, progress_bar("figures") as report:
        for table in chosen.run(workers, report):
            written += write_figure(table, out)
    if as_json:
        names = tuple(each.name for each in chosen.figures)
        print_json({"figures": names, "files": [str(path) for path in written]})
        return
    figures, files = count_of(len(chosen.figures), "figure"), count_of(len(written), "file")
    click.echo(f"{figures}, {files} in {out}")
