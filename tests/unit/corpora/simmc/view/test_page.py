"""The view of SIMMC, on the records of ``test_convert.py`` and on small dialogues."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.unit.corpora.parsed_html import ParsedHtml
from tests.unit.corpora.simmc.test_convert import (
    RECORD,
    RECORD2,
    TURN,
    changed,
    converted,
    converted2,
    make_context,
)

from commonground.corpora.simmc.view.graphs import AttributeChange
from commonground.corpora.simmc.view.page import build_view
from commonground.corpora.simmc.view.scenes import list_turns
from commonground.corpora.simmc.view.things import Fact, Ref, list_facts, write_value
from commonground.explorer.dialogue import draw_dialogue, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.rendering.environment import Shell
from commonground.model import Action, Dialogue, Display, Object, State, Utterance

HOSTILE = """<script>alert(1)</script><svg onload="x">"'><a href="javascript:x">\u202e"""


def page_of(dialogue: Dialogue, corpus: str = "simmc") -> str:
    drawn = draw_dialogue(corpus, dialogue)
    assert msgspec.json.encode(drawn.view)
    return render_dialogue(drawn, Shell(links=Links(), corpus=corpus))


def furniture(*scenes: dict[str, str]) -> Dialogue:
    """Makes a dialogue of one turn per scene, of things by place."""
    dialogue = Dialogue(dialogue_id="furniture-1", domain="furniture")
    for turn, scene in enumerate(scenes):
        event = len(dialogue.events)
        dialogue.events += [Utterance("user", "Hm.", turn), Utterance("assistant", "Oh.", turn)]
        for place, (pos, name) in enumerate(scene.items()):
            facts = {"name": name, "pos": pos, "color": ["Red", "Blue"]}
            shown = Display(f"furniture/{name[-1]}", event=event, position=place, attributes=facts)
            dialogue.displays.append(shown)
    return dialogue


def test_a_turn_holds_the_events_of_one_number() -> None:
    turns = list_turns(converted())
    # User, action and answer of turn 0, then the action of turn 4 without words.
    assert [(t.first, t.last, t.number, t.actions) for t in turns] == [
        (0, 2, 0, [1]),
        (3, 3, 4, [3]),
    ]


def test_what_is_in_view_stays_until_something_else_is() -> None:
    view = build_view(
        furniture({}, {"left": "OBJECT_0", "center": "OBJECT_1"}, {}, {"focus": "OBJECT_1"})
    )
    assert [(s.first, s.last, len(s.shown)) for s in view.scenes] == [
        (0, 1, 0),
        (2, 5, 2),
        (6, 7, 1),
    ]
    assert [s.title for s in view.scenes] == [
        "Nothing in view, turn 0",
        "In view, turns 1 to 2",
        "In view, turn 3",
    ]
    assert [stop.listed for stop in view.scenes[1].stops] == [True, False]
    assert [each.place for each in view.scenes[1].shown] == ["left", "centre"]


def test_things_in_view_tell_the_picture_from_the_catalogue() -> None:
    dialogue = furniture({"focus": "OBJECT_7"})
    known = {"color": ["Green"], "price": "$9", "sku": "X1", "sizes": "['S', 'M']", "note": ""}
    dialogue.objects.append(Object("furniture/7", "item", "Lamp", None, known))
    (shown,) = build_view(dialogue).scenes[0].shown
    assert shown.seen == [Fact("color", "Red, Blue")]
    assert shown.known == [Fact("price", "$9"), Fact("sizes", "S, M")]
    assert shown.more == [Fact("sku", "X1")]


def test_values_are_written_to_be_read() -> None:
    assert write_value(["a", 2, None]) == "a, 2, "
    assert write_value("[broken") == "[broken"
    assert write_value("['XS', 'S']") == "XS, S"
    assert write_value({"a": True}) == '{"a":true}'
    assert list_facts("no facts") == []


def test_actions_name_the_things_of_the_catalogue() -> None:
    line = build_view(converted()).actions[1]
    assert [(g.name, g.thing) for g in line.given] == [("focus", Ref("fashion/502", "fashion/502"))]
    assert (line.left_open, line.about, line.outcome) == (["attributes"], [], None)


