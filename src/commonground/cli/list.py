"""``commonground list``."""

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
    from commonground.corpora import iterate_corpora
    from commonground.store.manifest import load_manifests

    manifests = load_manifests(store_path(store))
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
            }
        )
    if as_json:
        print_json(rows)
        return
    table = new_table("corpus", "what it is", "in store", right=("in store",))
    for row in rows:
        count = row["imported_dialogues"]
        table.add_row(row["name"], row["summary"], "–" if count is None else f"{count:,}")
    print_rich(table)
