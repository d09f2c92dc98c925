"""Exports of the released Taskmaster-4, where it is at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonground.exports.format import get_export
from commonground.exports.run import run_export
from commonground.exports.selection import Selection
from commonground.store.opening import open_store
from tests.released import import_released
from tests.thorough import thorough
from tests.unit.exports.chat_reading import COLUMNS, read_chat
from tests.unit.exports.hf_reading import read_hf


@pytest.fixture(scope="module")
def selection(tmp_path_factory: pytest.TempPathFactory) -> Selection:
    return Selection(open_store(import_released(tmp_path_factory, "taskmaster4")))


@thorough
def test_chat_has_every_dialogue_and_call(selection: Selection, tmp_path: Path) -> None:
    report = run_export(get_export("chat"), selection, tmp_path / "chat")
    assert report.corpora == {"taskmaster4": 3710}
    assert "calls that fit no tool" not in {each.name for each in report.lost}
    text = (tmp_path / "chat" / "taskmaster4" / "unsplit.jsonl").read_bytes()
    lines = [json.loads(line)["messages"] for line in text.splitlines()]
    calls = sum("tool_calls" in message for messages in lines for message in messages)
    assert calls == 15_395  # all calls are the assistant's
    found, corpus = read_chat(tmp_path / "chat"), selection.store.corpus("taskmaster4")
    for name, columns in COLUMNS.items():
        expected = corpus.table(name).select(list(columns)).to_pylist()
        if name == "events":
            # A line ends with the assistant: what a call that is the last event gave is left out.
            last = {row["dialogue_id"]: row for row in expected}.values()
            unsaid = [row for row in last if row["result"] is not None]
            assert len(unsaid) == next(e.count for e in report.lost if e.name == "events.result")
            assert len(unsaid) == 75
            for row in unsaid:
                row["result"] = None
        assert found[name].to_pylist() == expected, name


def test_hf_has_every_row(selection: Selection, tmp_path: Path) -> None:
    # There are no splits, so that even the order stays.
    report = run_export(get_export("hf"), selection, tmp_path / "hf", {"native": True})
    assert report.lost == []
    for name, table in read_hf(tmp_path / "hf").items():
        assert table.equals(selection.store.corpus("taskmaster4").table(name)), name
