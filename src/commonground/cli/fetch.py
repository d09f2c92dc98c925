"""``commonground fetch``: downloads released files."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import json_option, print_json, progress_bar

SECTION = "data"


@click.command(short_help="Download the released files of a corpus.")
@click.argument("corpus")
@click.argument("out", type=click.Path(path_type=Path))
@json_option
def command(corpus: str, out: Path, as_json: bool) -> None:
    """Download the released files of a corpus, checked by size and sha256.

    CORPUS is a name that `commonground info` prints, OUT the folder for the files.

    An interrupted download is resumed if the file is sure to be unchanged; otherwise it starts
    again. If terms must be accepted first, nothing is downloaded and the steps to take are printed.

    \b
    Example:
      commonground fetch taskmaster3 downloads/taskmaster3
    """
    from commonground.corpora import get_corpus
    from commonground.fetching import fetch_corpus

    with progress_bar(f"fetching {corpus}") as progress:
        fetched = fetch_corpus(get_corpus(corpus), out, progress)
    if as_json:
        print_json(fetched)
        return
    for each in fetched:
        check = "sha256 as published" if each.verified else "no published sha256 to compare"
        click.echo(f"{each.state:10} {each.path}  {each.size:,} bytes, {check}")
