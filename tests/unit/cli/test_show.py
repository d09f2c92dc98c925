"""``commonground show`` on the toy corpus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.cli import main
from commonground.store.importing.summary import ImportSummary

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def show(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Shows a talk of a small store, and returns exit code, output and errors."""
    import_toy(write_talks({"t1": ["one <b>bold</b> word"]}))
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        given = ["commonground", "show", "toy", "t1", "--store", str(tmp_path / "store"), *words]
        monkeypatch.setattr("sys.argv", given)
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0), *capsys.readouterr()

    return call


def test_a_page_is_written_and_named(show: Run, tmp_path: Path) -> None:
    code, out, _ = show("--html", "talk.html")
    text = (tmp_path / "talk.html").read_text(encoding="utf-8")
    assert (code, out) == (0, f"talk.html: {len(text.encode()):,} bytes\n")
    assert "one &lt;b&gt;bold&lt;/b&gt; word" in text
    assert "cg.load(&#39;toy&#39;).dialogue(&#39;t1&#39;)" in text


def test_a_page_says_its_licence_and_terms(show: Run, tmp_path: Path) -> None:
    show("--html", "talk.html")
    text = (tmp_path / "talk.html").read_text(encoding="utf-8")
    assert "<p>From: https://example.org/toy</p>" in "".join(text.split("  "))
    assert "Licence: CC0-1.0" in text


def test_a_page_that_cannot_be_written_is_an_error_with_advice(show: Run) -> None:
    code, _, err = show("--html", "no/such/folder/talk.html")
    assert code == 1
    assert "talk.html cannot be written: No such file or directory." in err
    assert "Name a file in a folder that exists" in err


def test_a_transcript_is_printed_without_it(show: Run) -> None:
    assert "ann: one <b>bold</b> word" in show()[1]
