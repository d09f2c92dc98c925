"""``commonground roundtrip``: compares files with what is written of them again."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import (
    Form,
    form_options,
    print_data,
    print_rich,
    print_table,
    progress_bar,
)
from commonground.printing import count_of


@click.command(hidden=True)
@click.argument("corpus")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@form_options
def command(corpus: str, paths: tuple[Path, ...], form: Form) -> None:
    """Read files natively, write them back and compare the two as JSON.

    CORPUS is a name that `commonground info` prints. PATHS are folders, files or zip archives.

    Nothing is written to disk. Exits with 1 where a file differs.

    \b
    Example:
      commonground roundtrip photobook logs
    """
    from commonground.corpora import get_corpus
    from commonground.files.roundtrip import roundtrip_document
    from commonground.store.identify import identify_documents

    identified = identify_documents(get_corpus(corpus), paths)
    results = []
    with progress_bar(f"reading {corpus}") as progress:
        for document, fmt in identified.known:
            results.append(roundtrip_document(document, fmt))
            progress(len(results), len(identified.known))
    differing = [result for result in results if result.difference is not None]
    records = sum(result.records for result in results)
    found = {
        "documents": len(results),
        "records": records,
        "left_alone": [document.name for document in identified.left_alone],
        "differing": differing,
    }
    rows = [(each.document, each.difference or "") for each in differing]
    if not print_data(form, found, ("file", "first_difference"), rows):
        equal = len(results) - len(differing)
        print_rich(
            f"{equal:,} of {count_of(len(results), 'file')} equal, {count_of(records, 'record')}."
        )
        if differing:
            print_table(("file", "first difference"), rows[:20])
    if differing or identified.findings:
        raise click.exceptions.Exit(1)
