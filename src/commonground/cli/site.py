"""``commonground site``: writes the explorer as static files."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._options import (
    force_option,
    json_option,
    print_json,
    progress_bar,
    store_option,
)
from commonground.cli._terms import confirm_terms, yes_option
from commonground.printing import count_of

SECTION = "export"


@click.command(short_help="Write the explorer as a static site, search included.")
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--corpus", "corpora", multiple=True, help="Corpus to write.  [default: all]")
@click.option(
    "--dialogues",
    default="",
    help="How many per corpus, or a query: 'id:17,18'.  [default: all]",
)
@click.option("--images", multiple=True, metavar="CORPUS=FOLDER", help="Image folder of a corpus.")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    help="Scored instances, as evaluate --per-instance writes them.",
)
@click.option("--no-images", is_flag=True, help="Leave the pictures out.")
@click.option("--no-json", is_flag=True, help="Leave out the JSON version of each page.")
@click.option(
    "--plain",
    is_flag=True,
    help="Write pages that need no scripts, five times larger.",
)
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: one per core]")
@force_option
@yes_option
@store_option
@json_option
def command(
    out: Path,
    corpora: tuple[str, ...],
    dialogues: str,
    images: tuple[str, ...],
    results: Path | None,
    no_images: bool,
    no_json: bool,
    plain: bool,
    jobs: int | None,
    force: bool,
    yes: bool,
    store: Path | None,
    as_json: bool,
) -> None:
    """Write the pages of the explorer as files that open from disk and from any web host.

    OUT is a new folder, or a site that is to be replaced; what you added to it stays. Pages are
    compressed, and the browser decompresses them; their JSON versions are compressed with gzip. The
    terms of each corpus are printed and written to LICENCE-AND-TERMS.md; if they bar
    redistribution, you are asked first.

    \b
    Example:
      commonground site public --corpus photobook
      commonground site sample --dialogues 50 --no-images
      commonground site found --corpus frames --dialogues 'act:offer rating:<3'
    """
    from commonground.explorer.corpora import OpenCorpora
    from commonground.explorer.server.serving import parse_images
    from commonground.explorer.static_site.writing import write_site
    from commonground.files.outputs import refuse_file_name
    from commonground.store.opening import open_store

    refuse_file_name(out)
    opened = open_store(store)
    shown = OpenCorpora(
        opened,
        images=parse_images(images),
        results=() if results is None else (results,),
        names=list(corpora) or opened.all_corpora(),
    )
    confirm_terms([each.describe_licensed() for each in shown], "write the site", yes=yes)
    stopped = told_when_stopped(f"Nothing was written to {out}.")
    with stopped, progress_bar("Writing pages") as progress:
        summary = write_site(
            shown,
            out,
            dialogues=dialogues,
            pictures=not no_images,
            twins=not no_json,
            packed=not plain,
            jobs=jobs,
            progress=progress,
            force=force,
        )
    if as_json:
        print_json(summary)
        return
    dialogues = count_of(summary.dialogues, "dialogue")
    # Of what takes less than a second, a rate would be the speed of starting.
    if 1 <= summary.dialogues_s <= summary.dialogues:
        dialogues += f" ({summary.dialogues / summary.dialogues_s:,.0f} a second)"
    click.echo(
        f"{dialogues} and {count_of(summary.pictures, 'picture')} "
        f"in {summary.seconds:.1f} s. Open {out / 'index.html'}"
    )
