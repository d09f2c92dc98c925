"""Parquet files with a Croissant description, a folder per corpus."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commonground import __version__
from commonground.exports.files import write_json
from commonground.exports.format import Export
from commonground.exports.formats import parquet
from commonground.exports.formats.hf.export import LICENCE_URLS
from commonground.exports.loss import Carried, Loss, carry_all
from commonground.exports.selection import Selection
from commonground.printing import count_of
from commonground.schema import TABLES, Column, Table, quote_sql

NAME = "croissant.json"

_KEYS = {
    "dialogues": ("dialogue_id",),
    "speakers": ("dialogue_id", "speaker"),
    "events": ("dialogue_id", "event"),
    "objects": ("object_id",),
}

_TYPES = {
    "text": "sc:Text",
    "json": "sc:Text",
    "int": "cr:Int32",
    "float": "cr:Float64",
    "bool": "sc:Boolean",
    "timestamp": "sc:DateTime",
}

_WORDS = (
    "arrayShape",
    "citeAs",
    "column",
    "containedIn",
    "equivalentProperty",
    "extract",
    "field",
    "fileObject",
    "fileProperty",
    "fileSet",
    "format",
    "includes",
    "isArray",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "separator",
    "source",
    "subField",
    "transform",
)

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "conformsTo": "dct:conformsTo",
    "name": {"@container": "@language"},
    "description": {"@container": "@language"},
    **{word: {"@id": f"cr:{word}", "@type": "@json"} for word in ("data", "examples")},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{word: f"cr:{word}" for word in _WORDS},
}
"""The words of Croissant 1.1 and where they are from."""

# What TeX writes before a letter, as the combining character that follows it in Unicode.
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}


def write(selection: Selection, out: Path) -> Loss:
    """Writes the Parquet files of :mod:`.parquet` and a ``croissant.json`` beside them."""
    loss = parquet.write(selection, out)
    for corpus in selection.corpora:
        write_json(out / corpus / NAME, describe_corpus(selection, corpus, out / corpus))
    return loss


def describe_corpus(selection: Selection, corpus: str, folder: Path) -> dict[str, Any]:
    """Returns the JSON-LD of the Parquet files that are in a folder."""
    manifest = selection.manifests[corpus]
    tables = [table for table in TABLES if (folder / f"{table.name}.parquet").exists()]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": re.sub(r"[^\w-]", "-", corpus),
        "alternateName": manifest.title,
        "description": f"{manifest.title}. {manifest.summary}",
        "version": _version(selection, corpus),
        **({"url": manifest.homepage} if manifest.homepage else {}),
        "license": LICENCE_URLS.get(manifest.licence, manifest.licence),
        "usageInfo": {"@type": "CreativeWork", "name": "Terms of use", "text": manifest.terms},
        "citeAs": manifest.citation.strip(),
        **_creators(manifest.citation, manifest.homepage),
        **_published(manifest.citation),
        "inLanguage": "en",
        "keywords": ["dialogue", "conversation", "grounding", manifest.unit, corpus],
        "isLiveDataset": False,
        "sdPublisher": {"@type": "Organization", "name": f"commonground {__version__}"},
        **({"prov:wasDerivedFrom": {"@id": manifest.homepage}} if manifest.homepage else {}),
        **_responsible(selection, corpus),
        "distribution": [_file(folder / f"{table.name}.parquet") for table in tables],
        "recordSet": [_records(table) for table in tables],
    }


def describe_repository(selection: Selection, folder: Path, licence: str) -> dict[str, Any]:
    """Returns the JSON-LD of a folder that the export for Hugging Face wrote.

    A record set is a table over all corpora and splits: of several files, so a set of files.
    The licence is that of the whole.
    """
    described = [describe_corpus(selection, name, folder) for name in selection.corpora]
    whole = dict(described[0])
    if len(described) > 1:
        whole |= {
            "name": "-".join(each["name"] for each in described),
            "alternateName": ", ".join(each["alternateName"] for each in described),
            "description": " ".join(each["description"] for each in described),
            "citeAs": "\n\n".join(each["citeAs"] for each in described),
            "prov:wasDerivedFrom": [
                each["prov:wasDerivedFrom"] for each in described if "prov:wasDerivedFrom" in each
            ],
        }
        for word in ("rai:dataPreprocessingProtocol", "rai:dataLimitations"):
            whole[word] = list(dict.fromkeys(text for each in described for text in each[word]))
        raw = [each["rai:dataCollectionRawData"] for each in described]
        whole["rai:dataCollectionRawData"] = " ".join(raw)
    flat = [t for t in TABLES if t.name != "dialogues" and (folder / "data" / t.name).exists()]
    terms = "\n".join(each.terms for each in selection.manifests.values())
    return whole | {
        "license": LICENCE_URLS.get(licence, licence),
        "usageInfo": {"@type": "CreativeWork", "name": "Terms of use", "text": terms},
        "distribution": [each for table in flat for each in _list_files(table, folder)],
        "recordSet": [_records_of_set(table) for table in flat],
    }


def _list_files(table: Table, folder: Path) -> Iterator[dict[str, Any]]:
    paths = sorted((folder / "data" / table.name).glob("*.parquet"))
    names = [path.relative_to(folder).as_posix() for path in paths]
    for path, name in zip(paths, names, strict=True):
        yield _file(path) | {"@id": name, "name": name, "contentUrl": name}
    yield {
        "@type": "cr:FileSet",
        "@id": f"{table.name}-files",
        "name": f"{table.name}-files",
        "encodingFormat": "application/x-parquet",
        "includes": f"data/{table.name}/*.parquet",
    }


def _records_of_set(table: Table) -> dict[str, Any]:
    found = _records(table)
    for field in found["field"]:
        field["source"] = {
            "fileSet": {"@id": f"{table.name}-files"},
            "extract": field["source"]["extract"],
        }
    return found


def _version(selection: Selection, corpus: str) -> str:
    """Returns a semantic version: ours, which made the tables, and the released files as build.

    Authors give their files no such version; the same files read by the same version are the same
    tables.
    """
    sources = selection.store.sources(corpus)
    # Sorted, since the order of files says nothing: the same files are the same version.
    found = sorted(each.sha256 for each in sources if each.format and each.sha256)
    build = hashlib.sha256("\n".join(found).encode()).hexdigest()[:12]
    return f"{__version__}+{build}"


def _creators(citation: str, homepage: str) -> dict[str, Any]:
    """Returns the authors as the citation names them; else the homepage, where there is one."""
    # BibTeX as our manifests have it, a field a line; names are "Last, First", joined by "and".
    found = re.search(r"author\s*=\s*[{\"](.+?)[}\"],?\s*\n", citation, re.DOTALL)
    if found is None:
        by = {"@type": "Organization", "name": homepage, "url": homepage}
        return {"creator": by} if homepage else {}
    names = [plain_text(each).partition(",") for each in re.split(r"\s+and\s+", found[1])]
    # A name without a comma is a single one, and stands in n[0] alone.
    people = [{"@type": "Person", "name": f"{n[2]} {n[0]}".strip()} for n in names]
    return {"creator": people}


def plain_text(tex: str) -> str:
    r"""Returns a name without the braces and accents of TeX: ``G{\"o}del`` is ``Gödel``."""
    accented = re.sub(
        r"\\([\"'`^~])\{?([A-Za-z])\}?", lambda found: found[2] + _ACCENTS[found[1]], tex
    )
    # NFC makes one character of a letter and the accent after it.
    return " ".join(unicodedata.normalize("NFC", re.sub(r"[{}]", "", accented)).split())


def _published(citation: str) -> dict[str, str]:
    """Returns the year that the citation gives."""
    # BibTeX has year = {2019}, year = "2019" or year = 2019.
    found = re.search(r"year\s*=\s*[{\"]?(\d{4})", citation)
    return {} if found is None else {"datePublished": found[1]}


def _responsible(selection: Selection, corpus: str) -> dict[str, Any]:
    """Returns what is known for the fields of the RAI vocabulary; the rest is left out."""
    manifest = selection.manifests[corpus]
    sources = selection.store.sources(corpus)
    files = [f"{each.name} (sha256 {each.sha256})" for each in sources if each.format]
    # PhotoBook is 2,503 files, a game each.
    shown = "; ".join(files[:20]) + ("; ..." if len(files) > 20 else "")
    known: dict[str, Any] = {
        "rai:dataCollectionRawData": f"{len(files)} released files: {shown}",
        "rai:dataPreprocessingProtocol": [
            f"Read by commonground {__version__} into flat tables; released texts and values are "
            "kept as they are, and the table `native` holds the released records byte for byte.",
            f"Splits: {manifest.splits_from}.",
        ],
        "rai:dataLimitations": list(_limitations(selection, corpus)),
    }
    query = (
        f"SELECT min(started_at), max(started_at) FROM {selection.source('dialogues')} "
        f"WHERE corpus = {quote_sql(corpus)}"
    )
    first, last = selection.rows(query)[0]
    if first is not None:
        known["rai:dataCollectionTimeFrame"] = [first.isoformat(), last.isoformat()]
    return known


def _limitations(selection: Selection, corpus: str) -> Iterator[str]:
    query = (
        f"SELECT severity, count(*) FROM {selection.source('findings')} "
        f"WHERE corpus = {quote_sql(corpus)} GROUP BY 1 ORDER BY 1"
    )
    counts = ", ".join(f"{count:,} of severity {name}" for name, count in selection.rows(query))
    if not selection.store.manifests[corpus].checked:
        yield "The rules were not run over the released data."
    elif counts:
        yield f"Findings in the released data, in the record set `findings`: {counts}."
    else:
        yield "Nothing was found wrong in the released data."
    if not selection.is_whole:
        yield f"A part: {count_of(len(selection.ids(corpus)), 'dialogue')} chosen from the corpus."


def _file(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": digest,
    }


def _records(table: Table) -> dict[str, Any]:
    found = {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": f"A record is {table.row}.",
        "field": [_field(table, column) for column in table.columns],
    }
    if table.name in _KEYS:
        found["key"] = [{"@id": f"{table.name}/{name}"} for name in _KEYS[table.name]]
    return found


def _field(table: Table, column: Column) -> dict[str, Any]:
    null = f" Null: {column.null}" if column.null else ""
    json = " JSON text." if column.type == "json" else ""
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": f"{column.doc}{json}{null}",
        "dataType": _TYPES[column.type],
        "source": {
            "fileObject": {"@id": f"{table.name}.parquet"},
            "extract": {"column": column.name},
        },
    }


EXPORT = Export(
    name="croissant",
    title="Parquet with a Croissant description",
    summary="A folder per corpus with a Parquet file per table and `croissant.json`: JSON-LD of "
    "Croissant 1.1 that `mlcroissant validate` accepts, with the size and sha256 of every file, a "
    "record set with typed fields per table, a version (ours, which made the tables, and a digest "
    "of the released files), licence, terms of use, citation, and what is known for responsible "
    "use (RAI): released files, preprocessing, time of collection, findings. "
    '`mlcroissant.Dataset("OUT/frames/croissant.json").records("events")` reads it.',
    carries=Carried(columns=carry_all()),
    write=write,
    example="croissant OUT --corpus frames",
)
