"""The questions of tasks, as rows to publish."""

from __future__ import annotations

from pathlib import Path

import pytest

import commonground as cg
from commonground.bench.inspect_tasks.questions_as_rows import write_questions
from commonground.bench.metrics import words


def test_nothing_is_scored_where_questions_are_only_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = cg.simulate("taskmaster4", tmp_path / "files", dialogues=4, seed=1)
    cg.import_files("taskmaster4", files, store=tmp_path / "store")

    def load() -> None:
        raise AssertionError("words are counted")

    monkeypatch.setattr(words, "_load_tokenizer", load)
    words.tokenize.cache_clear()
    staged = tmp_path / "staged"
    staged.mkdir()
    left_out: list[str] = []
    written = write_questions(
        "taskmaster4", tmp_path / "store", staged, lambda task, _error: left_out.append(task)
    )
    assert left_out == []
    assert [name for name, counts in written.items() if sum(counts.values()) == 0] == []
    assert written
    assert (staged / "eval.yaml").is_file()
