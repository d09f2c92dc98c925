"""Every dialogue of every corpus can be drawn, with nothing in its page that is not a text."""

from __future__ import annotations

from html.parser import HTMLParser

import msgspec

from commonground.explorer.dialogue import draw_dialogue, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.rendering.environment import Shell
from commonground.explorer.terminal import render_transcript
from tests.contract.conftest import Simulated


class Marks(HTMLParser):
    """Gathers what the script and the style sheets of a page go by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.ranges: list[tuple[int, int]] = []
        self.targets: set[str] = set()
        self.forbidden: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "section" and "stage" in (given.get("class") or "").split():
            self.ranges.append((int(given["data-first"] or ""), int(given["data-last"] or "")))
        if tag == "a" and (given.get("href") or "").startswith("#"):
            self.targets.add(str(given["href"])[1:])
        inline = tag == "script" and "src" not in given
        if inline or "style" in given or any(name.startswith("on") for name in given):
            self.forbidden.append(self.get_starttag_text() or tag)


def test_every_dialogue_has_a_page(simulated: Simulated) -> None:
    name = simulated.entry.name
    shell = Shell(links=Links(), corpora=[name], corpus=name)
    for dialogue in simulated.corpus.dialogues():
        drawn = draw_dialogue(name, dialogue)
        marks = Marks(render_dialogue(drawn, msgspec.structs.replace(shell, drawn={})))
        events = [f"e{number}" for number in range(len(dialogue.events))]
        assert [each for each in marks.ids if each in set(events)] == events
        assert len(set(marks.ids)) == len(marks.ids)
        assert marks.targets <= {*marks.ids, ""}
        assert marks.forbidden == []
        assert all(first >= 0 and last < len(events) for first, last in marks.ranges)


def test_every_page_is_json_too(simulated: Simulated) -> None:
    dialogue = next(iter(simulated.corpus.dialogues()))
    drawn = draw_dialogue(simulated.entry.name, dialogue)
    page = msgspec.json.decode(msgspec.json.encode({"page": drawn.page, "view": drawn.view}))
    assert len(page["page"]["rows"]) == len(dialogue.events)
    assert set(page["view"]) >= {"outline", "modes"}


def test_every_dialogue_has_a_transcript(simulated: Simulated) -> None:
    for dialogue in simulated.corpus.dialogues():
        lines = [line.plain for line in render_transcript(simulated.entry.name, dialogue)]
        numbered = [line for line in lines if line[:4].strip().isdigit() and line[4:5] == " "]
        assert len(numbered) >= len(dialogue.events)
