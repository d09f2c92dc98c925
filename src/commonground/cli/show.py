"""``commonground show``."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import json_option, print_json, print_rich, store_option, to_builtins


@click.command(short_help="Print the transcript of a dialogue.")
@click.argument("corpus")
@click.argument("dialogue_id")
@click.option("--annotations", is_flag=True, help="Print acts and spans below each utterance.")
@click.option("--native", is_flag=True, help="Print the released records instead.")
@store_option
@json_option
def command(
    corpus: str,
    dialogue_id: str,
    annotations: bool,
    native: bool,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print the transcript of a dialogue: what was said and done, in order.

    \b
    Example:
      commonground show photobook 17
      commonground show frames DIALOGUE_ID --annotations
    """
    from commonground.site.transcript import render_transcript
    from commonground.store.corpus import load

    opened = load(corpus, store)
    dialogue = opened.dialogue(dialogue_id)
    if native:
        for text in opened.native(dialogue_id):
            click.echo(text)
    elif as_json:
        print_json({"corpus": corpus, **to_builtins(dialogue)})
    else:
        print_rich(*render_transcript(corpus, dialogue, annotations=annotations))
