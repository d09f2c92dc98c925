"""``commonground simulate``: writes an invented corpus."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import print_import, working
from commonground.printing import count_of

SECTION = "data"


@click.command(short_help="Write an invented corpus in the released formats.")
@click.argument("corpus")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--dialogues",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Dialogues to invent.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same corpus.")
@click.option(
    "--faults",
    type=click.IntRange(0),
    default=0,
    help="Records to break, each in one way, for `commonground check` to find.",
)
def command(corpus: str, out: Path, dialogues: int, seed: int, faults: int) -> None:
    """Write an invented corpus in the released formats, pictures included.

    CORPUS is a name that `commonground info` prints, OUT a new or an empty folder.

    \b
    Example:
      commonground simulate photobook demo/photobook --dialogues 50 --seed 7
    """
    from commonground.corpora import get_corpus
    from commonground.files.outputs import new_folder
    from commonground.play.simulating import simulate_corpus
    from commonground.store.planting import plant_faults

    entry = get_corpus(corpus)
    with (
        new_folder(out, "corpus", replaces=False, kept={}) as folder,
        working(f"inventing {dialogues:,} {entry.manifest.unit}s"),
    ):
        simulate_corpus(entry, folder, dialogues=dialogues, seed=seed)
        planted = plant_faults(entry, folder, number=faults, seed=seed) if faults else []
    number = count_of(dialogues, f"invented {entry.manifest.unit}")
    click.echo(f"{number} of {corpus} in {out}")
    for each in planted:
        click.echo(f"planted {each.code} in {each.file} at {each.path}")
    print_import(corpus, out)
