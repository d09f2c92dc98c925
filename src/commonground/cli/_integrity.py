"""``commonground check --integrity``: reads everything in the store and prints what is damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from commonground.cli._options import (
    new_table,
    print_csv,
    print_json,
    print_rich,
    progress_bar,
    to_builtins,
)

Progress = Callable[[int, int], None]


def check_integrity(store: Path, corpora: Sequence[str], *, as_json: bool, as_csv: bool) -> None:
    """Prints whether a store has what was imported; exits with 1 where anything is damaged.

    Args:
        store: its folder.
        corpora: names of imports; all of the store where there is none.
        as_json: whether it is printed as JSON.
        as_csv: whether it is printed as CSV.
    """
    from commonground.store.opening import open_store

    opened = open_store(store)
    path = opened.path
    names = list(corpora) or sorted({*opened.corpora(), *opened.damaged})
    for name in names:
        # A name that is not there is an error now; of a damaged import it is known that it is
        # there.
        if name not in opened.damaged:
            opened.corpus(name)
    with progress_bar("verifying") as progress:
        verified = [_verify(path, name, progress) for name in names]
    if as_json:
        print_json(verified)
    elif as_csv:
        rows = ((each["corpus"], each["parts"], len(each["damages"])) for each in verified)
        print_csv(("corpus", "parts", "damaged"), rows)
    else:
        _print(verified, path)
    if any(each["damages"] for each in verified):
        raise click.exceptions.Exit(1)


def _verify(store: Path, name: str, progress: Progress) -> dict[str, Any]:
    from commonground.errors import StoreError
    from commonground.store.layout.integrity import Damage, verify_import
    from commonground.store.layout.manifest import MANIFEST_NAME, load_manifest

    try:
        manifest = load_manifest(store, name)
    except StoreError as error:
        damages, parts = [Damage(name, MANIFEST_NAME, error.message)], 0
    else:
        assert manifest is not None  # noqa: S101 - it was listed by its manifest
        damages, parts = list(verify_import(store, manifest, progress)), len(manifest.parts)
    return {"corpus": name, "parts": parts, "damages": [to_builtins(each) for each in damages]}


def _print(verified: list[dict[str, Any]], store: Path) -> None:
    from commonground.store.layout.manifest import import_command

    table = new_table("corpus", "parts", "", right=("parts",))
    for each in verified:
        count = len(each["damages"])
        held = f"{count:,} damaged" if count else "whole"
        table.add_row(each["corpus"], f"{each['parts']:,}", held)
    print_rich(table)
    for each in verified:
        for damage in each["damages"]:
            print_rich(f"{each['corpus']}: {damage['where']} {damage['what']}")
        if each["damages"]:
            print_rich("To repair it, import the same files again:")
            click.echo(f"  {import_command(each['corpus'], store)}\n")
