from __future__ import annotations

import errno
import json
import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.thorough import a_few, thorough

import commonground as cg
import commonground.schema as schema
import commonground.store.importing as importing
import commonground.store.layout.generations as generations
from commonground.corpora import Entry, get_corpus
from commonground.errors import FormatError, SourceError, StoreError
from commonground.files.reading import Where
from commonground.model import Dialogue
from commonground.schema import SCHEMA_VERSION, Column
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.layout.manifest import load_manifest

ImportToy = Callable[..., ImportSummary]
OpenToy = Callable[[], Corpus]
WriteTalks = Callable[..., Path]
OF_NOW = f'"schema_version": {SCHEMA_VERSION}'


def test_an_import_fills_the_tables(
    write_talks: WriteTalks, import_toy: ImportToy, open_toy: OpenToy
) -> None:
    summary = import_toy(write_talks({"a": ["hello", "you"], "b": ["hm"]}))
    assert summary.manifest.counts == {"dialogues": 2, "speakers": 2, "events": 3, "native": 2}
    assert open_toy().table("events").select(["dialogue_id", "event", "text"]).to_pylist() == [
        {"dialogue_id": "a", "event": 0, "text": "hello"},
        {"dialogue_id": "a", "event": 1, "text": "you"},
        {"dialogue_id": "b", "event": 0, "text": "hm"},
    ]


def test_native_records_are_kept_byte_for_byte(
    tmp_path: Path, import_toy: ImportToy, open_toy: OpenToy
) -> None:
    record = '{ "talk_id":"a",\n "lines" : [{"who":"ann","says":"h\\u00e9"}] }'
    path = tmp_path / "talks.json"
    path.write_text('{"train":[' + record + "]}", encoding="utf-8")
    import_toy(path)
    assert open_toy().native("a") == [record]


def test_the_same_files_again_are_a_no_op(write_talks: WriteTalks, import_toy: ImportToy) -> None:
    path = write_talks({"a": ["hello"]})
    first = import_toy(path)
    again = import_toy(path)
    assert (first.unchanged, again.unchanged) == (False, True)
    assert again.manifest.data == first.manifest.data
    path.write_text(path.read_text().replace("hello", "hullo"), encoding="utf-8")
    assert not import_toy(path).unchanged


def test_one_bad_file_costs_that_file_alone(
    write_talks: WriteTalks, import_toy: ImportToy, tmp_path: Path
) -> None:
    good = write_talks({"a": ["hello"]}, "talks1.json")
    bad = tmp_path / "talks2.json"
    bad.write_text('{"train": [{"talk_id": "b", "lines"', encoding="utf-8")
    summary = import_toy(good, bad)
    assert summary.manifest.counts["dialogues"] == 1
    assert summary.manifest.findings == {"CG-JSON-001": 1}
    assert summary.errors == 1


