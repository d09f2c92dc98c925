from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from tests.unit.play.scenarios.simmc.shops import clothes, fashion_course, furniture_course

from commonground.corpora.simmc.native.reprs import parse_intents
from commonground.corpora.simmc.native.simmc1 import ApiCall, ApiCalls, Dialogue1, Task
from commonground.corpora.simmc.rules.annotations import ACT
from commonground.errors import FormatError
from commonground.play.player import Moment, Move
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.simmc.annotation.agreement import (
    AGREEMENT,
    ANNOTATIONS,
    Annotation,
    LayerAgreement,
    measure_agreement,
)
from commonground.play.scenarios.simmc.annotation.assigning import ASSIGNER
from commonground.play.scenarios.simmc.annotation.known import KnownThing
from commonground.play.scenarios.simmc.annotation.labels import (
    ActLabel,
    SlotSpan,
    label_dialogue,
    offer_for,
)
from commonground.play.scenarios.simmc.annotation.material import (
    PLAN,
    AnnotationMaterial,
    invent_material,
    material_of,
    read_material,
)
from commonground.play.scenarios.simmc.annotation.proposals import propose
from commonground.play.scenarios.simmc.annotation.rules import SCENARIO, SLOT, AnnotationState
from commonground.play.scenarios.simmc.annotation.script import Annotator
from commonground.play.scenarios.simmc.game.talk import plain

COAT = KnownThing(0, "focus", {"type": "coat", "color": ["red"], "brand": "Pale Kite", "size": "S"})
SKIRT = KnownThing(1, "", {"type": "skirt", "color": ["pale_blue"]})
LIKES = ActLabel("DA:INFORM:PREFER:CLOTHING", (0,), (SlotSpan("attentionOn", 2, 6),))
ASKS = ActLabel("DA:ASK:GET:CLOTHING.price", (0,))


def talk() -> AnnotationMaterial:
    """Two rounds about a coat: the user likes it and asks its price; then it asks for another."""
    course = fashion_course()
    course.ask("I like this. How much?")
    course.do("specify", attributes=["price"])
    course.answer("It is $1.")
    course.round(("focus", {"image": 5}))
    return material_of(course.records(), {each.number: each for each in clothes().items})


class Desk:
    """Somebody who labels."""

    def __init__(self, material: AnnotationMaterial) -> None:
        self.state: AnnotationState = SCENARIO.start(material, 0)
        self.now_us = 0

    def act(self, kind: str, role: str | None = "annotator", **payload: Any) -> str:
        self.now_us += 1
        result = SCENARIO.apply(self.state, Act(kind, role, payload, self.now_us))
        if isinstance(result, Refusal):
            return result.code
        self.state = result
        return ""

    def label(self, utterance: int, *frames: ActLabel) -> str:
        return self.act("simmc.label", utterance=utterance, frames=plain(frames))

    def dialogue(self) -> Dialogue1:
        found: Dialogue1 = SCENARIO.finish(self.state, Sitting(3, {}))[0]
        return found


@pytest.fixture
def desk() -> Desk:
    return Desk(talk())


def test_the_last_label_counts_and_all_must_have_one(desk: Desk) -> None:
    assert desk.label(0, ASKS) == ""
    assert desk.label(0, LIKES) == ""
    assert desk.act("simmc.submit") == "labels_missing"
    for utterance in (1, 2, 3):
        assert desk.label(utterance) == ""
    assert desk.act("simmc.submit") == ""
    assert SCENARIO.is_complete(desk.state)
    assert desk.label(0, ASKS) == "over"
    belief: Any = desk.dialogue().dialogue[0].belief_state
    assert [each.act for each in belief] == [LIKES.act]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (ActLabel("DA:SING:GET"), "unknown_act"),
        (ActLabel(ASKS.act, (1,)), "unknown_object"),
        (ActLabel(ASKS.act, (), (SlotSpan("price", 3, 3),)), "bad_span"),
        (ActLabel(ASKS.act, (), (SlotSpan("price", -1, 3),)), "bad_span"),
        (ActLabel(ASKS.act, (), (SlotSpan("price", 0, 99),)), "bad_span"),
        (ActLabel(ASKS.act, (), (SlotSpan("a slot", 0, 1),)), "bad_slot"),
    ],
)
def test_labels_speak_of_what_was_there(desk: Desk, frame: ActLabel, code: str) -> None:
    assert desk.label(0, frame) == code


