"""Corpora whose every text tries to be something else, and a reader that finds out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.corpora import Entry
from commonground.findings import Finding
from commonground.play.simulating import simulate_corpus
from commonground.schema import SCHEMA_VERSION, hash_columns
from commonground.store.arrow import pq
from commonground.store.importing import import_corpus
from commonground.store.layout.manifest import PartFile, StoreManifest, save_manifest
from commonground.store.opening import open_store
from commonground.store.tables.columns import (
    NativeRow,
    PlacedDialogue,
    build_rows,
    build_tables,
)
from commonground.store.tables.writing import part_name, settle_part

PAYLOAD = (
    "<script id=evil>alert(1)</script>\"'><img id=evil src=x onerror=alert(1)>"
    "</style></title></textarea><svg id=evil onload=alert(1)><a id=evil href=javascript:alert(1)>"
    "{{ 7*7 }}{% raw %}\u202e\u2066&lt;b&gt;\x00]]><!--"
)
LINK = "javascript:alert(1)//<i id=evil>"
MARK = "alert(1)"
UNBROKEN = "w" * 5_000
"""A payload without a blank, at which a page could grow wide."""
Spoil = Callable[..., Any]


def spoil(value: Any, name: str = "", *, payload: str = PAYLOAD) -> Any:
    """Adds the payload to every text in a value; equal texts stay equal.

    Keys are part of a format, so they stay; released facts get one more key.

    Args:
        value: text, or what holds texts.
        name: of the field that holds the value; empty where none does.
        payload: the text to add.
    """
    again = partial(spoil, payload=payload)
    if isinstance(value, str):
        return LINK if name == "uri" else value + payload
    if isinstance(value, list | tuple):
        return [again(each) for each in value]
    if isinstance(value, dict):
        more = {again("key"): again("value")} if name == "attributes" else {}
        return {key: again(each) for key, each in value.items()} | more
    if isinstance(value, msgspec.Struct):
        keep = {"kind", "role"} if not hasattr(value, "object_id") else set()
        changed = {
            field: again(getattr(value, field), field)
            for field in value.__struct_fields__
            if field not in keep
        }
        return msgspec.structs.replace(value, **changed)
    return value


def write_hostile_store(
    entry: Entry,
    work: Path,
    dialogues: int = 3,
    *,
    payload: str = PAYLOAD,
    store: Path | None = None,
) -> Path:
    """Simulates a corpus, spoils every text of it, and writes a store of the result.

    Args:
        entry: the corpus.
        work: an empty folder.
        dialogues: how many the store holds.
        payload: what every text gets.
        store: folder of the store, which may have other corpora; None for one in ``work``.
    """
    spoiling = partial(spoil, payload=payload)
    files = work / "files"
    simulate_corpus(entry, files, dialogues=dialogues + 3, seed=2)
    import_corpus(entry, [files], store=work / "clean", jobs=1)
    corpus = open_store(work / "clean").corpus(entry.name)
    placed = [
        PlacedDialogue(spoiling(each), spoiling("file.json"), spoiling("$"))
        for each in islice(corpus.dialogues(), dialogues)
    ]
    tables = build_tables(entry.name, placed)
    tables["objects"] = build_rows("objects", entry.name, list(_objects(placed)))
    found = list(_findings(entry, placed, spoiling))
    tables["findings"] = build_rows("findings", entry.name, found)
    tables["native"] = build_rows("native", entry.name, list(_native(placed, spoiling)))
    store = store or work / "hostile"
    data = store / entry.name / "data-0"
    data.mkdir(parents=True)
    for name, table in tables.items():
        pq.write_table(table, data / part_name(name, 0))
    parts = [settle_part(data / part_name(name, 0), len(tables[name])) for name in sorted(tables)]
    save_manifest(store, _manifest(entry, parts, spoiling))
    return store


def _objects(placed: list[PlacedDialogue]) -> Iterator[Any]:
    seen = set()
    for each in placed:
        for shown in each.dialogue.objects:
            if shown.object_id not in seen:
                seen.add(shown.object_id)
                yield shown


def _findings(entry: Entry, placed: list[PlacedDialogue], spoil: Spoil) -> Iterator[Finding]:
    for code in (f"CG-{entry.manifest.code}-999", spoil("CG-EVIL")):
        for each in placed:
            yield Finding(
                code=code,
                severity="warning",
                message=spoil("message"),
                source_file=spoil("file"),
                source_path=spoil("$"),
                dialogue_id=each.dialogue.dialogue_id,
                event=0,
                expected=spoil("expected"),
                found=spoil("found"),
            )


def _native(placed: list[PlacedDialogue], spoil: Spoil) -> Iterator[NativeRow]:
    for each in placed:
        text = msgspec.json.encode({spoil("key"): spoil("value")})
        yield NativeRow(each.dialogue.dialogue_id, spoil("format"), spoil("f"), spoil("$"), text)


def _manifest(entry: Entry, parts: list[PartFile], spoil: Spoil) -> StoreManifest:
    return StoreManifest(
        schema_version=SCHEMA_VERSION,
        commonground=__version__,
        corpus=entry.name,
        data="data-0",
        imported_at=datetime(2020, 1, 1, tzinfo=UTC),
        images=None,
        checked=True,
        sources=[],
        parts=parts,
        counts={part.table: part.rows for part in parts},
        splits={spoil("train"): 3},
        findings={spoil("CG-EVIL"): 3},
        columns=hash_columns(),
    )


class Inspector(HTMLParser):
    """Reads a page as a browser would, and lists what should not be there.

    Attributes:
        faults: elements and attributes that came of data.
        text: all text of the page.
    """

    def __init__(self, text: str, scripts: frozenset[str] = frozenset()) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.text = ""
        self._scripts = scripts
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if values.get("id") == "evil":
            self.faults.append(f"<{tag} id=evil>")
        if tag in ("iframe", "object", "embed", "base", "style"):
            self.faults.append(f"<{tag}>")
        if tag == "script" and "/static/" not in f"/{values.get('src', '')}":
            self.faults.append(f"<script {values}>")
        self.faults += [f"{tag} {name}" for name in values if name.startswith("on")]
        self.faults += [f"{tag} style" for name in values if name == "style"]
        for name in ("href", "src", "action", "xlink:href"):
            if values.get(name, "").strip().lower().startswith(("javascript:", "data:text", "//")):
                self.faults.append(f"{tag} {name}={values[name]}")

    def handle_data(self, data: str) -> None:
        self.text += data
