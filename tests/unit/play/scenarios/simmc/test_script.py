from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Any

import pytest
from tests.unit.play.scenarios.simmc.shops import Course, fashion_course, furniture_course

from commonground.corpora.simmc.native.simmc1 import ApiCalls, Dialogue1
from commonground.play.player import Moment, Move, Player, Seat, Wait
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.simmc.annotation.material import invent_material
from commonground.play.scenarios.simmc.players.language import load_phrases
from commonground.play.scenarios.simmc.simulate import label_talk
from commonground.play.session import Session, play

DOMAINS = ("fashion", "furniture")


def hold(name: str, seed: int) -> tuple[Session[Any], Dialogue1, ApiCalls]:
    """Lets scripts play a session."""
    scenario = get_scenario(f"simmc-{name}")
    enter, rules = scenario.player_kinds()["script"].enter, scenario.rules
    material = scenario.material_source().invent(1, 3)[seed % 12 if name == "fashion" else 0]
    players = {role: enter(Seat(role, material, seed + at)) for at, role in enumerate(rules.roles)}
    session = play(rules, material, seed, players)
    records = rules.finish(session.state, Sitting(0, {}))
    return session, records[0], records[1]


@pytest.mark.parametrize("name", DOMAINS)
def test_scripts_talk_to_the_end_without_a_refusal(name: str) -> None:
    for seed in range(30):
        session, dialogue, _ = hold(name, seed)
        assert session.rejected == []
        assert len(session.state.talk.surveys) == 2
        assert 2 <= len(dialogue.dialogue) <= 16


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("fashion", {"None", "SpecifyInfo", "SearchDatabase", "SearchMemory", "AddToCart"}),
        (
            "furniture",
            {
                *("None", "SpecifyInfo", "SearchFurniture", "NavigateCarousel", "Rotate"),
                *("FocusOnFurniture", "AddToCart"),
            },
        ),
    ],
)
def test_every_action_comes_up(name: str, actions: set[str]) -> None:
    found = Counter(call.action for seed in range(40) for call in hold(name, seed)[2].actions)
    assert found.keys() == actions


@pytest.mark.parametrize("name", DOMAINS)
def test_scripts_take_the_time_of_people(name: str) -> None:
    session, dialogue, _ = hold(name, 4)
    seconds = (session.acts[-1].at_us - session.acts[0].at_us) / 1e6
    assert 8 < seconds / len(dialogue.dialogue) < 120


@pytest.mark.parametrize("name", DOMAINS)
def test_the_same_seed_is_the_same_talk(name: str) -> None:
    assert hold(name, 5)[0].acts == hold(name, 5)[0].acts
    assert hold(name, 5)[0].acts != hold(name, 6)[0].acts


def seat(course: Course[Any], role: str) -> Player:
    """Seats a script in a session."""
    material = getattr(course.state, "material", None) or course.state.facts
    kind = get_scenario(course.game.name).player_kinds()["script"]
    return kind.enter(Seat(role, material, 1))


def react(course: Course[Any], player: Player, text: str) -> list[str]:
    """Returns what a scripted assistant does about a person's words, its answer last."""
    course.ask(text)
    done: list[str] = []
    while not done or done[-1] != "chat.message":
        allowed = course.game.allowed(course.state, "assistant")
        moment = Moment("assistant", course.view("assistant"), allowed, course.now_us)
        move = player.next_move(moment, Random(1))
        assert isinstance(move, Move)
        done.append(move.type)
        assert course.act("assistant", move.type, **move.payload) == ""
    return done


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("so what is the price", ["simmc.specify", "chat.message"]),
        ("is it available in blue sizes", ["simmc.specify", "chat.message"]),
        ("I am looking for gloves", ["simmc.focus", "chat.message"]),
        ("go back to the one from earlier", ["simmc.focus", "chat.message"]),
        ("put it in my cart", ["simmc.cart", "chat.message"]),
        ("what a lovely day", ["chat.message"]),
        ("xyzzy", ["chat.message"]),
    ],
)
def test_a_person_is_understood_by_hints_in_fashion(text: str, done: list[str]) -> None:
    course = fashion_course()
    assert react(course, seat(course, "assistant"), text) == done


def test_a_person_is_understood_by_hints_in_furniture() -> None:
    course = furniture_course()
    player = seat(course, "assistant")
    assert react(course, player, "what is the price of it") == ["chat.message"]
    assert react(course, player, "hi, I am looking for sofas") == ["chat.message"]
    shows = ["simmc.share", "chat.message"]
    assert react(course, player, "hmm black maybe") == ["simmc.search", *shows]
    assert react(course, player, "bring it closer") == ["simmc.focus", *shows]
    tells = ["simmc.click", "simmc.specify", "chat.message"]
    assert react(course, player, "what does it cost") == tells
    assert react(course, player, "now turn it") == ["simmc.rotate", *shows]
    assert react(course, player, "and all of them again") == ["simmc.unfocus", *shows]


@pytest.mark.parametrize(
    "text",
    ["I want to buy a sofa", "Can you help me find some sofas?", "need a new sofa", "A nice sofa!"],
)
def test_who_names_a_kind_of_furniture_first_is_asked_for_a_colour(text: str) -> None:
    course = furniture_course()
    assert react(course, seat(course, "assistant"), text) == ["chat.message"]
    asked = course.view("assistant")["chat"][-1]["text"]
    assert asked in load_phrases().assistant["which.color"]


def test_the_other_waits() -> None:
    course = fashion_course()
    moment = Moment("assistant", course.view("assistant"), (), course.now_us)
    assert seat(course, "assistant").next_move(moment, Random(1)) == Wait()


def test_a_move_under_way_is_kept() -> None:
    course = fashion_course()
    player = seat(course, "user")
    allowed = course.game.allowed(course.state, "user")
    move = player.next_move(Moment("user", course.view("user"), allowed, 0), Random(1))
    again = Moment("user", course.view("user"), allowed, 0, pending=move)
    assert player.next_move(again, Random(2)) is move


def test_the_annotator_knows_every_phrase_of_the_players() -> None:
    for talk in invent_material(6, 2):
        dialogue, _ = label_talk(talk, 1)
        for turn in dialogue.dialogue:
            for belief in (turn.belief_state, turn.system_belief_state):
                assert isinstance(belief, list)
                assert len(belief) == 1


@pytest.mark.parametrize("name", DOMAINS)
def test_users_rarely_say_the_same_twice(name: str) -> None:
    texts = [turn.transcript for seed in range(40) for turn in hold(name, seed)[1].dialogue]
    assert len(set(texts)) > 0.85 * len(texts)  # nearly all differ in the released files


def test_users_name_what_they_see_by_its_place_and_its_look() -> None:
    named = Counter[str]()
    for seed in range(20):
        _, dialogue, _ = hold("furniture", seed)
        scene: dict[str, Any] = {}
        for turn in dialogue.dialogue:
            scene = turn.visual_objects or scene
            for found, place in re.findall(
                r"the ([a-z ]+?) (?:on the|in the) (left|center|right)", turn.transcript
            ):
                [thing] = [each for each in scene.values() if each["pos"] == place]
                kind = str(thing["class_name"]).lower().removesuffix("s")
                words = found.rpartition("the ")[2]  # "the price of the grey sofa"
                assert words in ("one", kind, f"{thing['color'][0].lower()} {kind}")
                named[words.removesuffix(kind)] += 1
    assert len(named) > 3