def test_other_refusals(desk: Desk) -> None:
    assert desk.label(4) == desk.label(-1) == "no_such_utterance"
    assert desk.label(0, *[ASKS] * 11) == "too_many_acts"
    assert desk.act("simmc.label", utterance=0, frames=[{}]) == "bad_payload"
    assert desk.act("simmc.submit", role="user") == "wrong_role"
    assert desk.act("simmc.focus", image=5) == "unknown_type"
    assert desk.act("moderator.end", role=None, reason="late") == ""
    assert SCENARIO.is_over(desk.state)
    assert not SCENARIO.is_complete(desk.state)


def test_an_answer_may_speak_of_what_it_shows(desk: Desk) -> None:
    known = [{each.number for each in utterance.known} for utterance in desk.state.utterances]
    assert known == [{0}, {0}, {0, 1}, {0, 1}]
    places = [{e.number: e.place for e in u.known} for u in desk.state.utterances]
    assert places[2] == {0: "focus", 1: "answer"}


def test_one_label_gives_all_fields() -> None:
    labels = {0: (LIKES, ASKS), 1: (ActLabel("DA:INFORM:GET:CLOTHING.price", (0,)),)}
    turns = label_dialogue(talk().dialogue, labels).dialogue
    first: Any = turns[0]
    assert first.belief_state[0].slots == [
        ["fashion-O", "OBJECT_0"],
        ["fashion-attentionOn", "like"],
    ]
    things = first.turn_label[0].objects
    assert [(each.obj_idx, each.obj_name, each.obj_type) for each in things] == [
        (0, "OBJECT_0", "coat")
    ]
    intents = parse_intents(first.transcript_annotated)
    assert intents is not None
    assert [each.intent for each in intents] == [LIKES.act, ASKS.act]
    assert [each.node_id for each in intents] == [1, 2]
    assert intents[0].slots[0].text == "like"
    assert first.system_belief_state[0].act == "DA:INFORM:GET:CLOTHING.price"
    assert turns[1].belief_state == []
    assert turns[1].transcript_annotated == "[]"


def test_what_the_user_likes_is_known_from_then_on() -> None:
    turns: list[Any] = label_dialogue(talk().dialogue, {0: (LIKES,)}).dialogue
    graphs = [turns[0].state_graph_0, turns[0].state_graph_1, turns[0].state_graph_2]
    assert ["PREFER by" in graph["OBJECT_0"] for graph in graphs] == [False, True, True]
    assert turns[1].state_graph_0 == turns[0].state_graph_2


def test_several_attributes_of_a_question_are_one_act() -> None:
    call = ApiCall(
        turn_idx=0, action="SpecifyInfo", action_supervision={"attributes": ["price", "brand"]}
    )
    text = "I like this pale blue one. What are its price and brand?"
    likes, asks = propose(text, "user", "fashion", [COAT, SKIRT], call)
    assert [likes.act, asks.act] == ["DA:INFORM:PREFER:CLOTHING", "DA:ASK:GET:CLOTHING.info"]
    spans = [(each.slot, text[each.start : each.end]) for each in (*likes.slots, *asks.slots)]
    assert spans == [
        *(("attentionOn", "this"), ("color", "pale blue")),
        *(("price", "price"), ("brand", "brand")),
    ]
    assert likes.objects == asks.objects == (0,)
    assert [text[slice(*each.span or ())] for each in (likes, asks)] == [
        "I like this pale blue one.",
        "What are its price and brand?",
    ]


