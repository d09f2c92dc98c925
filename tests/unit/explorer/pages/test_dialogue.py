from __future__ import annotations

from commonground.explorer.pages.dialogue import (
    ActSlot,
    DialoguePage,
    build_dialogue_page,
    list_speakers,
)
from commonground.explorer.rendering.colours import TONES
from commonground.findings import Finding
from commonground.model import (
    Act,
    Action,
    Dialogue,
    Display,
    Grounding,
    Outcome,
    Speaker,
    Utterance,
    Withheld,
)
from commonground.view import OutlineItem, View


def talk(*speakers: Speaker, says: tuple[str, ...]) -> Dialogue:
    events = [Utterance(each, "hm") for each in says]
    return Dialogue(dialogue_id="d", speakers=list(speakers), events=list(events))


def page_of(dialogue: Dialogue, *findings: Finding) -> DialoguePage:
    view = View(outline=[OutlineItem(label="Start", event=0)])
    return build_dialogue_page(dialogue, view, corpus="toy", findings=findings)


def finding(event: int | None) -> Finding:
    return Finding(code="CG-TOY-001", severity="note", message="odd", event=event)


def test_a_withheld_answer_has_a_row_without_text() -> None:
    dialogue = Dialogue(dialogue_id="d", speakers=[], events=[Withheld("A", 3)])
    (row,) = page_of(dialogue).rows
    assert (row.kind, row.turn, row.text, row.name) == ("withheld", 3, None, None)


def test_the_assistant_stands_on_the_right_whoever_is_listed_first() -> None:
    dialogue = talk(Speaker("wizard", "assistant"), Speaker("user", "user"), says=())
    lines = [(each.speaker, each.side, each.tone) for each in list_speakers(dialogue)]
    assert lines == [("wizard", "right", 1), ("user", "left", 0)]


def test_of_two_peers_the_second_stands_on_the_right() -> None:
    dialogue = talk(Speaker("A", "peer"), Speaker("B", "peer"), says=())
    assert [each.side for each in list_speakers(dialogue)] == ["left", "right"]


def test_many_peers_stand_on_the_left_and_colours_begin_again() -> None:
    dialogue = talk(*(Speaker(f"p{n}", "peer") for n in range(TONES + 1)), says=())
    lines = list_speakers(dialogue)
    assert {each.side for each in lines} == {"left"}
    assert [each.tone for each in lines] == [*range(TONES), 0]


def test_whoever_speaks_unlisted_comes_last() -> None:
    dialogue = talk(Speaker("A", "peer"), says=("ghost", "A", "ghost"))
    assert [(each.speaker, each.role) for each in list_speakers(dialogue)] == [
        ("A", "peer"),
        ("ghost", None),
    ]


def test_rows_hold_what_belongs_to_their_event() -> None:
    dialogue = talk(Speaker("A", "peer"), says=("A", "A"))
    dialogue.events.append(Action("A", "pick", {"n": 1}, [2], at_s=4.5))
    dialogue.acts = [
        Act(1, "acts", 0, "ask", 0, "city", "Oslo", 2, "ref"),
        Act(1, "acts", 0, "ask", 1, "days"),
        Act(1, "acts", 1, "greet"),
    ]
    dialogue.groundings = [Grounding(2, "x", "selected")]
    page = page_of(dialogue, finding(1))
    first, second, third = page.rows
    assert (first.acts, first.findings, first.groundings) == ([], [], [])
    assert [(each.act, each.slots) for each in second.acts] == [
        ("ask", [ActSlot("city", "Oslo", 2, "ref"), ActSlot("days")]),
        ("greet", []),
    ]
    assert [each.code for each in second.findings] == ["CG-TOY-001"]
    assert (third.text, third.name, third.arguments, third.result) == (None, "pick", {"n": 1}, [2])
    assert page.duration_s == 4.5


def test_what_is_seen_in_a_part_stands_where_the_part_begins() -> None:
    dialogue = Dialogue(
        dialogue_id="d",
        events=[Utterance("A", "hm", segment=part) for part in (1, 1, 2, 1)],
        displays=[Display("x", segment=1), Display("y", segment=2), Display("z", event=1)],
    )
    page = page_of(dialogue)
    assert [row.starts_segment for row in page.rows] == [True, False, True, True]
    assert [[each.object_id for each in row.displays] for row in page.rows] == [
        ["x"],
        ["z"],
        ["y"],
        ["x"],
    ]


def test_findings_of_no_event_that_is_there_stand_at_the_top() -> None:
    page = page_of(talk(says=("A",)), finding(None), finding(7), finding(0))
    assert [each.event for each in page.findings] == [None, 7]
    assert [event for event, _ in page.all_findings] == [None, None, 0]


def test_an_object_that_nobody_describes_is_known_by_its_id() -> None:
    dialogue = talk(says=("A",))
    dialogue.groundings = [Grounding(0, "x9", "mentioned")]
    assert page_of(dialogue).objects["x9"].kind == "unknown"


def test_a_dialogue_without_events_has_a_page() -> None:
    dialogue = Dialogue(dialogue_id="d", outcomes=[Outcome("rating", 3.0)])
    page = page_of(dialogue)
    assert (page.rows, page.duration_s, page.outcomes[0].value) == ([], None, 3.0)
