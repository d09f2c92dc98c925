"""``commonground remove``: removes a corpus from the store."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import ask, store_option, store_path
from commonground.errors import StoreError, UsageError
from commonground.printing import count_of

SECTION = "data"


@click.command(short_help="Remove a corpus from the store.")
@click.argument("corpus")
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_option
def command(corpus: str, yes: bool, store: Path | None) -> None:
    """Remove a corpus from the store, with the layers of labels that were added to it.

    CORPUS is one that was imported. The files that it was imported from are kept, and so are all
    other corpora. You are asked first; scripts pass --yes.

    \b
    Example:
      commonground remove photobook
      commonground remove photobook --yes
    """
    from commonground.files.remote import is_remote
    from commonground.store.layout.generations import remove_import
    from commonground.store.layout.manifest import list_imports
    from commonground.store.layout.mirrors import name_store

    folder = store_path(store)
    if is_remote(folder):
        raise UsageError(
            "Only stores on this machine can be changed.",
            f"Delete {folder}/{corpus} with the tools of the object store.",
        )
    names = list_imports(folder)
    if corpus not in names:
        known = ", ".join(names) or "nothing"
        raise StoreError(f"{corpus!r} is not in the store {name_store(folder)}, which has {known}.")
    if not yes:
        question = f"Remove {_describe(folder, corpus)}?"
        ask(question, "Removing a corpus has to be confirmed.", "Scripts pass --yes.")
    remove_import(folder, corpus)
    click.echo(f"{corpus} is no longer in {name_store(folder)}.")


def _describe(store: Path, corpus: str) -> str:
    """Says what would go, as far as the manifest can be read."""
    from commonground.store.layout.manifest import load_manifest

    try:
        manifest = load_manifest(store, corpus)
    except StoreError:
        manifest = None
    if manifest is None:
        return corpus
    said = f"{corpus}, {count_of(manifest.counts.get('dialogues', 0), 'dialogue')}"
    if manifest.layers:
        said += f" and the layers {', '.join(each.name for each in manifest.layers)}"
    return said