def test_a_label_names_what_the_answer_brings() -> None:
    call = ApiCall(
        turn_idx=0,
        action="SearchMemory",
        action_supervision={"focus": 1, "attributes": ["price"]},
    )
    brought = KnownThing(1, "answer", SKIRT.facts)
    text = "I don't like this. How much is the blue skirt I saw before?"
    dislikes, asks = propose(text, "user", "fashion", [COAT, brought], call)
    assert (dislikes.act, dislikes.objects) == ("DA:INFORM:DISPREFER:CLOTHING", (0,))
    assert (asks.act, asks.objects) == ("DA:ASK:GET:CLOTHING.price", (1,))


def test_an_act_may_be_a_part_of_what_is_said(desk: Desk) -> None:
    part = msgspec.structs.replace(LIKES, span=(0, 12))
    assert desk.label(0, part, msgspec.structs.replace(ASKS, span=(13, 23))) == "bad_span"
    assert desk.label(0, part, msgspec.structs.replace(ASKS, span=(13, 22))) == ""
    annotated: Any = desk.dialogue().dialogue[0].transcript_annotated
    intents = parse_intents(annotated)
    assert intents is not None
    assert [(each.span.start, each.span.end) for each in intents if each.span] == [
        (0, 12),
        (13, 22),
    ]


def test_the_action_says_which_act_is_likely() -> None:
    def act(side: Any, name: str) -> str:
        call = ApiCall(turn_idx=0, action=name, action_supervision=None)
        return propose("x", side, "furniture", [], call)[0].act

    assert act("user", "Rotate") == "DA:REQUEST:ROTATE:FURNITURE"
    assert act("assistant", "AddToCart") == "DA:CONFIRM:ADD_TO_CART:FURNITURE"
    assert act("user", "None") == "ERR:CHITCHAT"


def test_things_in_a_row_are_pointed_at_by_their_place() -> None:
    left, right = KnownThing(3, "left", {}), KnownThing(4, "right", {})
    (frame,) = propose("the first one please", "user", "furniture", [left, right], None)
    assert frame.objects == (3,)


def test_material_must_have_graphs_and_calls_that_fit() -> None:
    material = talk()
    for change, words in (
        ({"calls": ApiCalls(dialog_id=5, actions=[])}, "an action for each of 2 turns"),
        ({"dialogue": msgspec.structs.replace(material.dialogue, dialogue=[])}, "a turn or more"),
        (
            {
                "dialogue": msgspec.structs.replace(
                    material.dialogue, dialogue_coref_map=msgspec.UNSET
                )
            },
            "the things of the dialogue",
        ),
    ):
        with pytest.raises(FormatError, match=words):
            SCENARIO.start(msgspec.structs.replace(material, **change), 0)


def test_what_is_released_is_labelled_once() -> None:
    material = talk()
    records = [*SCENARIO.finish(SCENARIO.start(material, 0), Sitting(0, {}))]
    assert [type(each) for each in records] == [Dialogue1, ApiCalls, Task, Annotation]
    files = {each.path: each.data for each in SCENARIO.release([*records, *records])}
    base = "simmc_fashion/fashion_collected_dials"
    assert list(files) == [f"{base}.json", f"{base}_api_calls.json", ANNOTATIONS]
    assert len(msgspec.json.decode(files[f"{base}.json"])["dialogue_data"]) == 1


def annotate(person: int, *labels: tuple[ActLabel, ...]) -> list[Any]:
    """What comes of a person's labels of the utterances of :func:`talk`, in order."""
    desk = Desk(msgspec.structs.replace(talk(), people=2))
    for number, frames in enumerate(labels):
        assert desk.label(number, *frames) == ""
    return [*SCENARIO.finish(desk.state, Sitting(0, {"annotator": person}))]


