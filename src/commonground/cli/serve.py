"""``commonground serve``: serves the explorer until it is stopped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

import click

from commonground.cli._options import store_option
from commonground.cli._terms import confirm_terms, yes_option

SECTION = "look"


@click.command(short_help="Open the explorer: browse, search and read dialogues in a browser.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port; 0 for a free one.",
)
@click.option("--host", default="127.0.0.1", help="Address to listen on.  [default: this machine]")
@click.option(
    "--token-file",
    type=click.File(),
    help="File with the token that readers give, - for standard input.  [default: "
    "$COMMONGROUND_TOKEN, or made up for other addresses]",
)
@click.option("--images", multiple=True, metavar="CORPUS=FOLDER", help="Image folder of a corpus.")
@click.option(
    "--results",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Scored instances, as evaluate --per-instance writes them; may be repeated.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes that make pages.  [default: one per core, at most 4]",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the browser, too.")
@yes_option
@store_option
def command(
    port: int,
    host: str,
    token_file: TextIO | None,
    images: tuple[str, ...],
    results: tuple[Path, ...],
    workers: int | None,
    open_browser: bool,
    yes: bool,
    store: Path | None,
) -> None:
    """Open the explorer on the store: browse, search and read its dialogues in a browser.

    Only this machine can reach it, unless --host names another address; a token is then asked
    for. The token is not an option: other users of this machine could read it there.
    With such an address the terms of each corpus are printed, too, and if they bar redistribution,
    you are asked first.

    \b
    Example:
      commonground serve --open
      commonground serve --images photobook=images --results scored.parquet
      commonground serve --host 0.0.0.0 --port 9000
    """
    from commonground.explorer.corpora import OpenCorpora
    from commonground.explorer.server.serving import parse_images, serve
    from commonground.explorer.web.guard import is_loopback
    from commonground.explorer.web.listening import count_workers, plan_serving
    from commonground.store.opening import open_store

    opened = open_store(store)
    for error in opened.damaged.values():
        click.echo(f"Left out: {error}", err=True)
    corpora = OpenCorpora(opened, images=parse_images(images), results=results)

    if not is_loopback(host):
        confirm_terms([each.describe_licensed() for each in corpora], "show it to others", yes=yes)

    def ready(address: str) -> None:
        click.echo(f"The explorer is at {address}  (Ctrl-C ends it)")
        if open_browser:
            # The command that opens a browser can be read by all, too: the page asks for the token.
            click.launch(address.partition("?")[0])

    token = os.environ.get("COMMONGROUND_TOKEN") if token_file is None else token_file.read()
    serving = plan_serving(host, port, (token or "").strip() or None)
    serve(corpora, serving, ready, workers=workers or count_workers())
