"""A report as a chart: what is drawn, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.bench.evaluation.report_charts import describe_chart, write_charts
from commonground.bench.evaluation.reporting import Number, SystemRow, TaskReport


def make_row(system: str, kind: str, **numbers: Number) -> SystemRow:
    return SystemRow(
        system=system,
        split="test",
        numbers=numbers,
        n=2,
        source="here",
        comparable="yes",
        is_published=kind == "published",
        kind=kind,
    )


REPORT = TaskReport(
    task="toy/mood",
    title="the mood",
    names=["f1", "bleu", "theirs"],
    rows=[
        make_row("a & b", "model", f1=Number(0.5, 0.4, 0.6), bleu=Number(None)),
        make_row("a & b", "model", f1=Number(0.7, 0.6, 0.8), bleu=Number(0.1)),
        make_row("linear", "baseline", f1=Number(0.3, 0.2, 0.4)),
        make_row("best", "published", f1=Number(0.9), theirs=Number(0.2)),
    ],
)


def test_each_number_of_ours_has_a_panel_with_intervals_beside_what_was_published() -> None:
    spec = describe_chart(REPORT)
    assert spec is not None
    assert [panel["transform"][0]["filter"]["equal"] for panel in spec["concat"]] == ["f1", "bleu"]
    drawn = [(v["system"], v["number"], v["value"], v["low"]) for v in spec["data"]["values"]]
    assert drawn == [
        ("a & b", "f1", 0.5, 0.4),
        ("a & b (2)", "f1", 0.7, 0.6),
        ("a & b (2)", "bleu", 0.1, None),
        ("linear", "f1", 0.3, 0.2),
        ("best", "f1", 0.9, None),
    ]


def test_where_nothing_is_ours_all_that_was_published_is_drawn() -> None:
    theirs = TaskReport(task="t/t", title="t", names=REPORT.names, rows=REPORT.rows[-1:])
    spec = describe_chart(theirs)
    assert spec is not None
    assert len(spec["concat"]) == 2
    assert describe_chart(TaskReport(task="t/t", title="t", names=[], rows=[])) is None


def test_charts_are_files_named_for_their_tasks(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    files = write_charts([REPORT], tmp_path / "new")
    assert [path.name for path in files] == ["toy-mood.svg", "toy-mood.png"]
    svg = files[0].read_text(encoding="utf-8")
    assert "<title>toy/mood: the mood</title>" in svg
    assert "a &amp; b (2)" in svg
    assert files[1].read_bytes().startswith(b"\x89PNG")