def test_agreement_of_two_annotators_is_released_by_layer_with_who_said_what() -> None:
    slots = (SlotSpan("price", 0, 2),)
    one = annotate(4, (LIKES,), (), (ASKS,), ())
    other = annotate(7, (LIKES, ASKS), (), (msgspec.structs.replace(ASKS, slots=slots),), ())
    again = annotate(4, (), (), (), ())
    files = {each.path: each.data for each in SCENARIO.release([*one, *other, *again])}
    measured = msgspec.json.decode(files[AGREEMENT], type=dict[str, LayerAgreement])
    assert {each.utterances for each in measured.values()} == {4}
    # Acts: one of three that the two mark is of one person only; slots: one against one and two.
    assert (measured["acts"].equal, measured["acts"].f1) == (3 / 4, 2 * 2 / 5)
    assert (measured["slots"].equal, measured["slots"].f1) == (3 / 4, 2 * 1 / 3)
    assert (measured["objects"].equal, measured["objects"].f1) == (1, 1)
    assert measured["objects"].alpha == 1
    assert 0 < (measured["acts"].alpha or 0) < 1
    lines = [msgspec.json.decode(each, type=Annotation) for each in files[ANNOTATIONS].splitlines()]
    assert [each.annotator for each in lines] == [4, 7, 4]
    assert lines[0].labels == ((LIKES,), (), (ASKS,), ())
    released = msgspec.json.decode(files["simmc_fashion/fashion_collected_dials.json"])
    (dialogue,) = released["dialogue_data"]
    assert [each["act"] for each in dialogue["dialogue"][0]["belief_state"]] == [LIKES.act]


def test_without_a_second_annotator_there_is_no_agreement() -> None:
    assert measure_agreement([*annotate(4, (LIKES,))[-1:], *annotate(4, (ASKS,))[-1:]]) == {}
    # Utterances that one of the two has not labelled are nothing to compare.
    (one,), (other,) = annotate(4, (LIKES,))[-1:], annotate(5)[-1:]
    assert measure_agreement([one, other]) == {}


def test_dialogues_are_given_to_as_many_people_as_they_say() -> None:
    twice = msgspec.structs.replace(talk(), people=2)
    given = ASSIGNER.open([twice, twice], 1)
    none = dict.fromkeys(("alpha_acts", "alpha_slots", "alpha_objects"))
    assert given.measures() == {"done": 0, "left": 4, **none}
    for person, number in ((0, 0), (1, 1), (0, 1), (1, 0)):
        assert given.choose(person) == number
        given.begin(person, number)
        given.end(person, number, annotate(person, (LIKES,), (), (ASKS,), ()))
    assert given.choose(0) is None
    assert given.choose(2) is None
    assert given.measures()["alpha_acts"] == 1
    given.exclude(1, True)
    assert given.measures() == {"done": 2, "left": 2, **none}
    assert given.choose(2) == 0
    assert given.choose(0) is given.choose(1) is None
    given.exclude(1, False)
    assert given.measures()["left"] == 0
    assert given.choose(2) is None


@pytest.mark.parametrize(("words", "people"), [("", 1), ("people = 2", 2)])
def test_a_file_says_how_many_people_label_each_dialogue(
    tmp_path: Path, words: str, people: int
) -> None:
    folder = export(tmp_path)
    (folder / PLAN).write_text(words, encoding="utf-8")
    assert {each.people for each in read_material(folder)} == {people}


@pytest.mark.parametrize("words", ["people = 0", "people", "persons = 2"])
def test_what_is_no_number_of_people_is_said_so(tmp_path: Path, words: str) -> None:
    folder = export(tmp_path)
    (folder / PLAN).write_text(words, encoding="utf-8")
    with pytest.raises(FormatError, match=PLAN) as caught:
        read_material(folder)
    assert "people = 2" in str(caught.value)


def export(folder: Path) -> Path:
    """A folder with the released file of one dialogue."""
    records = SCENARIO.finish(SCENARIO.start(talk(), 0), Sitting(0, {}))
    for each in SCENARIO.release(records):
        path = folder / each.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(each.data)
    return folder


def test_a_script_takes_proposals_for_words_that_are_no_phrase() -> None:
    desk = Desk(talk())
    view = SCENARIO.view(desk.state, "annotator")
    moment = Moment("annotator", view, SCENARIO.allowed(desk.state, "annotator"), 0)
    move = Annotator().next_move(moment, Random(1))
    assert isinstance(move, Move)
    proposal = view["utterances"][0]["proposal"]
    assert move.payload == {"utterance": 0, "frames": proposal}
    assert [each["act"] for each in proposal] == [LIKES.act, ASKS.act]


