"""What prints is at most 20 lines of readable length, and acts on no terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import commonground as cg
from commonground.findings import Finding
from commonground.model import Dialogue, Utterance
from commonground.notebook import result_html
from commonground.printing import Sheet, Tabled, cut, sort_naturally, write_number, write_sheet

MOST_LINES = 20
MOST_CHARACTERS = 3_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("printing")
    files = cg.simulate("frames", folder / "files", dialogues=30)
    corpus = cg.import_files("frames", files, store=folder / "store")
    for part, name in ((corpus, "all"), (corpus[:0], "none")):
        assert part.name == "frames", name
    return folder


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Any]:
    store = folder / "store"
    corpus = cg.load("frames", store)
    methods = ("majority", "dictionary")
    made = list(cg.run_baselines("frames/nlu", *methods, store=store, out=folder / "runs"))
    files = [each.predictions.path for each in made]
    dialogue = max(corpus, key=lambda each: len(each.events))
    return {
        "a store": corpus.store,
        "a corpus": corpus,
        "a part": corpus[:3],
        "its manifest": corpus.manifest,
        "a dialogue": dialogue,
        "an event": max(dialogue.events, key=lambda each: len(str(each.arguments))),
        "a row": next(corpus.iter_utterances()),
        "an object": dialogue.objects[0],
        "a task": cg.get_task("photobook/reference"),
        "an instance": next(iter(cg.instances("frames/nlu", store=store))),
        "an answer": corpus.sql("select * from events"),
        "findings": cg.check("frames", store=store),
        "a baseline": made[0],
        "a score": cg.evaluate("frames/nlu", files[0], store=store),
        "a comparison": cg.compare("frames/nlu", *files, store=store),
        "figures": cg.stats("frames", store=store),
        "a figure": cg.plot("frames", "ratings", store),
        "an export": cg.export("convokit", folder / "export", store=store, corpus="frames"),
    }


def test_no_repr_is_long(results: dict[str, Any]) -> None:
    long = {
        name: (text.count("\n") + 1, len(text))
        for name, text in ((name, repr(value)) for name, value in results.items())
        if text.count("\n") + 1 > MOST_LINES or len(text) > MOST_CHARACTERS
    }
    assert not long


def test_results_print_what_they_found(results: dict[str, Any]) -> None:
    score = results["a score"]
    assert repr(score).splitlines()[0].startswith("frames/nlu: ")
    first = score.result.measures[0].values[0]
    assert f"{first.name}" in repr(score)
    assert write_number(first.value) in repr(score)
    assert "first" in repr(results["a comparison"]).splitlines()[1]
    assert "majority on frames" in repr(results["a baseline"])
    assert "overview" in repr(results["figures"][:])
    report = results["an export"]
    assert repr(report).splitlines()[0] == "convokit: dialogues written: 30 of frames"
    assert report.lost[0].name in repr(report)


def test_results_are_tables_in_a_notebook(results: dict[str, Any]) -> None:
    for value in results.values():
        if isinstance(value, Tabled):
            html = value._repr_html_()  # type: ignore[attr-defined]
            assert ("<table>" in html) == bool(value.sheet().rows)


def test_figures_are_found_by_name_and_place(results: dict[str, Any]) -> None:
    figures = results["figures"]
    names = [each.table.figure.name for each in figures]
    assert names == cg.list_figures("frames")
    assert figures[names[2]] is figures[2]
    assert len(figures[:2]) == 2
    with pytest.raises(KeyError, match="Did you mean ratings"):
        figures["rating"]


def test_a_check_lists_the_places_of_a_rule(
    tmp_path: Path, write_talks: Callable[..., Path], import_toy: Callable[..., object]
) -> None:
    files = write_talks({"a": [" one"], "b": [""]})
    checked = cg.check("toy", files)
    assert checked.errors == sum(each.severity == "error" for each in checked.findings)
    assert sum(each.count for each in checked.counts) == len(checked.findings)
    import_toy(files)
    assert cg.check("toy", store=tmp_path / "store").findings == checked.findings
    for each in checked.counts:
        places = checked.places(each.code)
        assert len(places) == each.count
        assert isinstance(places[0], Finding)


def test_an_export_takes_a_corpus_a_split_and_options(folder: Path, tmp_path: Path) -> None:
    store = folder / "store"
    report = cg.export("csv", tmp_path / "out", corpus="frames", split=["fold-1"], store=store)
    assert report.splits == ["fold-1"]
    assert report.corpora == {"frames": len(cg.load("frames", store).ids("fold-1"))}
    with pytest.raises(KeyError, match="Did you mean csv"):
        cg.export("cvs", tmp_path / "other", store=store)


def test_a_table_is_cut_and_says_so() -> None:
    rows = [(f"name {number}", f"{number:,}") for number in range(900, 2_000)]
    text = write_sheet(
        Sheet(title="t\x1b[2J", columns=("name", "n"), rows=rows, right=frozenset({"n"}))
    )
    lines = text.splitlines()
    assert lines[0] == r"t\u001b[2J"
    assert lines[1:3] == ["name        n", "name 900  900"]
    assert lines[-1] == "and 1,086 more"
    assert len(lines) <= MOST_LINES


def test_a_table_without_rows_has_a_title_and_notes() -> None:
    sheet = Sheet(title="nothing", columns=("name",), rows=[], notes=("all well",))
    assert write_sheet(sheet) == "nothing\nall well"


def test_html_of_a_result_is_escaped() -> None:
    class Found(Tabled):
        def sheet(self) -> Sheet:
            return Sheet(title="<b>", columns=("<i>",), rows=[("<u>",)])

    html = result_html(Found())
    assert "<b>&lt;b&gt;</b>" in html
    assert "<th>&lt;i&gt;</th>" in html
    assert "<td>&lt;u&gt;</td>" in html


def test_texts_are_cut_to_one_line() -> None:
    assert cut("a\nb\tc") == "a b c"
    assert cut("x" * 200, 10) == "x" * 9 + "…"
    dialogue = Dialogue(dialogue_id="d", events=[Utterance("a", "one\n\x1b]two")])
    assert repr(dialogue) == "<Dialogue d: 1 event\n   0 a: one \\u001b]two>"


def test_a_record_leaves_out_what_it_lacks() -> None:
    assert repr(Utterance("a", "hi", turn=3)) == "Utterance(speaker='a', text='hi', turn=3)"


def test_names_are_in_order_of_the_numbers_in_them() -> None:
    names = ["fold-10", "fold-2", "fold-02", "a", "9" * 5000, "10", "fold"]
    assert sort_naturally(names) == ["10", "9" * 5000, "a", "fold", "fold-2", "fold-02", "fold-10"]
