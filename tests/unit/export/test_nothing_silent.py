"""Every text of every table is in what was written, or its column is counted as lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest

from commonground.export import inspect_samples
from commonground.export.discovery import get_export, iterate_exports
from commonground.export.output import Report
from commonground.export.running import run_export
from commonground.export.selection import Selection
from commonground.method import Prompt
from commonground.schema import TABLES
from commonground.store.opening import Store
from commonground.task import Gold, Instance, Task

from .planted import find_marks, mark

ROW_LOSSES = {
    "acts": ("acts said", "annotations of"),
    "dialogues": ("dialogues without",),
    "displays": ("displays to", "displays without", "displays at", "displays after"),
    "events": ("actions of", "events after"),
    "spans": ("annotations of actions",),
    "states": ("annotations of", "slots without", "states ", "values "),
}
"""How the losses of single rows begin, by table; those of dialogues left out go by its name."""

FORMATS: list[tuple[str, dict[str, object]]] = [
    ("chat", {}),
    ("chat", {"as": mark("speakers", "speaker", 100)}),
    ("chat", {"images": "none"}),
    ("chat", {"merge": True}),
    ("chat", {"per": "turn"}),
    ("chat", {"per": "turn", "shape": "prompt", "metadata": "beside"}),
    ("convlab", {}),
    ("convokit", {}),
    ("convokit", {"actions": "utterances"}),
    ("croissant", {}),
    ("csv", {}),
    ("hf", {}),
    ("hf", {"native": True}),
    ("inspect", {}),
    ("parlai", {}),
    ("parlai", {"turns": "single"}),
    ("parquet", {}),
]
"""All but ``native``, which writes the released records; see ``test_native.py``."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy corpus gets a task: from what is said, find the act."""
    task = Task(
        name="toy/acts",
        title="the act of an utterance",
        corpora=("toy",),
        summary="An act a line.",
        allowed={"said": "Speaker and text of it and those before.", "slots": "Known slots."},
        measures=(),
        instances=list_instances,
        score=lambda *_: pytest.fail("nothing is scored"),
    )
    prompt = Prompt(
        task=task.name,
        ask="Which act?",
        answer=lambda reply: reply.value,
        target=lambda instance: instance.gold,
    )
    monkeypatch.setattr(inspect_samples, "iterate_tasks", lambda: [task])
    monkeypatch.setattr(inspect_samples, "find_prompts", lambda: {task.name: prompt})
    monkeypatch.setattr(inspect_samples, "get_prompt", lambda _name: prompt)


def list_instances(gold: Gold) -> Iterator[Instance]:
    """Yields an instance for each utterance that has an act."""
    for dialogue in gold.corpus.dialogues():
        acts = {each.event: each for each in dialogue.acts}
        said: list[Any] = []
        for number, event in enumerate(dialogue.events):
            if event.kind == "utterance":
                said.append([event.speaker, event.text])
                if number in acts:
                    yield Instance(
                        instance_id=f"{dialogue.dialogue_id}:{number}",
                        dialogue_id=dialogue.dialogue_id,
                        event=number,
                        inputs={"said": list(said), "slots": {acts[number].slot: None}},
                        gold={"act": acts[number].act},
                    )


def read_all(out: Path) -> str:
    """Returns all that was written, but for the report, as one text."""
    texts = []
    for path in sorted(out.rglob("*")):
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                texts += [archive.read(name).decode() for name in archive.namelist()]
        elif path.suffix == ".parquet":
            texts.append(str(pq.read_table(path).to_pylist()))
        elif path.is_file() and path.name != "loss.json":
            texts.append(path.read_text(encoding="utf-8"))
    return "\n".join(texts)


def count_missing(store: Store, written: str) -> Iterator[tuple[str, str, int, int]]:
    """Yields table, column, how many marked values are missing, and how many others there are."""
    for table in TABLES:
        rows = store.corpus("toy").table(table.name)
        for column in table.columns:
            if column.type in ("text", "json"):
                values = [v for v in rows.column(column.name).to_pylist() if v is not None]
                marks = [find_marks(value, table.name, column.name) for value in values]
                if any(marks):
                    missing = sum(any(m not in written for m in each) for each in marks)
                    yield table.name, column.name, missing, marks.count([])


def count_rows(report: Report, table: str) -> int:
    """Returns how many rows of a table are lost one by one, or with their dialogues."""
    begins = (*ROW_LOSSES.get(table, ()), f"{table} of")
    return sum(
        each.count
        for each in report.lost
        if each.kind in ("feature", "rows") and each.name.startswith(begins)
    )


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(("name", "options"), FORMATS, ids=[f"{n}-{o}" for n, o in FORMATS])
def test_a_text_is_written_or_counted(
    name: str, options: dict[str, object], planted: Store, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    report = run_export(get_export(name), Selection(planted, ["toy"]), out, options)
    lost = {each.name: each for each in report.lost if each.kind in ("table", "column")}
    checked = 0
    for table, column, missing, others in count_missing(planted, read_all(out)):
        told = lost.get(f"{table}.{column}")
        if table in lost:
            # What another table points at, such as an object's id, may be there because of it.
            assert missing or column in ("object_id", "dialogue_id"), (table, column)
        else:
            count = told.count if told else 0
            # Nothing is silently lost, and nothing said to be lost that is there.
            assert missing <= count + count_rows(report, table), (table, column)
            assert count <= missing + others, (table, column)
        checked += 1
    # dialogues 4, speakers 2, events 6, spans 4, acts 6, states 5, objects 5, displays 1,
    # groundings 4, candidates 3, outcomes 2
    assert checked == 42


def test_every_format_is_checked() -> None:
    names = {name for name, _ in FORMATS}
    assert names == {each.name for each in iterate_exports()} - {"native"}
