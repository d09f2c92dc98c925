"""``commonground simulate``."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import working
from commonground.errors import SourceError


@click.command(short_help="Write an invented corpus in the released formats.")
@click.argument("corpus")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--dialogues", type=click.IntRange(1), default=20, show_default=True, help="How many."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same corpus.")
def command(corpus: str, out: Path, dialogues: int, seed: int) -> None:
    """Write an invented corpus in the released formats, pictures included.

    \b
    Example:
      commonground simulate photobook demo/photobook --dialogues 50 --seed 7
    """
    from commonground.corpora import get_corpus
    from commonground.export.output import refuse_file_name

    refuse_file_name(out)
    entry = get_corpus(corpus)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SourceError(f"{out} is not an empty folder.", "Name a new one.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with working(f"inventing {dialogues:,} {entry.manifest.unit}s"):
            entry.simulate(out, dialogues=dialogues, seed=seed)
    except OSError as error:
        raise SourceError(f"{out} cannot be written: {error.strerror}.") from error
    click.echo(f"{dialogues:,} {entry.manifest.unit}s of an invented {corpus} in {out}")
    click.echo(f"Import them: commonground import {corpus} {out}")