def test_an_unreadable_file_costs_that_file_alone(
    write_talks: WriteTalks, import_toy: ImportToy, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = write_talks({"a": ["x"]}, "talks1.json"), write_talks({"b": ["x"]}, "talks2.json")
    real = os.open

    def refuse(path: str, flags: int, *more: int) -> int:
        if str(path) == str(bad):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    summary = import_toy(good, bad)
    assert summary.manifest.counts["dialogues"] == 1
    assert summary.manifest.findings == {"CG-SOURCE-001": 1}


def test_duplicate_ids_are_kept_apart_and_told(
    write_talks: WriteTalks, import_toy: ImportToy, open_toy: OpenToy
) -> None:
    files = [write_talks({"a": [str(i)]}, f"talks{i}.json") for i in range(3)]
    summary = import_toy(*files, jobs=2)
    assert summary.manifest.findings == {"CG-DATA-001": 2}
    assert sorted(open_toy().ids()) == ["a", "a~2", "a~3"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_contradicts_itself_is_kept_as_native(
    tmp_path: Path, import_toy: ImportToy, open_toy: OpenToy, jobs: int
) -> None:
    lines = [
        [{"who": "", "says": "x"}],
        [{"who": "a", "says": "crash"}],
        [{"who": "a", "says": ""}],
    ]
    talks = [{"talk_id": str(i), "lines": each} for i, each in enumerate(lines)]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps({"test": talks}), encoding="utf-8")
    summary = import_toy(path, jobs=jobs)
    assert summary.manifest.findings == {"CG-DATA-002": 1, "CG-DATA-005": 1, "CG-TOY-001": 1}
    assert summary.manifest.counts["native"] == 3
    rows = (
        open_toy().table("findings").select(["code", "source_path", "found", "event"]).to_pylist()
    )
    assert rows[0] == {
        "code": "CG-DATA-002",
        "source_path": "$.test[0].lines[0].who",
        "found": "''",
        "event": None,
    }
    assert rows[2]["event"] == 0


def test_what_fits_no_column_costs_that_record_alone(
    tmp_path: Path, toy: Entry, open_toy: OpenToy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number of 40 digits is whole in JSON, and in no column."""
    convert = toy.converter().convert

    def huge(record: Any, where: Where, context: Any) -> Dialogue:
        dialogue = convert(record, where, context)
        if dialogue.dialogue_id == "b":
            dialogue.events[0].turn = 10**40
        return dialogue

    monkeypatch.setattr(toy.module("convert"), "convert", huge)
    talks = [{"talk_id": key, "lines": [{"who": "ann", "says": "x"}]} for key in "abc"]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps({"test": talks}), encoding="utf-8")
    summary = import_corpus(toy, [path], store=tmp_path / "store")
    assert summary.manifest.findings == {"CG-DATA-002": 1}
    assert summary.manifest.splits == {"test": 2}
    assert open_toy().ids() == ["a", "c"]
    assert len(open_toy().native("b")) == 1


def test_nothing_readable_leaves_the_store_untouched(
    write_talks: WriteTalks, import_toy: ImportToy, open_toy: OpenToy, tmp_path: Path
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    bad = tmp_path / "talks9.json"
    bad.write_text('{"train": [{"talk": 1}]}', encoding="utf-8")
    with pytest.raises(FormatError, match=r"No dialogue of toy .* talks9\.json \$\.train\[0\]"):
        import_toy(bad)
    assert open_toy().ids() == ["a"]


def test_the_wrong_corpus_is_named(write_talks: WriteTalks, toy: Entry, tmp_path: Path) -> None:
    from commonground.corpora import get_corpus

    with pytest.raises(FormatError, match="looks like toy"):
        import_corpus(
            get_corpus("photobook"), [write_talks({"a": ["x"]})], store=tmp_path / "store"
        )


def test_a_file_of_another_name_is_known_by_its_fields(
    write_talks: WriteTalks, import_toy: ImportToy
) -> None:
    assert import_toy(write_talks({"a": ["x"]}, "renamed.json")).manifest.counts["dialogues"] == 1


def test_files_of_no_format_are_listed(
    write_talks: WriteTalks, import_toy: ImportToy, tmp_path: Path
) -> None:
    note = tmp_path / "README.md"
    note.write_text("hello")
    summary = import_toy(write_talks({"a": ["x"]}), note)
    assert summary.left_alone == ["README.md"]
    assert [s.name for s in summary.manifest.sources] == ["README.md", "talks.json"]


def test_a_full_disk_leaves_the_store_untouched(
    write_talks: WriteTalks,
    import_toy: ImportToy,
    open_toy: OpenToy,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    import_toy(write_talks({"a": ["hello"]}))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(importing, "run_shards", full)
    with pytest.raises(StoreError, match=r"No space left on device.*Free some space"):
        import_toy(write_talks({"b": ["hello"]}))
    assert open_toy().ids() == ["a"]
    assert len(list((tmp_path / "store/toy").glob("data-*"))) == 1


def test_two_imports_at_once_are_refused(
    write_talks: WriteTalks, import_toy: ImportToy, tmp_path: Path
) -> None:
    path = write_talks({"a": ["x"]})
    with (
        generations.lock_corpus(tmp_path / "store", "toy"),
        pytest.raises(StoreError, match="under way"),
    ):
        import_toy(path)


def test_an_image_folder_must_be_one(write_talks: WriteTalks, import_toy: ImportToy) -> None:
    with pytest.raises(SourceError, match="is not a folder"):
        import_toy(write_talks({"a": ["x"]}), images=Path("nowhere"))


SLOW_IMPORT = """
import sys, time
from pathlib import Path
import commonground.corpora as corpora
corpora.__path__.append(sys.argv[1])
from commonground.corpora import get_corpus
from commonground.store import importing
from commonground.store.layout import manifest
def slow(function):
    def run(*args, **options):
        print("ready", flush=True)
        time.sleep(float(sys.argv[4]))
        result = function(*args, **options)
        return result
    return run
setattr(importing, sys.argv[5], slow(getattr(importing, sys.argv[5])))
toy, store = get_corpus("toy"), Path(sys.argv[3])
importing.import_corpus(toy, [sys.argv[2]], store=store, jobs=1, replace=True)
"""


@pytest.mark.parametrize("moment", a_few(["run_shards", "sum_up", "put_in_force"], ["sum_up"]))
def test_a_killed_import_leaves_the_old_one(
    write_talks: WriteTalks,
    import_toy: ImportToy,
    open_toy: OpenToy,
    tmp_path: Path,
    moment: str,
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    new = write_talks({"b": ["hello"]})
    toy_folder = str(Path(__file__).parents[2] / "corpora")
    arguments = [toy_folder, str(new), str(tmp_path / "store"), "60", moment]
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_IMPORT, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert open_toy().ids() == ["a"]
    import_toy(new)
    assert open_toy().ids() == ["b"]
    assert len(list((tmp_path / "store/toy").glob("data-*"))) == 1


@thorough
def test_a_kill_at_any_moment_leaves_a_whole_import(
    write_talks: WriteTalks, import_toy: ImportToy, open_toy: OpenToy, tmp_path: Path
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    new = write_talks({f"b{i}": ["hello"] * 20 for i in range(500)})
    toy_folder = str(Path(__file__).parents[2] / "corpora")
    arguments = [toy_folder, str(new), str(tmp_path / "store"), "0", "run_shards"]
    for milliseconds in (0, 5, 20, 60, 120):
        process = subprocess.Popen(
            [sys.executable, "-c", SLOW_IMPORT, *arguments], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(milliseconds / 1000)
        process.kill()
        process.wait()
        process.stdout.close()
        assert len(open_toy().ids()) in (1, 500)
        events = open_toy().table("events").num_rows
        assert events in (1, 10_000)


def test_a_manifest_of_another_version_says_what_to_do(
    write_talks: WriteTalks, import_toy: ImportToy, tmp_path: Path
) -> None:
    import_toy(write_talks({"a": ["x"]}))
    path = tmp_path / "store/toy/manifest.json"
    text = path.read_text()
    path.write_text(text.replace(OF_NOW, '"schema_version": 0'))
    with pytest.raises(StoreError, match=r"version 0.*Import toy again"):
        load_manifest(tmp_path / "store", "toy")
    path.write_text("{")
    with pytest.raises(StoreError, match="is damaged"):
        load_manifest(tmp_path / "store", "toy")


def test_an_import_without_a_column_says_what_to_do(
    write_talks: WriteTalks, import_toy: ImportToy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new column needs no new version by hand."""
    import_toy(write_talks({"a": ["x"]}))
    first, *others = schema.TABLES
    more = msgspec.structs.replace(first, columns=(*first.columns, Column("mood", "text", "")))
    monkeypatch.setattr(schema, "TABLES", (more, *others))
    with pytest.raises(StoreError, match="has not the columns of this version") as refused:
        load_manifest(tmp_path / "store", "toy")
    assert refused.value.advice == "Import toy again."


def test_a_failed_import_spares_what_another_version_wrote(
    write_talks: WriteTalks, import_toy: ImportToy, tmp_path: Path
) -> None:
    data = import_toy(write_talks({"a": ["x"]})).manifest.data
    path = tmp_path / "store/toy/manifest.json"
    path.write_text(path.read_text().replace(OF_NOW, '"schema_version": 0'))
    bad = tmp_path / "talks9.json"
    bad.write_text('{"train": [{"talk": 1}]}', encoding="utf-8")
    with pytest.raises(FormatError):
        import_toy(bad)
    assert list((tmp_path / "store/toy" / data).glob("events-*.parquet"))
    import_toy(write_talks({"b": ["x"]}))
    assert not (tmp_path / "store/toy" / data).exists()


_IMPORT_TWICE = """
import sys
from commonground.cli import main
for force in ("--check", "--force"):
    sys.argv.append(force)
    try:
        main()
    except SystemExit as end:
        assert not end.code
print([name for name in ("duckdb", "pandas", "pyarrow.dataset") if name in sys.modules])
"""


def test_an_import_does_not_load_what_takes_long(tmp_path: Path) -> None:
    games, store = tmp_path / "games", tmp_path / "store"
    run = [sys.executable, "-m", "commonground", "simulate", "photobook", str(games)]
    subprocess.run(run, check=True, capture_output=True)
    # Two parts have objects, there are findings, and the second import compares the ids.
    command = ["import", "photobook", str(games), "--store", str(store)]
    again = [sys.executable, "-c", _IMPORT_TWICE, *command]
    done = subprocess.run(again, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_part_of_other_columns_does_not_stop_the_next_import(
    tmp_path: Path, write_talks: WriteTalks, import_toy: ImportToy
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    (part,) = (tmp_path / "store").rglob("dialogues-*.parquet")
    pq.write_table(pa.table({"other": ["hello"]}), part)
    summary = import_toy(write_talks({"b": ["hm"]}))
    assert summary.replaced is None
    assert summary.manifest.counts["dialogues"] == 1


@pytest.mark.parametrize(
    "step",
    ["files.sources._read_file", "store.importing.shards.divide_whole"],
)
def test_a_file_that_needs_more_memory_than_there_is_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=3)
    too_large = min(files.rglob("*_*_*_*.json")).name
    before = pkgutil.resolve_name(f"commonground.{step}")

    def run_out(what: Any, *others: Any) -> Any:
        if too_large in (str(what).rpartition("/")[2], getattr(what, "base", "")):
            raise MemoryError
        return before(what, *others)

    monkeypatch.setattr(f"commonground.{step}", run_out)
    summary = import_corpus(get_corpus("photobook"), [files], store=tmp_path / "store", jobs=1)
    assert summary.manifest.counts["dialogues"] == 2
    (found,) = cg.load("photobook", tmp_path / "store").rows(
        "select source_file, found from findings where code = 'CG-SOURCE-001'"
    )
    assert found[0].endswith(too_large)
    assert "larger than the memory left" in found[1]
