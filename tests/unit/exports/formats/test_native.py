"""The released files come back, and with them the same tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from commonground.corpora import Entry, get_corpus
from commonground.exports.format import get_export
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.schema import TABLE_NAMES
from commonground.store.importing import import_corpus
from commonground.store.opening import Store, open_store
from tests.thorough import a_few

from ..conftest import CORPORA, KINDS


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_file_comes_back(
    corpus: str, simulated: Path, export: Callable[..., tuple[Path, Report]]
) -> None:
    out, report = export("native", corpus)
    released = files_below(simulated.parent / corpus)
    written = files_below(out / corpus)
    left_alone = [each for each in report.lost if each.name == "files left alone"]
    assert len(written) == len(released) - sum(each.count for each in left_alone)
    assert {each.name for each in report.lost} <= {"files left alone"}
    for name, data in written.items():
        if name.endswith((".json", ".jsonl")):
            pairs = [json.loads(each, object_pairs_hook=list) for each in (data, released[name])]
            assert pairs[0] == pairs[1], name
        else:
            assert data == released[name], name


@pytest.mark.parametrize("corpus", a_few(CORPORA, KINDS))
def test_importing_it_again_gives_the_same_tables(
    corpus: str, store: Store, export: Callable[..., tuple[Path, Report]], tmp_path: Path
) -> None:
    out, _ = export("native", corpus)
    import_corpus(get_corpus(corpus), [out / corpus], store=tmp_path / "again")
    again = open_store(tmp_path / "again").corpus(corpus)
    for name in TABLE_NAMES:
        assert again.table(name).equals(store.corpus(corpus).table(name)), name


def test_a_choice_keeps_its_records_byte_for_byte(
    store: Store, export: Callable[..., tuple[Path, Report]], tmp_path: Path
) -> None:
    wanted = store.corpus("frames").ids()[2]
    out, _ = export("native", "frames", where=f"dialogue_id = '{wanted}'")
    import_corpus(get_corpus("frames"), [out / "frames"], store=tmp_path / "again")
    again = open_store(tmp_path / "again").corpus("frames")
    assert again.ids() == [wanted]
    assert again.native(wanted) == store.corpus("frames").native(wanted)


def test_records_that_move_up_are_counted(
    store: Store, export: Callable[..., tuple[Path, Report]]
) -> None:
    first, second, third = store.corpus("frames").ids()[:3]
    # Of $[0] and $[2], which become $[0] and $[1], only the latter moves.
    _, report = export("native", "frames", where=f"dialogue_id IN ('{first}', '{third}')")
    moved = {each.name: (each.count, each.example) for each in report.lost}
    assert moved == {"records at another place": (1, "frames frames.json $[2]")}
    _, report = export("native", "frames", where=f"dialogue_id IN ('{first}', '{second}')")
    assert report.lost == []
    _, report = export("native", "frames")
    assert report.lost == []


def test_what_was_not_read_is_counted(toy: Entry, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    talk = '{"talk_id": "a", "lines": [{"who": "ann",  "says": "hi"}]}'
    (files / "talks.json").write_text(f'{{"train": [{talk}], "t.e[0]": [{talk}]}}')
    (files / "talks_bad.json").write_text("{")
    (files / "talks_none.json").write_text("{}")
    (files / "notes.md").write_text("Notes.")
    import_corpus(toy, [files], store=tmp_path / "store")
    selection = Selection(open_store(tmp_path / "store"))
    report = run_export(get_export("native"), selection, tmp_path / "out")
    lost = {each.name: (each.count, each.example) for each in report.lost}
    assert lost == {
        "files left alone": (1, "toy notes.md"),
        "damaged files": (1, "toy talks_bad.json"),
    }
    written = files_below(tmp_path / "out" / "toy")
    assert msgspec.json.decode(written["talks.json"]).keys() == {"train", "t.e[0]"}
    assert written["talks.json"].decode().count(talk) == 2
    assert msgspec.json.decode(written["talks_none.json"]) == {}


def test_a_part_of_a_text_file_has_plain_line_ends_and_says_so(
    store: Store, export: Callable[..., tuple[Path, Report]]
) -> None:
    wanted = store.corpus("taskmaster3").ids()[0]
    out, report = export("native", "taskmaster3", where=f"dialogue_id = '{wanted}'")
    rows = [path.read_bytes() for path in (out / "taskmaster3").rglob("*.tsv")]
    assert rows
    assert not any(b"\r" in data for data in rows)
    ends = next(each for each in report.lost if each.name == "line ends of text files")
    assert ends.count == len(rows)
