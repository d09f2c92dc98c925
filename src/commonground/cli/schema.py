"""``commonground schema``: prints the JSON Schemas of released formats."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import print_json
from commonground.errors import unknown_name
from commonground.printing import count_of


@click.command(hidden=True)
@click.argument("corpus")
@click.argument("format_name", metavar="[FORMAT]", required=False)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write all of them to.")
def command(corpus: str, format_name: str | None, out: Path | None) -> None:
    """Print the JSON Schema of one file format, or write those of a corpus to a folder.

    CORPUS is a name that `commonground info` prints, FORMAT one of the names that `commonground
    info CORPUS` prints.

    \b
    Example:
      commonground schema photobook log
      commonground schema simmc --out schemas
    """
    import msgspec

    from commonground.corpora import get_corpus
    from commonground.files.jsonschema import render_schema
    from commonground.files.outputs import new_files

    formats = {fmt.name: fmt for fmt in get_corpus(corpus).formats()}
    if format_name is not None and format_name not in formats:
        raise unknown_name("format", format_name, formats, f"of {corpus}")
    schemas = {
        name: render_schema(corpus, fmt)
        for name, fmt in formats.items()
        if format_name in (None, name)
    }
    if out is None:
        print_json(schemas[format_name] if format_name else schemas)
        return
    with new_files(out) as staged:
        for name, schema in schemas.items():
            data = msgspec.json.format(msgspec.json.encode(schema), indent=2)
            (staged / f"{corpus}.{name}.schema.json").write_bytes(data + b"\n")
    click.echo(f"{count_of(len(schemas), 'schema')} in {out}")