def test_a_carousel_afterwards_is_things_at_places() -> None:
    result = {"focus": None, "carousel": ["71", "72"]}
    given = {"color": "red", "minPrice": -1, "flag": True}
    events: list[Any] = [Action("assistant", "SearchFurniture", given, result, 0)]
    dialogue = Dialogue(dialogue_id="furniture-1", domain="furniture", events=events)
    line = build_view(dialogue).actions[0]
    assert [(g.name, g.values) for g in line.given] == [("color", ["red"]), ("flag", ["true"])]
    assert line.left_open == ["minPrice"]
    assert [(p.place, p.thing.object_id) for p in line.outcome or []] == [
        ("left", "furniture/71"),
        ("centre", "furniture/72"),
    ]


def test_a_result_of_another_kind_is_kept() -> None:
    events: list[Any] = [Action("assistant", "Odd", ["x"], [1, 2])]
    line = build_view(Dialogue(dialogue_id="d", events=events)).actions[0]
    assert (line.given[0].values, line.outcome, line.other) == (["x"], None, [1, 2])


def test_the_belief_state_comes_first_and_names_things() -> None:
    layers = build_view(converted()).layers
    belief, *rest = layers[0]
    assert belief.name == "belief_state"
    first, second = belief.chips
    assert (first.act, second.act) == ("DA:ASK:GET:CLOTHING.price", "ERR:UNSURE")
    assert first.slots[0].thing == Ref("fashion/501", "OBJECT_0", "coat")
    assert (first.slots[1].short, first.slots[1].value) == ("color", "red")
    assert [layer.name for layer in rest] == ["transcript_annotated", "turn_label"]


def test_annotations_that_say_the_same_are_one() -> None:
    act = {"act": "DA:ASK:GET", "slots": [["fashion-O", "OBJECT_0"], ["fashion-color", "red"]]}
    label = {"act": "DA:ASK:GET", "objects": [], "slots": [["color", "red"]]}
    record = changed(belief_state=[act], turn_label=[label], transcript_annotated="[]")
    (layer,) = build_view(converted(record)).layers[0]
    assert (layer.name, layer.also) == ("belief_state", ["turn_label"])


def test_words_are_marked_with_the_thing_that_is_meant() -> None:
    view = build_view(converted())
    # The intent's span, 0 to 25 of 26 characters, goes to its act; the slot's stays in the text.
    assert [(m.start_char, m.label, m.shared) for m in view.marked[0].spans] == [
        (16, "O.color", "fashion/501")
    ]
    assert view.layers[0][1].chips[0].words == "What is this in red worth"


def test_a_span_that_marks_other_words_says_which_it_should() -> None:
    wrong = TURN["transcript_annotated"].replace("'text': 'red'", "'text': 'coat'")
    view = build_view(converted(changed(transcript_annotated=wrong)))
    assert view.marked[0].spans[0].label == "O.color: “coat”"


def test_state_graphs_are_compared_step_by_step() -> None:
    kind, states = "attribute", []
    for event, layer, slot, value in (
        (0, "state_graph_0", "color", "red"),
        (0, "state_graph_0", "size", "S"),
        (0, "state_graph_0", "type", "coat"),
        (0, "state_graph_1", "color", "blue"),
        (0, "state_graph_1", "type", "coat"),
        (1, "state_graph_2", "color", "blue"),
        (1, "state_graph_2", "price", "$5"),
        (1, "state_graph_2", "type", "coat"),
    ):
        states.append(State(event, layer, kind, 3, slot=slot, value=value))
    dialogue = furniture({})
    dialogue.states = states
    panel = build_view(dialogue).turns[0].graph
    assert panel is not None
    (card,) = panel.cards
    assert (panel.steps, card.name, card.object_id) == (
        [0, 1, 2],
        "OBJECT_3",
        "furniture-1/OBJECT_3",
    )
    assert card.differences == [
        AttributeChange(step=1, change="changed", slot="color", before=["red"], after=["blue"]),
        AttributeChange(step=1, change="removed", slot="size", before=["S"]),
        AttributeChange(step=2, change="added", slot="price", after=["$5"]),
    ]
    assert card.same == [("type", "coat")]


def test_things_appear_in_a_graph_and_vanish() -> None:
    panel = build_view(converted()).turns[0].graph
    assert panel is not None
    # Graph 0 is empty, 1 has OBJECT_0, 2 has USER only.
    assert [(c.name, c.appears, c.vanishes) for c in panel.cards] == [
        ("OBJECT_0", 1, 2),
        ("USER", 2, None),
    ]


