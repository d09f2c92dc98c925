"""``commonground info``: prints what is known of a corpus and of its import."""

from __future__ import annotations

from pathlib import Path

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


@click.command(short_help="Describe a corpus: files, licence, splits, citation, what is imported.")
@click.argument("corpus")
@store_option
@json_option
def command(corpus: str, store: Path | None, as_json: bool) -> None:
    """Describe a corpus: its files, licence, splits, citation, and what the store has of it.

    CORPUS is a name that `commonground list` prints.

    \b
    Example:
      commonground info frames
    """
    from commonground.corpora import find_corpus, get_corpus
    from commonground.store.layout.generations import hold_import
    from commonground.store.layout.remote import bring_store
    from commonground.store.shared import list_kinds

    held = hold_import(bring_store(store_path(store), [corpus]), corpus)
    imported = held and held.manifest
    entry = find_corpus(corpus) if imported else get_corpus(corpus)
    about = entry.manifest
    if as_json:
        found = to_builtins(imported) if imported else None
        print_json({**to_builtins(about), "imported": found})
        return
    print_rich(plain(about.title, "bold"), plain(about.summary), "")
    facts = new_table("", "")
    facts.add_row("homepage", about.homepage)
    facts.add_row("licence", about.licence)
    facts.add_row("terms", about.terms)
    facts.add_row("released", ", ".join(f"{n:,} {name}" for name, n in about.counts.items()))
    splits = ", ".join(f"{name} {n:,}" for name, n in about.splits.items()) or "none"
    facts.add_row("splits", f"{splits} ({about.splits_from})")
    for name, published in about.published_splits.items():
        facts.add_row("published splits", f"{name}: {published.source}. {published.note}".strip())
    facts.add_row("to keep apart", ", ".join(list_kinds(about)))
    if imported:
        rows = ", ".join(f"{n:,} {name}" for name, n in sorted(imported.counts.items()))
        facts.add_row("imported", f"{imported.imported_at:%Y-%m-%d %H:%M} UTC: {rows}")
        own = imported.own_splits
        facts.add_row("its splits", own.describe() if own else "the released ones")
    print_rich(facts)
    files = new_table("file", "pattern", "what it holds")
    for fmt in entry.formats():
        files.add_row(fmt.name, fmt.pattern, fmt.title)
    print_rich(files, "[bold]Cite as[/]", plain(about.citation.strip()))
