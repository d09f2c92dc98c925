"""``commonground list``: prints the corpora there are, imported or not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    json_option,
    new_table,
    plain,
    print_json,
    print_rich,
    store_option,
    store_path,
    to_builtins,
)

if TYPE_CHECKING:
    from commonground.store.layout.manifest import StoreManifest
    from commonground.store.opening import Store
    from commonground.store.shared import Overlap


@click.command(short_help="List the corpora that can be imported, and what the store has.")
@click.option(
    "--overlap", is_flag=True, help="Count what each imported split shares with training."
)
@store_option
@json_option
def command(overlap: bool, store: Path | None, as_json: bool) -> None:
    """List the corpora that can be imported, and what the store has of each.

    With --overlap, it lists the splits of each import instead, and counts how many of their images,
    domains, speakers and other things also stand in what is learned from: in the split train or, of
    folds, in the other folds.

    \b
    Example:
      commonground list
      commonground list --overlap
    """
    from rich.text import Text

    from commonground.corpora import find_corpus, is_at_hand, iterate_corpora
    from commonground.errors import StoreError
    from commonground.store.opening import open_store

    try:
        opened = open_store(store_path(store))
        manifests, damaged = opened.manifests, opened.damaged
    except StoreError:  # there is none yet
        opened, manifests, damaged = None, {}, {}
    rows: list[dict[str, Any]] = []
    strangers = [find_corpus(name) for name in {*manifests, *damaged} if not is_at_hand(name)]
    for entry in (*iterate_corpora(), *sorted(strangers, key=lambda each: each.name)):
        manifest = manifests.get(entry.name)
        rows.append(
            {
                "name": entry.name,
                "title": entry.manifest.title,
                "summary": entry.manifest.summary,
                "licence": entry.manifest.licence,
                "imported_dialogues": manifest and manifest.counts.get("dialogues", 0),
                "damaged": damaged[entry.name].message if entry.name in damaged else None,
                "own_splits": _describe_splits(manifest),
            }
        )
    overlaps = _count_overlaps(opened) if overlap and opened is not None else {}
    if overlap:
        rows = [{**row, "overlap": to_builtins(overlaps.get(row["name"], []))} for row in rows]
    if as_json:
        print_json(rows)
        return
    if overlap:
        _print_overlaps(overlaps)
    else:
        _print_corpora(rows)
    for row in rows:
        if row["own_splits"]:
            print_rich(plain(f"The splits of {row['name']} are {row['own_splits']}."))
    for error in damaged.values():
        print_rich("", Text(str(error), "red"))


def _print_corpora(rows: list[dict[str, Any]]) -> None:
    table = new_table("corpus", "what it is", "in store", right=("in store",))
    for row in rows:
        count = row["imported_dialogues"]
        held = "damaged" if row["damaged"] else "–" if count is None else f"{count:,}"
        table.add_row(row["name"], row["summary"], held)
    print_rich(table)


def _print_overlaps(overlaps: dict[str, list[Overlap]]) -> None:
    """Prints a line for each thing that dialogues of a split have, and the corpora without any."""
    right = ("there are", "also in training")
    table = new_table("corpus", "split", "against", "what", *right, right=right)
    for corpus, listed in overlaps.items():
        for each in listed:
            numbers = f"{each.of:,}", f"{each.shared:,}"
            table.add_row(corpus, each.test, each.train, each.what, *numbers)
    if any(overlaps.values()):
        print_rich(table)
    for corpus, listed in overlaps.items():
        if not listed:
            print_rich(plain(f"{corpus} has no split to learn from beside another one."))
    if not overlaps:
        print_rich(plain("The store has no corpus yet."))


def _count_overlaps(store: Store) -> dict[str, list[Overlap]]:
    from commonground.bench.evaluation.overlaps import list_overlaps

    return {name: list_overlaps(store.corpus(name)) for name in store.corpora()}


def _describe_splits(manifest: StoreManifest | None) -> str | None:
    """Says what the splits of an import are, where they are not the released ones; else None."""
    own = manifest.own_splits if manifest is not None else None
    return own.describe() if own is not None else None
