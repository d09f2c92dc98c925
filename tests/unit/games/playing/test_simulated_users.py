"""Faults of simulated users: each is planted once, and found where it is."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from commonground.corpora import get_scenario
from commonground.corpora.frames.scenario.auditing import find_faults
from commonground.corpora.frames.scenario.game.state import State
from commonground.corpora.frames.scenario.travel.database import open_database
from commonground.corpora.taskmaster.scenario.game.auditing import (
    find_faults as find_customer_faults,
)
from commonground.corpora.taskmaster.scenario.game.state import plan_turns
from commonground.corpora.taskmaster.scenario.material import Material as TaskmasterMaterial
from commonground.games.auditing import Fault, Said, find_plain, list_said
from commonground.games.player import Moment, Move, Player, PlayerKind, Wait
from commonground.games.playing import play_sessions, seat_players
from commonground.games.playing.session_logs import SessionLog, read_sessions
from commonground.games.playing.simulated_users import Audited, audit_sessions, name_result
from commonground.games.scenario import Act, Refusal
from commonground.games.session import Rejected


def find(*texts: str) -> list[str]:
    said = [Said("user", each) for each in texts]
    other = Said("wizard", "hello, and again")
    return [each.kind for each in find_plain("user", [*said, other], (), complete=True)]


@pytest.mark.parametrize(
    ("texts", "kinds"),
    [
        (("hi", "a trip to Rome, please"), []),
        (("any more?", "Any  more?"), ["repeated"]),
        (("Wizard: here is an offer",), ["other_role"]),
        (("fine\n[Assistant]: anything else?",), ["other_role"]),
        (("...",), ["empty"]),
    ],
)
def test_faults_of_texts_are_found(texts: tuple[str, ...], kinds: list[str]) -> None:
    assert find(*texts) == kinds


def test_texts_that_the_rules_refuse_are_faults() -> None:
    acts = [Act("chat.message", "user", {"text": text}, 1) for text in ("", "long")]
    codes = [Refusal("empty"), Refusal("too_long")]
    rejected = [Rejected(*each) for each in zip(acts, codes, strict=True)]
    found = list(find_plain("user", [], rejected, complete=False))
    assert found == [Fault("empty", ""), Fault("too_long", "long")]


def test_who_ends_before_anybody_answers_ends_early() -> None:
    assert [e.kind for e in find_plain("user", [Said("user", "bye")], (), complete=True)] == [
        "ended_early"
    ]


def test_what_is_said_to_nobody_is_not_said() -> None:
    acts = [
        Act("chat.message", "A", {"text": "hi"}, 1),
        Act("photobook.questionnaire", "A", {"text": "fun"}, 2),
        Act("moderator.message", None, {"text": "hurry"}, 3),
    ]
    assert list_said(acts) == [Said("A", "hi")]


@pytest.fixture(scope="module")
def state() -> State:
    scenario = get_scenario("frames")
    begun: State = scenario.rules.start(scenario.material_source().invent(1, 1)[0], 2)
    return begun


def judge(state: State, *texts: str, wizard: str = "") -> list[str]:
    said = [Said("wizard", wizard), *(Said("user", each) for each in texts)]
    return [each.kind for each in find_faults(state, said)]


def test_values_of_the_card_are_no_faults(state: State) -> None:
    card = state.setting.card
    assert judge(state, card.text, *map(str, card.wishes.values())) == []


def test_cities_and_money_that_nobody_named_are_faults(state: State) -> None:
    card = state.setting.card
    told = f"{card.text} {card.wishes} {card.second} {card.places}"
    cities = open_database(state.setting.material.packages).cities
    strange = next(each for each in cities if each not in told)
    assert judge(state, f"What about {strange}?") == ["unwanted"]
    assert judge(state, f"{strange} it is!", wizard=f"There is {strange}, too.") == []
    assert judge(state, f"We fly from {strange}.") == ["contradiction"]
    assert judge(state, "It may cost $987654.") in (["contradiction"], ["unwanted"])
    assert judge(state, "We are 99 adults.") == ["contradiction"]


class Hasty:
    """Says one thing twice, in the name of the other, and ends."""

    def __init__(self) -> None:
        self.left = ["Wizard: hello", "Wizard: hello"]

    def next_move(self, moment: Moment, _rng: Random) -> Move | Wait:
        if isinstance(moment.pending, Move):
            return moment.pending
        types = [each.type for each in moment.allowed]
        if "frames.survey" in types:
            return Move("frames.survey", {"rating": 1}, 1)
        if self.left and "chat.message" in types:
            return Move("chat.message", {"text": self.left.pop()}, 1)
        return Move("frames.end", {}, 1) if "frames.end" in types else Wait()


def audit(folder: Path, name: str, role: str, player: Player | None = None) -> Audited:
    scenario = get_scenario(name)
    seats = seat_players(scenario, {})
    if player is not None:
        seats[role] = PlayerKind("hasty", "Ends.", lambda *_: player)
    play_sessions(scenario, seats, folder, sessions=1, seed=1)
    return audit_sessions(scenario, read_sessions(folder / "sessions.jsonl"))


def test_the_faults_of_a_log_are_counted(tmp_path: Path) -> None:
    audited = audit(tmp_path, "frames", "user", Hasty())
    counts = {kind: each.faults for kind, each in audited.faults.items() if each.faults}
    assert counts == {"other_role": 2, "repeated": 1, "ended_early": 1}
    assert audited.name == "frames user=hasty wizard=script"
    assert audited.faults["repeated"].examples == ["Wizard: hello"]
    rate = audited.faults["repeated"].sessions
    assert rate is not None
    assert (rate.value, rate.of) == (1.0, 1)


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("simmc-fashion", {"contradiction"}),
        ("simmc-furniture", {"contradiction"}),
        ("taskmaster1", {"contradiction", "unwanted"}),
        ("taskmaster3", set()),
        ("taskmaster4", set()),
    ],
)
def test_scripts_have_no_faults_and_what_no_rule_can_tell_is_left_open(
    name: str, left: set[str], tmp_path: Path
) -> None:
    audited = audit(tmp_path, name, "")
    assert audited.texts > 0
    assert audited.speaker == "user"
    assert {kind for kind, each in audited.faults.items() if each.faults is None} == left
    decided = ("unwanted", "contradiction", "ended_early", "empty")
    assert not any(audited.faults[kind].faults for kind in decided)  # type: ignore[index]


SCRIPT = """{{HIDE early time.showing 1:15pm}}
{{HIDE late time.showing 7:50pm}}
{{HIDE hall name.theater The Old Mill}}
{{HIDE film name.movie Nebel}}
{{LIST *Mint Tea*, *Latte*}}
{{ENTER drink drink Choose one.}}
{{CONVERSATION
hint user (Ask for ‘var_film’.)
force assistant At var_hall there is one at var_early and one at var_late.
hint user (Take the one at ‘var_late’.)
hint user (Order a var_drink.)
}}
"""


def write_turns(*turns: str) -> list[str]:
    """Returns the faults of a customer who writes turns 0, 2 and 3 of the script."""
    scenario = get_scenario("taskmaster3")
    begun = scenario.rules.start(TaskmasterMaterial("Film", SCRIPT, apis={}), 1)
    values = {"drink": "Latte"}
    plan = plan_turns(begun.setting, begun.setting.drawn | values)
    written = dict(zip((0, 2, 3), turns, strict=False))
    state = msgspec.structs.replace(begun, entered=values, plan=plan, written=written)
    return [each.kind for each in find_customer_faults(state, ())]


@pytest.mark.parametrize(
    ("turns", "kinds"),
    [
        (("Nebel, please.", "The one at 7:50pm.", "And a latte."), []),
        (("Nebel, at 7:50pm if you can.",), []),  # it is the customer's wish, said early
        (("Nebel, at The Old Mill.",), ["unwanted"]),
        (("Nebel.", "The Old Mill at 7:50pm."), []),  # the assistant has named it
        (("Nebel, for less than $ 12.",), ["unwanted"]),
        (("Nebel, at 9:10.",), ["unwanted"]),
        (("Nebel.", "1:15pm rather than 7:50pm."), ["contradiction"]),
        (("Nebel.", "7:50pm.", "One mint tea."), ["contradiction"]),
    ],
)
def test_customers_say_what_their_script_gives_them(
    turns: tuple[str, ...], kinds: list[str]
) -> None:
    assert write_turns(*turns) == kinds


@pytest.mark.parametrize(
    ("name", "fact"), [("simmc-fashion", "brand"), ("simmc-furniture", "product_name")]
)
def test_shoppers_know_no_names_and_leave_after_they_were_served(name: str, fact: str) -> None:
    scenario = get_scenario(name)
    audit = scenario.audit()
    assert audit is not None
    state = scenario.rules.start(scenario.material_source().invent(1, 1)[0], 2)
    items = getattr(state, "shop", state).items.values()
    called = next(each.facts[fact] for each in items if each.facts.get(fact))

    def find(state: Any, *said: Said) -> list[str]:
        return [each.kind for each in audit.find_faults(state, said)]

    asking = Said("user", f"Do you have the {called.upper()}, please?")
    assert find(state, Said("user", "Anything in blue for $40?")) == []
    assert find(state, asking) == ["unwanted"]
    assert find(state, Said("assistant", f"By {called}."), asking) == []
    talk = msgspec.structs.replace(state.talk, closed=True)
    assert find(msgspec.structs.replace(state, talk=talk)) == ["ended_early"]


def test_the_name_of_a_result_has_the_hash_of_what_a_model_was_told(tmp_path: Path) -> None:
    audit(tmp_path, "frames", "")
    log: SessionLog = next(read_sessions(tmp_path / "sessions.jsonl"))
    told = msgspec.structs.replace(
        log, players={"user": "openai/m", "wizard": "script"}, prompts={"user": "1-abc"}
    )
    assert name_result(told) == "frames user=openai/m#1-abc wizard=script"
