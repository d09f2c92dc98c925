"""Pages that stand alone: nothing is fetched, nothing of the data is code."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from commonground.corpora import Entry
from commonground.explorer.dialogue import draw_dialogue, render_single
from commonground.explorer.pages.dialogue import NativeRecord
from commonground.findings import Finding
from commonground.model import (
    Act,
    Action,
    Candidate,
    Dialogue,
    Display,
    Grounding,
    Object,
    Outcome,
    Span,
    Speaker,
    State,
    Utterance,
)
from commonground.play.invented_pictures import Thing, draw_scene
from commonground.store.pictures import PictureFolder

HOSTILE = "\"'><script>alert(1)</script><svg onload=alert(2)></style></title>{{ 7*7 }}\u202e"


class Elements(HTMLParser):
    """Gathers tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def hostile_dialogue() -> Dialogue:
    bad = HOSTILE
    return Dialogue(
        dialogue_id=bad,
        split=bad,
        domain=bad,
        attributes={bad: [bad, {bad: bad}]},
        speakers=[Speaker(bad, "peer", bad)],
        events=[
            Utterance(bad, bad, 0, 1, 1.0, bad),
            Action(bad, bad, {bad: [{bad: [{bad: [bad]}]}]}, bad, 1, 1),
        ],
        spans=[Span(0, bad, 3, 9, bad, bad)],
        acts=[Act(0, bad, 0, bad, 0, bad, bad, 1, bad)],
        states=[State(0, bad, bad, slot=bad, value=bad)],
        objects=[Object(bad, bad, bad, f"javascript:{bad}")],
        displays=[Display(bad, bad, None, 1, 0, True)],
        groundings=[Grounding(0, bad, bad, bad, bad)],
        candidates=[Candidate(0, bad, 0, bad, gold=True), Candidate(0, bad, 1, None, bad)],
        outcomes=[Outcome(bad, 1.0, None, bad), Outcome(bad, None, bad, bad), Outcome(bad, 2.0)],
    )


def hostile_page() -> str:
    found = Finding(
        code="CG-TOY-001",
        severity="error",
        message=HOSTILE,
        source_file=HOSTILE,
        source_path=HOSTILE,
        event=0,
        expected=HOSTILE,
        found=HOSTILE,
    )
    record = NativeRecord(format=HOSTILE, source_file=HOSTILE, source_path=HOSTILE, json=HOSTILE)
    drawn = draw_dialogue("toy", hostile_dialogue(), findings=[found], native=[record])
    return render_single(drawn, PictureFolder(None))


def test_the_same_note_is_written_out_once(toy: Entry) -> None:
    said = [Utterance("A", "hm") for _ in range(4)]
    talk = Dialogue(dialogue_id="d", speakers=[Speaker("A", "peer")], events=list(said))
    notes = [Finding(code="CG-TOY-1", severity="note", message="Odd.", event=e) for e in (0, 2)]
    errors = [Finding(code="CG-TOY-2", severity="error", message="Bad.", event=e) for e in (1, 3)]
    drawn = draw_dialogue("toy", talk, findings=[*notes, *errors])
    page = render_single(drawn, PictureFolder(None))
    assert page.count('<span class="again">Odd.</span>') == 1
    assert '<span class="again">Bad' not in page


def test_hostile_text_is_text(toy: Entry) -> None:
    page = Elements(hostile_page())
    assert len(page.named("script")) == 1
    assert all(not name.startswith("on") for _, given in page.tags for name in given)
    assert all("style" not in given for _, given in page.tags)
    assert sum(HOSTILE in each for each in page.texts) >= 25
    links = [given.get("href") or "" for given in page.named("a")]
    assert {each.partition(":")[0] for each in links if not each.startswith("#")} == {"data"}


def test_the_policy_names_style_and_script_by_their_hashes(toy: Entry) -> None:
    page = hostile_page()
    policy = next(
        given["content"] or ""
        for given in Elements(page).named("meta")
        if given.get("http-equiv") == "Content-Security-Policy"
    )
    for tag in ("style", "script"):
        inside = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert inside is not None
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_nothing_is_fetched(toy: Entry) -> None:
    page = Elements(hostile_page())
    assert page.named("link") == []
    sources = [given[key] for _, given in page.tags for key in ("src", "action") if key in given]
    assert sources == []


@pytest.mark.parametrize("times", [1, 3])
def test_a_picture_is_in_the_page_once(toy: Entry, tmp_path: Path, times: int) -> None:
    draw_scene(tmp_path / "x.jpg", [Thing("circle", "red", 0.5, 0.5, 0.4)], ground="beach")
    dialogue = Dialogue(
        dialogue_id="d",
        events=[Utterance("ann", "hm", segment=part) for part in range(times)],
        objects=[Object("x", "image", "a circle", "x.jpg")],
        displays=[Display("x", "ann", None, part, 0) for part in range(times)],
    )
    page = Elements(render_single(draw_dialogue("toy", dialogue), PictureFolder(tmp_path)))
    assert [given["href"] for given in page.named("use")] == ["#picture-0"] * times
    (image,) = page.named("image")
    data = base64.b64encode((tmp_path / "x.jpg").read_bytes()).decode()
    assert image["href"] == f"data:image/jpeg;base64,{data}"


def test_a_missing_picture_says_which_and_why(toy: Entry) -> None:
    dialogue = Dialogue(
        dialogue_id="d",
        events=[Utterance("ann", "hm")],
        objects=[Object("x", "image", "a circle", "x.jpg")],
        displays=[Display("x", "ann", 0)],
    )
    page = Elements(render_single(draw_dialogue("toy", dialogue), PictureFolder(None)))
    labels = [given.get("aria-label") or "" for given in page.named("span")]
    assert any(each.startswith("a circle: ") for each in labels)