def test_the_turn_lists_what_it_speaks_of() -> None:
    turn = build_view(converted()).turns[0]
    assert [(c.thing.name, [event for event, _ in c.ways]) for c in turn.talked] == [
        ("OBJECT_0", [0, 0]),
        ("fashion/502", [1]),
    ]


def test_the_task_names_its_images() -> None:
    assert [
        (each.words, [t.object_id for t in each.things]) for each in build_view(converted()).task
    ] == [
        ("in focus at first", ["fashion/501"]),
        ("to be found", ["fashion/502"]),
    ]


def test_turns_are_the_outline_with_what_was_done() -> None:
    items = build_view(converted()).outline
    # The action of turn 4 is "None".
    assert [(i.label, i.event, i.detail) for i in items] == [
        ("Turn 0", 0, "SearchDatabase"),
        ("Turn 4", 3, None),
    ]


def test_version_2_shows_rooms_and_says_what_is_known_of_things() -> None:
    view = build_view(converted2())
    (scene,) = view.scenes
    assert (scene.whole, scene.shown[0].object.object_id, scene.shown[0].place) == (
        True,
        "corner",
        None,
    )
    (card,) = view.turns[0].talked
    assert (card.thing.name, card.facts) == (
        "3",
        [Fact("price", "9.5"), Fact("availableSizes", "S, M")],
    )
    assert card.ways == [(0, "may be meant"), (1, "INFORM:GET")]


def test_version_2_doubts_keep_labels_that_contradict_each_other() -> None:
    doubt = build_view(converted2()).doubts[0]
    assert (doubt.labels, doubt.verdict) == (["0", "1"], "not ambiguous and ambiguous")
    assert ([each.name for each in doubt.between], doubt.raw) == (["3"], ["all"])


def test_references_without_an_act_that_names_them_are_said() -> None:
    dialogue = converted2()
    assert build_view(dialogue).abouts == {}  # the answer's act names thing 3 already
    dialogue.acts = []
    assert build_view(dialogue).abouts == {1: [Ref("7/3", "3")]}


def test_the_page_lights_up_words_card_and_picture_together() -> None:
    html = page_of(converted())
    # In the text, the strip, the scene, its picture twice, the acts, the talk, the graph, the task.
    assert html.count('data-object="fashion/501"') >= 8
    assert '<section class="stage scene-stage" data-first="0" data-last="2"' in html
    assert "3 candidate answers, no. 2 is right" in html
    assert "no. -1, which the pool does not have" in html


def test_calls_without_words_show_the_right_answer() -> None:
    context = make_context()
    record = {key: value for key, value in RECORD.items() if key != "dialogue"}
    context.rankings["fashion-12"][4] = context.rankings["fashion-12"][0]
    html = page_of(converted({**record, "dialogue": []}, context))
    assert html.count('class="right-answer"') == 2
    assert "<bdi>$40.</bdi>" in html


def test_an_empty_answer_and_an_empty_dialogue_have_pages() -> None:
    assert "no words in the release" in page_of(converted(changed(system_transcript="")))
    public = changed(system_transcript="", belief_state={})
    assert "withheld by the authors" in page_of(converted(public))
    assert 'class="stage"' not in page_of(Dialogue(dialogue_id="x"))
    assert "ambiguous" in page_of(converted2(), "simmc2")


def test_hostile_texts_are_shown_as_text() -> None:
    act = {"act": HOSTILE, "slots": [[HOSTILE, HOSTILE], ["fashion-O", "OBJECT_0"]]}
    record = changed(
        transcript=HOSTILE,
        belief_state=[act],
        visual_objects={HOSTILE: {"pos": HOSTILE, HOSTILE: HOSTILE, "type": HOSTILE}},
        state_graph_1={HOSTILE: {HOSTILE: HOSTILE}},
    )
    parsed = ParsedHtml(page_of(converted(record)))
    assert parsed.text.count(HOSTILE) >= 8
    assert parsed.dangers() == []
    second = {**RECORD2, "scene_ids": {"0": HOSTILE}, "domain": HOSTILE}
    assert ParsedHtml(page_of(converted2(second), "simmc2")).dangers() == []
