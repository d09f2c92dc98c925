"""``commonground demo``: invents small corpora, imports them and opens the explorer."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from commonground.cli import serve
from commonground.cli._ending import told_when_stopped
from commonground.cli._options import step_bar

SECTION = "look"


@click.command(short_help="Try it: invented corpora, in the explorer.")
@click.argument("out", metavar="[FOLDER]", default="demo", type=click.Path(path_type=Path))
@click.option(
    "--dialogues",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Dialogues to invent for each corpus.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port.  [default: any]")
@click.option(
    "--serve/--no-serve",
    "is_serving",
    default=None,
    help="Open the explorer, or only write the files.  [default: open it from a terminal]",
)
@click.pass_context
def command(
    context: click.Context, out: Path, dialogues: int, port: int, is_serving: bool | None
) -> None:
    """Write five small invented corpora, import them, and open the explorer in a browser.

    FOLDER is a new folder, by default demo, or an earlier demo, which is opened again. It gets
    files in the released formats, and a store of them that all other commands use when you run them
    there. Nothing is downloaded.

    \b
    Example:
      commonground demo
      commonground demo somewhere --dialogues 50 --no-serve
    """
    from commonground.play.demo import write_demo

    stopped = told_when_stopped("Repeat the command to continue from here.")
    with stopped, step_bar("Making the demo") as progress:
        store = write_demo(out, dialogues=dialogues, progress=progress)
    click.echo(f"Five small invented corpora are in {out}. Commands find them there:")
    click.echo(f"  cd {shlex.quote(str(out))}")
    if os.environ.get("COMMONGROUND_STORE"):
        click.echo("  unset COMMONGROUND_STORE")
    if sys.stdout.isatty() if is_serving is None else is_serving:
        context.invoke(serve.command, port=port, open_browser=True, store=store)
    else:
        click.echo("  commonground serve --open")
