"""``commonground new-corpus``: writes the skeleton of a corpus."""

from __future__ import annotations

import re
from pathlib import Path

import click

from commonground.errors import UsageError

SECTION = "data"


@click.command(short_help="Write the skeleton of your own corpus.")
@click.argument("name")
@click.argument("out", type=click.Path(path_type=Path), default="corpora")
def command(name: str, out: Path) -> None:
    """Write the skeleton of a corpus with formats, rules and a benchmark task of its own.

    NAME is a word of small letters and digits; OUT is where its folder is put. The skeleton reads
    JSON files of dialogues with intents, and works as it is: change it step by step. Dialogues that
    only have texts and labels need none: import them as chats.

    \b
    Example:
      commonground new-corpus greetings
      export COMMONGROUND_CORPORA=corpora
      commonground simulate greetings files
    """
    from commonground.corpora import VARIABLE, iterate_corpora
    from commonground.files.outputs import new_folder

    if re.fullmatch("[a-z][a-z0-9]*", name) is None:
        raise UsageError(f"{name!r} is not a name: use lower-case letters and digits.")
    if name in {entry.name for entry in iterate_corpora()}:
        raise UsageError(f"There is a corpus {name} already.", "Take another name.")
    folder = out / name
    with new_folder(folder, "corpus", replaces=False, kept={}) as staged:
        _write_skeleton(staged, name)
    click.echo(f"The skeleton of {name} is in {folder}. To try it:")
    click.echo(f"  export {VARIABLE}={out}")
    click.echo(f"  commonground simulate {name} files")
    click.echo(f"  commonground import {name} files")


def _write_skeleton(staged: Path, corpus: str) -> None:
    from importlib.resources import as_file, files

    words = {
        "@name@": corpus,
        "@code@": corpus.upper(),
        "@title@": corpus.capitalize(),
    }
    with as_file(files("commonground.corpora") / "_skeleton") as skeleton:
        for path in sorted(skeleton.rglob("*.txt")):
            text = path.read_text(encoding="utf-8")
            for mark, word in words.items():
                text = text.replace(mark, word)
            name = path.relative_to(skeleton).with_suffix("")
            (staged / name).parent.mkdir(exist_ok=True)
            (staged / name).write_text(text, encoding="utf-8", newline="\n")
