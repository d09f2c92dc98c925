"""``commonground info``: lists the corpora, imported or not, or prints what is known of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    Form,
    form_options,
    plain,
    print_data,
    print_rich,
    print_table,
    store_option,
    store_path,
    to_builtins,
)

if TYPE_CHECKING:
    from commonground.corpora import Manifest
    from commonground.store.layout.manifest import StoreManifest
    from commonground.store.opening import Store
    from commonground.store.shared import Overlap

SECTION = "data"


@click.command(short_help="List the corpora and what the store has, or describe one.")
@click.argument("corpus", required=False)
@click.option(
    "--overlap", is_flag=True, help="Count what each imported split shares with training."
)
@store_option
@form_options
def command(corpus: str | None, overlap: bool, store: Path | None, form: Form) -> None:
    """List the corpora that can be imported, and what the store has of each.

    CORPUS is one of them, which is described: its files, licence, splits, citation, and what the
    store has of it.

    With --overlap, it lists the splits of each import instead, or of CORPUS, and counts how many of
    their images, domains, speakers and other things also occur in the training data: in the split
    train or, where splits are folds, in the other folds.

    \b
    Example:
      commonground info
      commonground info frames
      commonground info --overlap
    """
    if overlap:
        _show_overlaps(corpus, store, form)
    elif corpus is None:
        _list(store, form)
    else:
        _describe(corpus, store, form)


def _describe(corpus: str, store: Path | None, form: Form) -> None:
    from commonground.corpora import find_corpus, get_corpus
    from commonground.store.layout.generations import hold_import
    from commonground.store.layout.remote import bring_store

    held = hold_import(bring_store(store_path(store), [corpus]), corpus)
    imported = None if held is None else held.manifest
    entry = find_corpus(corpus) if imported else get_corpus(corpus)
    about = entry.manifest
    facts = _list_facts(about, imported)
    formats = [(f"file {each.name}", each.pattern) for each in entry.formats()]
    rows = [*facts, *formats, ("citation", about.citation.strip())]
    if print_data(form, {**to_builtins(about), "imported": imported}, ("what", "value"), rows):
        return
    print_rich(plain(about.title, "bold"), plain(about.summary), "")
    print_table(("", ""), facts)
    files = ((each.name, each.pattern, each.title) for each in entry.formats())
    print_table(("file", "pattern", "what it holds"), files)
    print_rich("[bold]Cite as[/]", plain(about.citation.strip()))


def _list_facts(about: Manifest, imported: StoreManifest | None) -> list[tuple[str, str]]:
    from commonground.store.shared import list_kinds

    splits = ", ".join(f"{name} {n:,}" for name, n in about.splits.items()) or "none"
    facts = [
        ("homepage", about.homepage or "none"),
        ("licence", about.licence),
        ("terms", about.terms),
        ("released", ", ".join(f"{n:,} {name}" for name, n in about.counts.items())),
        ("splits", f"{splits} ({about.splits_from})"),
    ]
    for name, published in about.published_splits.items():
        facts.append(("published splits", f"{name}: {published.source}. {published.note}".strip()))
    facts.append(("to keep apart", ", ".join(list_kinds(about))))
    if imported:
        rows = ", ".join(f"{n:,} {name}" for name, n in sorted(imported.counts.items()))
        facts.append(("imported", f"{imported.imported_at:%Y-%m-%d %H:%M} UTC: {rows}"))
        own = imported.own_splits
        facts.append(("its splits", own.describe() if own else "the released ones"))
    return facts


def _list(store: Path | None, form: Form) -> None:
    opened = _open(store)
    rows = _list_rows(opened)
    if not print_data(form, rows, list(rows[0]), (row.values() for row in rows)):
        _print_corpora(rows)
        _print_remarks(rows, opened)


def _show_overlaps(corpus: str | None, store: Path | None, form: Form) -> None:
    from commonground.store.opening import open_store

    if corpus is None:
        opened = _open(store)
    else:
        opened = open_store(store_path(store))
        opened.corpus(corpus)  # what was not imported is an error
    rows = [row for row in _list_rows(opened) if corpus in (None, row["name"])]
    overlaps = _count_overlaps(opened, corpus)
    told = [{**row, "overlap": overlaps.get(row["name"], [])} for row in rows]
    listed = ((name, each) for name, found in overlaps.items() for each in found)
    counts = ((name, e.test, e.train, e.what, e.of, e.shared) for name, e in listed)
    if not print_data(form, told, ("corpus", "test", "train", "what", "of", "shared"), counts):
        _print_overlaps(overlaps)
        _print_remarks(rows, opened)


def _open(store: Path | None) -> Store | None:
    """Opens the store; None while there is none."""
    from commonground.errors import StoreError
    from commonground.store.opening import open_store

    try:
        return open_store(store_path(store))
    except StoreError:
        return None


def _list_rows(store: Store | None) -> list[dict[str, Any]]:
    from commonground.corpora import find_corpus, is_at_hand, iterate_corpora

    manifests, damaged = ({}, {}) if store is None else (store.manifests, store.damaged)
    strangers = [find_corpus(name) for name in {*manifests, *damaged} if not is_at_hand(name)]
    rows: list[dict[str, Any]] = []
    for entry in (*iterate_corpora(), *sorted(strangers, key=lambda each: each.name)):
        manifest = manifests.get(entry.name)
        own = manifest.own_splits if manifest is not None else None
        rows.append(
            {
                "name": entry.name,
                "title": entry.manifest.title,
                "summary": entry.manifest.summary,
                "licence": entry.manifest.licence,
                "imported_dialogues": manifest and manifest.counts.get("dialogues", 0),
                "damaged": damaged[entry.name].message if entry.name in damaged else None,
                "own_splits": own.describe() if own is not None else None,
            }
        )
    return rows


def _print_remarks(rows: list[dict[str, Any]], store: Store | None) -> None:
    """Says which corpora have splits of their own, and what of the store is damaged."""
    from rich.text import Text

    for row in rows:
        if row["own_splits"]:
            print_rich(plain(f"The splits of {row['name']} are {row['own_splits']}."))
    for error in {} if store is None else store.damaged.values():
        print_rich("", Text(str(error), "red"))


def _print_corpora(rows: list[dict[str, Any]]) -> None:
    lines = []
    for row in rows:
        count = row["imported_dialogues"]
        held = "damaged" if row["damaged"] else "–" if count is None else f"{count:,}"
        lines.append((row["name"], row["summary"], held))
    print_table(("corpus", "what it is", "in store"), lines, right=("in store",))


def _print_overlaps(overlaps: dict[str, list[Overlap]]) -> None:
    """Prints a line for each thing that dialogues of a split have, and the corpora without any."""
    right = ("there are", "also in training")
    rows = [
        (corpus, each.test, each.train, each.what, f"{each.of:,}", f"{each.shared:,}")
        for corpus, listed in overlaps.items()
        for each in listed
    ]
    if rows:
        print_table(("corpus", "split", "against", "what", *right), rows, right)
    if alone := [corpus for corpus, listed in overlaps.items() if not listed]:
        print_rich(plain(f"Without a training split and another to compare: {', '.join(alone)}"))
    if not overlaps:
        print_rich(plain("The store has no corpus yet."))


def _count_overlaps(store: Store | None, corpus: str | None) -> dict[str, list[Overlap]]:
    from commonground.bench.evaluation.overlaps import list_overlaps

    if store is None:
        return {}
    names = store.corpora() if corpus is None else [corpus]
    return {name: list_overlaps(store.corpus(name)) for name in names}
