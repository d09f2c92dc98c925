from __future__ import annotations

from commonground.explorer.pages.parts.default_view import OUTLINE_STEP, HeldSlot, build_view
from commonground.model import Dialogue, Display, State, Utterance


def talk(parts: list[int | None], displays: list[Display]) -> Dialogue:
    events = [Utterance("A", "hm", segment=part) for part in parts]
    return Dialogue(dialogue_id="d", events=list(events), displays=displays)


def test_parts_are_outline_and_panels() -> None:
    view = build_view(
        talk([1, 1, 2], [Display("y", "A", None, 1, 1), Display("x", "A", None, 1, 0)])
    )
    assert [(each.label, each.event) for each in view.outline] == [("Part 1", 0), ("Part 2", 2)]
    (stage,) = view.stages  # nothing was shown in part 2
    assert (stage.first, stage.last) == (0, 1)
    assert [each.object_id for each in stage.sights[0].displays] == ["x", "y"]


def test_each_viewer_has_their_own_sight() -> None:
    view = build_view(talk([1], [Display("x", "A", None, 1), Display("y", "B", None, 1)]))
    assert [each.viewer for each in view.stages[0].sights] == ["A", "B"]


def test_what_is_shown_at_an_event_is_seen_until_the_next_showing() -> None:
    view = build_view(talk([None] * 6, [Display("x", event=1), Display("y", event=4)]))
    assert [(each.first, each.last) for each in view.stages] == [(1, 3), (4, 5)]


def test_a_long_talk_without_parts_has_an_outline_by_number() -> None:
    view = build_view(talk([None] * (OUTLINE_STEP + 1), []))
    assert [each.label for each in view.outline] == ["Events 0 to 19", "Events 20 to 20"]


def test_a_short_one_has_none() -> None:
    assert build_view(talk([None] * OUTLINE_STEP, [])).outline == []


def test_a_state_holds_until_the_next_of_its_layer() -> None:
    dialogue = talk([None] * 6, [])
    dialogue.states = [
        State(1, "user", "info", slot="city", value="Oslo"),
        State(1, "user", "info", slot="city", value="Rome", negated=True),
        State(3, "system", "info", slot="days", value="2"),
        State(4, "user", "info"),
    ]
    stages = build_view(dialogue).states
    assert [(each.first, each.last) for each in stages] == [(1, 2), (3, 3), (4, 5)]
    city, days = HeldSlot("info", "city", ["Oslo", "not Rome"]), HeldSlot("info", "days", ["2"])
    told = [[(held.layer, held.slots) for held in each.held] for each in stages]
    assert told == [
        [("user", [city])],
        [("user", [city]), ("system", [days])],
        [("user", []), ("system", [days])],
    ]


def test_frames_of_a_state_stand_apart() -> None:
    dialogue = talk([None], [])
    dialogue.states = [
        State(0, "frames", "info", frame=1, active=False, slot="city", value="Oslo"),
        State(0, "frames", "info", frame=2, active=True, slot="city", value="Rome"),
    ]
    (stage,) = build_view(dialogue).states
    assert [(each.frame, each.active, len(each.slots)) for each in stage.held] == [
        (1, False, 1),
        (2, True, 1),
    ]
