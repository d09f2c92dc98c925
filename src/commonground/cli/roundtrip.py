"""``commonground roundtrip``: compares files with what is written of them again."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import (
    form_options,
    new_table,
    print_csv,
    print_json,
    print_rich,
    progress_bar,
)
from commonground.printing import count_of


@click.command(hidden=True)
@click.argument("corpus")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@form_options
def command(corpus: str, paths: tuple[Path, ...], as_json: bool, as_csv: bool) -> None:
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
    if as_json:
        found = {
            "documents": len(results),
            "records": records,
            "left_alone": [document.name for document in identified.left_alone],
            "differing": differing,
        }
        print_json(found)
    elif as_csv:
        rows = ((each.document, each.difference) for each in differing)
        print_csv(("file", "first_difference"), rows)
    else:
        equal = len(results) - len(differing)
        print_rich(
            f"{equal:,} of {count_of(len(results), 'file')} equal, {count_of(records, 'record')}."
        )
        if differing:
            table = new_table("file", "first difference")
            for result in differing[:20]:
                table.add_row(result.document, result.difference or "")
            print_rich(table)
    if differing or identified.findings:
        raise click.exceptions.Exit(1)
