"""``commonground list``: prints the corpora there are, imported or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commonground.cli._options import (
    json_option,
    new_table,
    print_json,
    print_rich,
    store_option,
    store_path,
)


@click.command(short_help="List the corpora that can be imported, and what the store has.")
@store_option
@json_option
def command(store: Path | None, as_json: bool) -> None:
    """List the corpora that can be imported, and what the store has of each.

    \b
    Example:
      commonground list
    """
    from rich.text import Text

    from commonground.corpora import iterate_corpora
    from commonground.errors import StoreError
    from commonground.store.opening import open_store

    try:
        opened = open_store(store_path(store))
        manifests, damaged = opened.manifests, opened.damaged
    except StoreError:  # there is none yet
        manifests, damaged = {}, {}
    rows: list[dict[str, Any]] = []
    for entry in iterate_corpora():
        manifest = manifests.get(entry.name)
        rows.append(
            {
                "name": entry.name,
                "title": entry.manifest.title,
                "summary": entry.manifest.summary,
                "licence": entry.manifest.licence,
                "imported_dialogues": manifest and manifest.counts.get("dialogues", 0),
                "damaged": damaged[entry.name].message if entry.name in damaged else None,
            }
        )
    if as_json:
        print_json(rows)
        return
    table = new_table("corpus", "what it is", "in store", right=("in store",))
    for row in rows:
        count = row["imported_dialogues"]
        held = "damaged" if row["damaged"] else "–" if count is None else f"{count:,}"
        table.add_row(row["name"], row["summary"], held)
    print_rich(table)
    for error in damaged.values():
        print_rich("", Text(str(error), "red"))
