from __future__ import annotations

import os
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

import commonground as cg
from commonground.findings import Finding
from commonground.model import Action, Dialogue, Speaker, Utterance
from commonground.notebook import (
    HEIGHT_PX,
    MOST_EVENTS,
    corpus_html,
    dialogue_html,
    finding_html,
    store_html,
)
from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary


def test_a_dialogue_shows_what_was_said_and_done() -> None:
    dialogue = Dialogue(
        dialogue_id="d1",
        split="train",
        speakers=[Speaker("A", "peer")],
        events=[
            Utterance("A", "<b>hi</b>", segment=2),
            Action("A", "pick", {"n": "<i>"}, [1], segment=2),
        ],
    )
    html = dialogue_html(dialogue)
    assert "Dialogue d1" in html
    assert "split <b>train</b>" in html
    assert html.count("part 2") == 1
    assert "&lt;b&gt;hi&lt;/b&gt;" in html
    assert "pick {&quot;n&quot;: &quot;&lt;i&gt;&quot;} ⇒ [1]" in html
    assert "<script" not in html


def test_a_dialogue_shows_its_pictures(tmp_path: Path) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=1, seed=3)
    store = tmp_path / "store"
    cg.import_files("photobook", files, images=files / "images", store=store)
    (dialogue,) = cg.load("photobook", store=store)
    html = dialogue_html(dialogue)
    # Each player has six pictures in each of five rounds; half of them are to be marked.
    assert html.count("<img ") == 60
    assert html.count("cg-marked") == 1 + 30  # and in the style sheet
    assert html.count('<div class="cg-seen">') == 5
    sources = set(re.findall('src="([^"]+)"', html))
    assert len(sources) == len({each.object_id for each in dialogue.displays})
    for each in sources:
        head, data = each.split(",")
        assert head == "data:image/jpeg;base64"
        with Image.open(BytesIO(b64decode(data))) as picture:
            assert picture.height <= HEIGHT_PX
    assert dialogue_html(cg.load("photobook", store=store)["0"]) == html


def test_a_dialogue_shows_no_broken_pictures(tmp_path: Path) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=1, seed=3)
    store = tmp_path / "store"
    cg.import_files("photobook", files, images=files / "images", store=store)
    for path in (files / "images").rglob("*.jpg"):
        path.write_bytes(b"<html>429</html>")
    assert "<img" not in dialogue_html(cg.load("photobook", store=store)[0])


def test_blanks_of_a_text_are_shown_as_they_are() -> None:
    html = dialogue_html(
        Dialogue(dialogue_id="d", events=[Utterance("A", "two  blanks\nand more")])
    )
    assert "two  blanks\nand more" in html
    assert ".cg-said { white-space: pre-wrap;" in html


def test_the_rest_of_a_very_long_dialogue_is_counted() -> None:
    events = [Utterance("A", f"line {number}.") for number in range(MOST_EVENTS + 2)]
    html = dialogue_html(Dialogue(dialogue_id="d", events=list(events)))
    assert f"line {MOST_EVENTS - 1}." in html
    assert f"line {MOST_EVENTS}." not in html
    assert "and 2 more events" in html


def test_a_corpus_shows_its_tables_and_splits(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    import_toy(write_talks({"a": ["one", "two"], "b": ["three"]}))
    html = corpus_html(open_toy())
    assert "Corpus toy" in html
    assert "<dt>events</dt><dd>3</dd>" in html
    assert "train 2" in html


def test_a_store_shows_what_was_imported(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    import_toy(write_talks({"a": ["one", "two"], "b": ["three"]}))
    html = store_html(open_toy().store)
    assert "<td>toy</td>" in html
    assert '<td class="cg-number">2</td><td class="cg-number">3</td>' in html
    assert "<b>Store " in html


def test_a_finding_shows_its_place_and_leaves_out_what_it_lacks() -> None:
    finding = Finding(code="CG-TOY-001", severity="note", message="a < b", event=0, found="<x>")
    html = finding_html(finding)
    assert "CG-TOY-001" in html
    assert "a &lt; b" in html
    assert "<dt>event</dt><dd>0</dd>" in html
    assert "<dd>&lt;x&gt;</dd>" in html
    assert "<dt>expected</dt>" not in html


NOTEBOOK = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
value = shell.run_cell(sys.stdin.read()).result
print(shell.display_formatter.format(value)[0].get("text/html"))
"""


@pytest.mark.parametrize(
    ("last", "shown"),
    [
        ("corpus", "<b>Corpus toy</b>"),
        ("corpus.store", "<td>toy</td>"),
        ("corpus[0]", "<b>Dialogue a</b>"),
        ("Finding(code='CG-TOY-001', severity='note', message='odd')", "<b>CG-TOY-001</b> note"),
    ],
)
def test_a_cell_shows_what_it_ends_with(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    tmp_path: Path,
    last: str,
    shown: str,
) -> None:
    import_toy(write_talks({"a": ["one"]}))
    cell = f"""
import commonground as cg
from commonground.findings import Finding
corpus = cg.load("toy", {str(tmp_path / "store")!r})
{last}
"""
    told = subprocess.run(
        [sys.executable, "-c", NOTEBOOK],
        input=cell,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "IPYTHONDIR": str(tmp_path)},
    )
    assert '<div class="cg-box">' in told.stdout
    assert shown in told.stdout