def test_furniture_is_labelled_by_its_places() -> None:
    course = furniture_course()
    course.round(("search", {"furnitureType": "Sofas"}), ("share", {}))
    course.round(answer="Here is more.")
    desk = Desk(material_of(course.records(), {}))
    places = [[each.place for each in utterance.known] for utterance in desk.state.utterances]
    row = ["left", "center", "right"]
    assert places == [["answer"] * 3, row, row, row]


def test_cells_of_the_furniture_catalogue_are_proposed_as_people_say_them() -> None:
    facts = {
        "class_name": "Sofas",
        "color": "['White', 'Pale Blue']",
        "sale_price": "771.0",
        "x_dim": "31",
        "sku": "31",
    }
    text = "White sofas, pale blue, $771, 31 wide."
    (frame,) = propose(text, "assistant", "furniture", [KnownThing(4, "left", facts)], None)
    assert [(each.slot, text[each.start : each.end]) for each in frame.slots] == [
        *(("color", "White"), ("furnitureType", "sofas"), ("color", "pale blue")),
        *(("price", "$771"), ("width", "31")),
    ]


def test_views_say_of_each_thing_once_what_is_known_of_it(desk: Desk) -> None:
    view = SCENARIO.view(desk.state, "annotator")
    assert view["utterances"][2]["known"] == [
        {"number": 0, "place": "focus"},
        {"number": 1, "place": "answer"},
    ]
    assert [each["did"] for each in view["utterances"]] == [
        *(None, "SpecifyInfo", None, "SearchDatabase")
    ]
    assert {number: each["kind"] for number, each in view["things"].items()} == {
        "0": "coat",
        "1": "dress",
    }
    assert view["things"]["0"]["picture"] == "1.png"
    assert view["offer"]["user"][0] == "DA:ASK:GET:CLOTHING"
    assert view["offer"]["assistant"][0] == "DA:INFORM:GET:CLOTHING"


@pytest.mark.parametrize(("number", "side"), [(0, None), (1, "front")])
def test_invented_things_are_drawn_as_what_they_are(number: int, side: str | None) -> None:
    """Their pictures are of plain shapes, and stand for them in files only."""
    material = invent_material(2, 27)[number]
    view = SCENARIO.view(SCENARIO.start(material, 1), "annotator")
    assert view["things"]
    for thing in view["things"].values():
        assert (thing["picture"], thing["side"]) == (None, side)
        assert thing["kind"]
        assert thing["look"]["color"]


@pytest.mark.parametrize("domain", ["fashion", "furniture"])
def test_what_is_offered_is_accepted(domain: str) -> None:
    offer = offer_for(domain)
    for act in (*offer["user"], *offer["assistant"]):
        for attribute in ("", *(f".{each}" for each in offer["attributes"])):
            assert act.startswith("ERR:") or ACT.fullmatch(act + attribute)
        assert ACT.fullmatch(act)
    assert all(SLOT.fullmatch(each) for each in offer["slots"])
    assert len(set(offer["slots"])) == len(offer["slots"])


def test_each_dialogue_is_given_once_and_again_where_it_broke_off() -> None:
    given = ASSIGNER.open([talk(), talk()], 1)
    assert given.choose(0) == 0
    given.begin(0, 0)
    assert given.choose(1) == 1
    given.begin(1, 1)
    assert given.choose(2) is None
    given.end(0, 0, ["records"])
    assert given.choose(1) is None
    given.end(1, 1, [])
    assert given.choose(0) == 1
    assert given.measures() == {"done": 1, "left": 1}


def test_dialogues_of_somebody_who_is_forgotten_are_given_again() -> None:
    given = ASSIGNER.open([talk(), talk(), talk()], 1)
    for person, number in ((7, 0), (8, 1), (7, 2)):
        given.begin(person, number)
    given.end(7, 0, ["records"])
    given.end(8, 1, ["records"])
    given.forget(7)
    assert given.measures() == {"done": 1, "left": 2}
    given.begin(8, 0)
    assert given.choose(8) == 2
    assert not given.is_under_review(8)
