"""What commands say of their progress, on a terminal and elsewhere."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.cli._options import progress_bar, step_bar, working
from commonground.corpora import Entry
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary


def test_where_no_terminal_is_a_line_comes_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = itertools.count(0, 4)
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    with progress_bar("importing toy") as tell:
        for done in range(1, 7):
            tell(done, 8)
    # Begun at 0; told at 4, 8, 12, 16, 20, 24: ten seconds have passed at 12 and at 24.
    assert capsys.readouterr().err.splitlines() == [
        "importing toy: 38% after 12 s",
        "importing toy: 75% after 24 s",
    ]


def test_where_no_terminal_is_each_step_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with step_bar("linear (2 of 3)") as tell:
        tell(0, 3, "learning")
        tell(1, 3, "answering")
    assert capsys.readouterr().err.splitlines() == [
        "linear (2 of 3): learning",
        "linear (2 of 3): answering",
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_large_document_moves_smoothly(toy: Entry, tmp_path: Path, jobs: int) -> None:
    lines = [{"who": "ann", "says": "hello " * 40}] * 100
    talks = [{"talk_id": str(number), "lines": lines} for number in range(300)]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps({"train": talks}), encoding="utf-8")
    size = path.stat().st_size
    shares: list[float] = []

    def tell(done: int, total: int) -> None:
        assert total == size
        shares.append(done / total)

    import_corpus(toy, [path], store=tmp_path / "store", jobs=jobs, progress=tell)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1, abs=1e-6)
    if jobs == 1:  # with more, it is told by the clock
        steps = [after - before for before, after in itertools.pairwise([0.0, *shares])]
        assert max(steps) < 0.05


def test_many_small_documents_are_told_one_by_one(
    write_talks: Callable[..., Path], import_toy: Callable[..., ImportSummary]
) -> None:
    paths = [write_talks({name: ["hello"]}, f"talks-{name}.json") for name in "abc"]
    told: list[tuple[int, int]] = []
    import_toy(*paths, jobs=1, progress=lambda *numbers: told.append(numbers))
    sizes = [path.stat().st_size for path in paths]
    assert told == [(done, sum(sizes)) for done in itertools.accumulate(sizes)]


def test_work_of_unknown_length_says_now_and_then_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("commonground.cli._options._QUIET_S", 0.001)
    written = ""
    with working("scoring"):
        while not written:
            written = capsys.readouterr().err
    assert written.startswith("scoring: 0 s so far\n")
