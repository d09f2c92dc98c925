"""What every corpus folder must offer, whoever wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from commonground.corpora import Entry
from commonground.explorer.terminal import render_transcript
from commonground.files.dividing import decode_raw, divide_document
from commonground.files.faults import GENERIC_RULES
from commonground.files.jsonschema import render_schema
from commonground.files.roundtrip import roundtrip_document
from commonground.model import Dialogue
from commonground.play.simulating import simulate_corpus
from commonground.rows import Rows
from commonground.store.identify import identify_documents
from commonground.store.layout.integrity import verify_import
from tests.contract.conftest import DIALOGUES, NAMES, Simulate, Simulated


def test_the_manifest_is_complete(entry: Entry) -> None:
    about = entry.manifest
    assert re.fullmatch(r"[a-z][a-z0-9]*", about.name)
    assert re.fullmatch(r"[A-Z][A-Z0-9]*", about.code)
    assert about.summary.endswith(".")
    assert "@" in about.citation
    assert all(count > 0 for count in about.counts.values())
    assert about.sources or about.manual
    assert all(re.fullmatch(r"[0-9a-f]{64}", s.sha256) for s in about.sources if s.sha256)


def test_the_card_is_there(entry: Entry) -> None:
    card = entry.card()
    assert card.startswith("# ")
    assert len(card.split()) > 150


def test_formats_are_declared_whole(entry: Entry) -> None:
    formats = entry.formats()
    assert len({fmt.name for fmt in formats}) == len(formats)
    assert any(fmt.role == "main" for fmt in formats)
    for fmt in formats:
        re.compile(fmt.pattern)
        assert (fmt.layout == "text") == (fmt.parse_text is not None)
        assert (fmt.layout == "text") == (fmt.render_text is not None)
        assert (fmt.layout == "rows") == (fmt.gather_rows is not None)
        assert (fmt.layout == "rows") == (fmt.render_rows is not None)
        assert (fmt.layout == "envelope") == (fmt.items is not None)


def _parts(info: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    yield info
    match info:
        case msgspec.inspect.UnionType(types=types) | msgspec.inspect.TupleType(item_types=types):
            for each in types:
                yield from _parts(each)
        case msgspec.inspect.ListType(item_type=item) | msgspec.inspect.DictType(value_type=item):
            yield from _parts(item)
        case msgspec.inspect.StructType(fields=fields):
            for field in fields:
                yield from _parts(field.type)


def test_records_hold_nothing_that_was_not_read(entry: Entry) -> None:
    """Keys that repeat are found by what is gone when a record is written again."""
    formats = [fmt for fmt in entry.formats() if fmt.is_json]
    types = [each for fmt in formats for each in (fmt.record, fmt.envelope) if each]
    for info in chain.from_iterable(_parts(msgspec.inspect.type_info(of)) for of in types):
        assert not isinstance(info, msgspec.inspect.RawType)
        if isinstance(info, msgspec.inspect.StructType):
            # A field that may be absent has UNSET as its default, which msgspec does not count.
            given = [(f.default, f.default_factory) for f in info.fields]
            assert all(each == (msgspec.NODEFAULT, msgspec.NODEFAULT) for each in given), info.cls


def test_rules_have_codes_of_their_corpus_and_say_what_to_do(entry: Entry) -> None:
    generic = {rule.code for rule in GENERIC_RULES}
    for rule in entry.rules():
        assert re.fullmatch(rf"CG-{entry.manifest.code}-\d\d\d", rule.code)
        assert rule.code not in generic
        assert rule.check is not None
        assert rule.title.endswith(".")
        assert min(len(rule.why), len(rule.advice)) > 10
        assert rule.format in entry.manifest.formats


def test_simulated_files_are_all_known_and_round_trip(simulated: Simulated) -> None:
    identified = identify_documents(simulated.entry, [simulated.files])
    strangers = [d.name for d in identified.left_alone if "images/" not in d.name]
    assert not strangers
    for document, fmt in identified.known:
        assert roundtrip_document(document, fmt).difference is None, document.name


def _contents(folder: Path) -> dict[Path, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def test_the_seed_decides_every_byte(simulated: Simulated, tmp_path: Path) -> None:
    simulate_corpus(simulated.entry, tmp_path / "same", dialogues=DIALOGUES, seed=3)
    simulate_corpus(simulated.entry, tmp_path / "other", dialogues=DIALOGUES, seed=4)
    assert _contents(tmp_path / "same") == _contents(simulated.files)
    assert _contents(tmp_path / "other") != _contents(simulated.files)


def test_simulated_data_is_clean(simulated: Simulated) -> None:
    severities = {rule.code: rule.severity for rule in simulated.entry.rules()}
    severities.update({rule.code: rule.severity for rule in GENERIC_RULES})
    bad = {
        code: count
        for code, count in simulated.manifest.findings.items()
        if severities[code] != "note"
    }
    assert not bad


def test_simulated_files_fit_their_json_schema(simulated: Simulated) -> None:
    identified = identify_documents(simulated.entry, [simulated.files])
    for document, fmt in identified.known:
        if not fmt.is_json:
            continue
        schema = render_schema(simulated.entry.name, fmt)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(json.loads(document.read()))


def test_each_dialogue_has_its_native_record(simulated: Simulated) -> None:
    corpus = simulated.corpus
    kept = set(corpus.table("native")["dialogue_id"].to_pylist())
    assert set(corpus.ids()) <= kept


def test_everything_native_is_in_the_native_table(simulated: Simulated) -> None:
    identified = identify_documents(simulated.entry, [simulated.files])
    rows = simulated.corpus.table("native").select(["source_file", "source_path", "json"])
    kept = {(r["source_file"], r["source_path"]): r["json"] for r in rows.to_pylist()}
    for document, fmt in identified.known:
        for raw in divide_document(document.name, document.read(), fmt).records:
            assert kept[document.name, raw.path].encode() == raw.data


def _sorted(rows: list[Any]) -> list[bytes]:
    return sorted(msgspec.json.encode(row) for row in rows)


def test_the_store_gives_back_what_was_converted(simulated: Simulated) -> None:
    """Converts each record anew and compares it with what the tables give."""
    entry = simulated.entry
    corpus = simulated.corpus
    from commonground.files.reading import Main, Options, Where
    from commonground.store.importing.planning import read_sides

    identified = identify_documents(entry, [simulated.files])
    mains = [Main(d, f) for d, f in identified.known if f.role == "main"]
    options = Options(entry.name, simulated.manifest.images)
    context = entry.converter().prepare(read_sides(identified), mains, options)
    for main in mains[:3]:
        document, fmt = main.document, main.format
        for raw in divide_document(document.name, document.read(), fmt).records[:4]:
            if raw.is_envelope:
                continue
            record = decode_raw(document.name, raw, fmt).record
            where = Where(document.name, raw.path, fmt.name, raw.split, raw.key)
            made = entry.converter().convert(record, where, context)
            stored = corpus.dialogue(made.dialogue_id)
            assert _plain(made) == _plain(stored)


def _plain(dialogue: Dialogue) -> dict[str, Any]:
    parts: dict[str, Any] = {
        name: _sorted(getattr(dialogue, name))
        for name in dialogue.__struct_fields__
        if name not in ("events", "objects") and isinstance(getattr(dialogue, name), list | Rows)
    }
    parts["events"] = [(event.kind, msgspec.to_builtins(event)) for event in dialogue.events]
    parts["head"] = (dialogue.dialogue_id, dialogue.split, dialogue.domain, dialogue.started_at)
    parts["attributes"] = msgspec.json.encode(dialogue.attributes, order="sorted")
    return parts


def test_rows_point_at_what_is_there(simulated: Simulated) -> None:
    corpus = simulated.corpus
    assert list(verify_import(simulated.store, corpus.manifest)) == []
    objects = {None, *corpus.table("objects")["object_id"].to_pylist()}
    for dialogue in corpus.dialogues():
        for name in ("groundings", "displays", "candidates"):
            assert {row.object_id for row in getattr(dialogue, name)} <= objects
        for span in dialogue.spans:
            text = dialogue.events[span.event].text
            assert text is not None
            assert text[span.start_char : span.end_char] == span.text


def test_every_dialogue_has_a_transcript(simulated: Simulated) -> None:
    for dialogue in simulated.corpus.dialogues():
        lines = [line.plain for line in render_transcript("x", dialogue, annotations=True)]
        for event in dialogue.utterances():
            # Later lines of a message are set below the first.
            for part in event.text.split("\n"):
                assert any(part in line for line in lines)


def test_every_column_is_filled_by_some_corpus(simulate: Simulate) -> None:
    from commonground.schema import TABLES

    filled: set[tuple[str, str]] = set()
    for name in NAMES:
        corpus = simulate(name).corpus
        for table in TABLES:
            rows = corpus.table(table.name)
            filled |= {
                (table.name, column.name)
                for column in table.columns
                if rows[column.name].null_count < rows.num_rows
            }
    empty = {(t.name, c.name) for t in TABLES for c in t.columns} - filled
    # Clean data gives no finding that concerns one event.
    assert empty <= {("findings", column.name) for column in TABLES[-1].columns}
