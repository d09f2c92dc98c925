"""Running an export: nothing is dropped silently, and nothing is overwritten by mistake."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from commonground.errors import SourceError, UsageError
from commonground.exports.format import Export, Option
from commonground.exports.loss import Carried, Feature, Loss, Partly, carry_all
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.files.listings import LISTING
from commonground.store.opening import Store


def make_export(carried: Carried) -> Export:
    def write(selection: Selection, out: Path, *, ink: str) -> Loss:
        (out / "data.txt").write_text(f"{len(selection)} in {ink}", encoding="utf-8")
        loss = Loss({"colour": Feature("It is black and white.")})
        loss.add("colour", "frames/d1", 2)
        loss.add("colour", "frames/d2")
        return loss

    options = (Option(name="ink", help="Ink.", default="blue", choices=("blue", "red")),)
    return Export(
        name="paper",
        title="Paper",
        summary="On paper.",
        carries=carried,
        write=write,
        options=options,
    )


def without(*names: str) -> dict[str, tuple[str, ...]]:
    """All columns but some of the events."""
    columns = carry_all()
    columns["events"] = tuple(name for name in columns["events"] if name not in names)
    return columns


def lost_columns(report: Report) -> dict[str, int]:
    return {each.name: each.count for each in report.lost if each.kind != "feature"}


def test_whatever_is_not_carried_is_counted(store: Store, tmp_path: Path) -> None:
    columns = without("at_s", "text")
    del columns["displays"]
    report = run_export(
        make_export(Carried(columns=columns)), Selection(store, ["photobook"]), tmp_path / "out"
    )
    counts = "SELECT count(at_s), count(text) FROM events WHERE corpus = 'photobook'"
    at_s, text = store.database.rows(counts)[0]
    displays = store.corpus("photobook").table("displays").num_rows
    found = lost_columns(report)
    assert found == {"displays": displays, "events.at_s": at_s, "events.text": text}


def test_a_place_and_a_reason_stand_beside_each_loss(store: Store, tmp_path: Path) -> None:
    carried = Carried(
        columns=without("text"),
        partly=[Partly(column="events.name", lost="event > 2", why="Three names fit.")],
        why={"events.text": "Paper is dear."},
    )
    report = run_export(make_export(carried), Selection(store, ["frames"]), tmp_path / "out")
    first = min(store.corpus("frames").ids())
    text = next(each for each in report.lost if each.name == "events.text")
    assert (text.kind, text.why) == ("column", "Paper is dear.")
    assert text.example.startswith(f"frames/{first} event 0")
    names = next(each for each in report.lost if each.name == "events.name")
    query = "SELECT count(name) FROM events WHERE corpus = 'frames' AND event > 2"
    assert names.count == store.database.rows(query)[0][0]
    assert names.why == "Three names fit."
    colour = report.lost[-1]
    assert (colour.kind, colour.name, colour.count) == ("feature", "colour", 3)
    assert colour.example == "frames/d1"


def test_rows_of_dialogues_that_are_not_written_are_counted(store: Store, tmp_path: Path) -> None:
    one, two, *_ = store.corpus("frames").ids()

    def write(_selection: Selection, _out: Path) -> Loss:
        loss = Loss({"dull dialogues": Feature("Nobody reads them.", ("dialogues",))})
        for each in (one, two):
            loss.leave_out("dull dialogues", "frames", each)
        return loss

    carried = Carried(columns=carry_all("dialogues", "speakers", "events"))
    export = msgspec.structs.replace(make_export(carried), write=write, options=())
    report = run_export(export, Selection(store, ["frames"]), tmp_path / "out")
    found = {each.name: (each.kind, each.count) for each in report.lost}
    assert found["dull dialogues"] == ("feature", 2)
    assert found["speakers of dull dialogues"] == ("rows", 4)  # a user and a wizard in each
    events = len(store.corpus("frames")[one].events) + len(store.corpus("frames")[two].events)
    assert found["events of dull dialogues"] == ("rows", events)
    assert "acts of dull dialogues" not in found  # the table is lost whole
    again = run_export(export, Selection(store, ["frames"]), tmp_path / "again")
    assert again.lost == report.lost  # examples are the same, too


def test_the_report_is_written_and_marks_the_folder(store: Store, tmp_path: Path) -> None:
    export = make_export(Carried(columns=carry_all()))
    selection = Selection(store, ["frames"], where="n_events > 0")
    report = run_export(export, selection, tmp_path / "out", {"ink": "red"})
    written = msgspec.json.decode((tmp_path / "out" / "loss.json").read_bytes(), type=Report)
    assert written == report
    assert written.options == {"ink": "red"}
    assert written.corpora == {"frames": 6}
    assert (tmp_path / "out" / LISTING).is_file()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out"]


def test_a_folder_of_the_users_is_left_alone(store: Store, tmp_path: Path) -> None:
    export, selection = make_export(Carried(columns=carry_all())), Selection(store, ["frames"])
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"no export written by commonground.*--force"):
        run_export(export, selection, out)
    assert [each.name for each in out.iterdir()] == ["notes.txt"]
    run_export(export, selection, out, force=True)
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"
    run_export(export, selection, out)  # an export of ours may be replaced
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_what_was_changed_in_an_export_is_not_replaced(store: Store, tmp_path: Path) -> None:
    export, selection = make_export(Carried(columns=carry_all())), Selection(store, ["frames"])
    out = tmp_path / "out"
    run_export(export, selection, out)
    (out / "loss.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match=r"would be lost: .*out/loss\.json\. Move.*--force"):
        run_export(export, selection, out)
    assert (out / "loss.json").read_text(encoding="utf-8") == "{}"
    run_export(export, selection, out, force=True)
    assert (out / "loss.json").read_text(encoding="utf-8") != "{}"


def test_a_failure_leaves_the_former_export(store: Store, tmp_path: Path) -> None:
    export, selection = make_export(Carried(columns=carry_all())), Selection(store, ["frames"])
    run_export(export, selection, tmp_path / "out")

    def fail(*_: object, **__: object) -> Loss:
        raise OSError(28, "No space left on device")

    broken = msgspec.structs.replace(export, write=fail)
    with pytest.raises(SourceError, match=r"out cannot be written: No space left on device"):
        run_export(broken, selection, tmp_path / "out")
    assert (tmp_path / "out" / "data.txt").read_text(encoding="utf-8") == "6 in blue"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out"]


def test_the_store_and_the_current_folder_are_never_replaced(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    export = make_export(Carried(columns=carry_all()))
    with pytest.raises(UsageError, match="holds the folder you are in"):
        run_export(export, Selection(store, ["frames"]), tmp_path, force=True)
    with pytest.raises(UsageError, match="holds the store"):
        run_export(export, Selection(store, ["frames"]), store.path, force=True)
    assert store.path.exists()


def test_wrong_options_are_refused(store: Store, tmp_path: Path) -> None:
    export, selection = make_export(Carried(columns=carry_all())), Selection(store, ["frames"])
    with pytest.raises(UsageError, match=r"no option 'inc' of paper.*ink"):
        run_export(export, selection, tmp_path / "out", {"inc": "red"})
    with pytest.raises(UsageError, match=r"no value 'rot' of ink"):
        run_export(export, selection, tmp_path / "out", {"ink": "rot"})


@pytest.mark.parametrize(
    ("name", "folder"),
    [("train.jsonl", "train"), ("x/dialogues.CSV", "x/dialogues"), ("all.tar.gz", "all")],
)
def test_a_name_for_a_file_is_refused(store: Store, tmp_path: Path, name: str, folder: str) -> None:
    export, selection = make_export(Carried(columns=carry_all())), Selection(store, ["frames"])
    with pytest.raises(UsageError, match="is named like a file") as refused:
        run_export(export, selection, tmp_path / name, force=True)
    assert refused.value.advice == f"Name a folder, such as {tmp_path / folder}."
    assert list(tmp_path.iterdir()) == []


def test_names_with_points_are_fine(store: Store, tmp_path: Path) -> None:
    export, selection = make_export(Carried(columns=carry_all())), Selection(store, ["frames"])
    for name in ("photobook-1.0", ".hidden", "v2.chat"):
        run_export(export, selection, tmp_path / name)
        assert (tmp_path / name / LISTING).is_file()


def test_a_run_removes_what_a_killed_one_left(store: Store, tmp_path: Path) -> None:
    export, selection = make_export(Carried(columns=carry_all())), Selection(store, ["frames"])
    (tmp_path / ".out.new-abcd_123").mkdir()
    run_export(export, selection, tmp_path / "out")
    assert [each.name for each in tmp_path.iterdir()] == ["out"]
