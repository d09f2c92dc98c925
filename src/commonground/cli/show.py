"""``commonground show``: prints a transcript, or writes the page of one dialogue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    print_json,
    print_plain,
    print_rich,
    store_option,
    to_builtins,
)
from commonground.errors import UsageError

if TYPE_CHECKING:
    from commonground.store.corpus import Corpus

SECTION = "look"


@click.command(short_help="Print the transcript of a dialogue.")
@click.argument("corpus")
@click.argument("dialogue_id")
@click.option("--annotations", is_flag=True, help="Print acts and spans below each utterance.")
@click.option("--native", is_flag=True, help="Print the released records instead.")
@click.option(
    "--html",
    "html_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write one self-contained page instead, with its pictures in it.",
)
@click.option(
    "--images",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Where the pictures are, for --html.  [default: as named at import]",
)
@store_option
@json_option
def command(
    corpus: str,
    dialogue_id: str,
    annotations: bool,
    native: bool,
    html_file: Path | None,
    images: Path | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print the transcript of a dialogue: what was said and done, in order.

    CORPUS is a name that `commonground info` prints, DIALOGUE_ID an id of its table
    `dialogues`.

    \b
    Example:
      commonground show photobook 17
      commonground show frames DIALOGUE_ID --annotations
      commonground show photobook 17 --html game-17.html
    """
    from commonground.explorer.terminal import render_transcript
    from commonground.store.opening import load

    if native + as_json + (html_file is not None) > 1:  # truth values are numbers
        raise UsageError("--native, --json and --html exclude each other.", "Give one of them.")
    opened = load(corpus, store)
    if html_file is not None:
        _write_page(opened, dialogue_id, html_file, images)
        return
    dialogue = opened.dialogue(dialogue_id)
    if native:
        for text in opened.native(dialogue_id):
            print_plain(text + "\n")
    elif as_json:
        print_json({"corpus": corpus, **to_builtins(dialogue)})
    else:
        print_rich(*render_transcript(corpus, dialogue, annotations=annotations))


def _write_page(corpus: Corpus, dialogue_id: str, file: Path, images: Path | None) -> None:
    """Writes the page, and says where it is and what it lacks."""
    from commonground.corpora import get_corpus
    from commonground.explorer.dialogue import draw_stored, render_single
    from commonground.exports.terms import Licensed, list_terms, state_terms
    from commonground.files.outputs import write_file
    from commonground.store.pictures import PictureFolder

    named = images or corpus.images
    about = get_corpus(corpus.name).manifest
    licensed = Licensed(about=about, dialogues=1, simulated=corpus.manifest.simulated)
    terms = list_terms(licensed)
    text = render_single(draw_stored(corpus, dialogue_id), PictureFolder(named), terms)
    write_file(file, text.encode("utf-8"))
    click.echo(f"{file}: {len(text.encode()):,} bytes")
    for line in state_terms([licensed]):
        click.echo(line, err=True)
