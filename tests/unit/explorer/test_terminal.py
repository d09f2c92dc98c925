from __future__ import annotations

from datetime import datetime

from commonground.explorer.terminal import render_transcript
from commonground.model import (
    Act,
    Action,
    Dialogue,
    Display,
    Outcome,
    Span,
    Speaker,
    Utterance,
    Withheld,
)

DIALOGUE = Dialogue(
    dialogue_id="d1",
    split="train",
    started_at=datetime(2020, 1, 2, 3, 4),
    attributes={"scenario": "tea"},
    speakers=[Speaker("A", "peer"), Speaker("B", "peer")],
    events=[
        Utterance("A", "[red] tea", 0, 1, 5.0),
        Action("B", "search", {"q": "tea"}, ["green"], 1, 1, 3725.0),
    ],
    spans=[Span(0, "segments", 1, 4, "red", "color")],
    acts=[Act(0, "acts", 0, "ask", 0, "color", "red", 2), Act(0, "acts", 1, "greet")],
    displays=[Display("x/COCO_0042.jpg", "A", None, 1, 0, True)],
    outcomes=[Outcome("score", 3.0, None, "A", 1), Outcome("comment", None, "nice", "B")],
)


def lines(*, annotations: bool) -> list[str]:
    return [line.plain for line in render_transcript("tea", DIALOGUE, annotations=annotations)]


def test_a_transcript_shows_what_was_said_seen_and_done() -> None:
    assert lines(annotations=False) == [
        "tea d1   split train   2020-01-02 03:04",
        "scenario: tea",
        "",
        "— part 1 ",
        "  A sees 42*",
        "   0   0:05 A: [red] tea",
        '   1 1:02:05 B → search {"q": "tea"} ⇒ ["green"]',
        "",
        "part 1 A score: 3",
        "B comment: nice",
    ]


def test_later_lines_of_a_message_stand_below_its_first() -> None:
    said = Dialogue(
        dialogue_id="d1",
        speakers=[Speaker("安", "peer")],
        events=[Utterance("安", "milk:\ntwo\n\nbread", at_s=5.0)],
    )
    assert [line.plain for line in render_transcript("tea", said)][1:] == [
        # 12 columns of number and time, 4 of a wide name and its colon.
        "   0   0:05 安: milk:\n" + 16 * " " + "two\n" + 16 * " " + "\n" + 16 * " " + "bread"
    ]


def test_annotations_stand_below_their_event() -> None:
    assert lines(annotations=True)[6:9] == [
        "       [1:4] 'red' color",
        "       acts: ask(color=red@2)",
        "       acts: greet()",
    ]


def test_what_is_withheld_is_said_to_be() -> None:
    dialogue = Dialogue(
        dialogue_id="d1",
        speakers=DIALOGUE.speakers,
        events=[Utterance("A", "How much?"), Withheld("B", 0)],
    )
    told = [line.plain for line in render_transcript("x", dialogue)]
    assert told[-2:] == ["   0 A: How much?", "   1 B: (withheld)"]


def test_a_corpus_writes_its_lines_in_its_own_way() -> None:
    dialogue = Dialogue(
        dialogue_id="d1",
        speakers=[Speaker("A", "peer")],
        events=[
            Utterance("A", "hm", 0, 1, 5.0),
            Action("A", "feedback", None, None, 1, 1, 65.0),
            Action("A", "dance", {"to": "jazz"}, None, 1, 1, 66.0),
        ],
    )
    told = [line.plain for line in render_transcript("photobook", dialogue)]
    assert told[3:] == [
        "   0   0:05 A: hm",
        "   1   1:05 A submits",
        '   2   1:06 A → dance {"to": "jazz"}',  # none of the known ones
    ]


def test_lines_below_an_event_are_indented() -> None:
    dialogue = Dialogue(
        dialogue_id="d1",
        events=[Action("assistant", "look_up", {"city": "Oslo"}, {"sun": True})],
    )
    told = [line.plain for line in render_transcript("taskmaster1", dialogue)]
    assert told[1:] == [
        "   0 assistant calls look_up",
        "              city Oslo",
        "              ⇒ sun true",
    ]
