from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest
from tests.unit.corpora.frames.samples import simulated

from commonground.corpora.frames.convert import convert
from commonground.corpora.frames.native import DialogueAct, read_time
from commonground.corpora.frames.vocabulary import ACTS
from commonground.play.player import Moment, Move, Player, Seat, Wait
from commonground.play.scenario import Act
from commonground.play.scenarios.frames.game.state import FramesState
from commonground.play.scenarios.frames.material import invent_material
from commonground.play.scenarios.frames.players.phrases import (
    Phrases,
    load_phrases,
    say,
    understand,
)
from commonground.play.scenarios.frames.players.user import User
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.script import PLAYER
from commonground.play.session import Session, play

MATERIALS = invent_material(80, 5)


def run(
    number: int, wizard: Player | None = None, user: Player | None = None
) -> Session[FramesState]:
    material = MATERIALS[number % len(MATERIALS)]
    players = {
        "user": user or PLAYER.enter(Seat("user", material, number)),
        "wizard": wizard or PLAYER.enter(Seat("wizard", material, number + 1000)),
    }
    return play(SCENARIO, material, number, players, start_us=1_471_000_000_000_000)


@pytest.fixture(scope="module")
def sessions() -> list[Session[FramesState]]:
    return [run(number) for number in range(80)]


def test_scripts_play_to_the_end_and_try_nothing_forbidden(
    sessions: list[Session[FramesState]],
) -> None:
    for session in sessions:
        assert SCENARIO.is_complete(session.state)
        assert session.rejected == []


def test_some_book_and_some_do_not(sessions: list[Session[FramesState]]) -> None:
    booked = Counter(session.state.success for session in sessions)
    assert booked[True] > 4 * booked[False] > 0


def test_messages_in_a_row_and_taking_back_occur(sessions: list[Session[FramesState]]) -> None:
    runs = [run for session in sessions for run in session.state.runs]
    assert {run.author for run in runs if len(run.texts) > 1} == {"user", "wizard"}


def test_all_that_is_said_is_noted(sessions: list[Session[FramesState]]) -> None:
    for session in sessions:
        for run in session.state.runs:
            assert run.notes
            acts = [note.act for note in run.notes if note.act is not None]
            noted = {slot.val for act in acts for slot in act.args if isinstance(slot.val, str)}
            for sentence in understand(run.author, run.text):
                if run.author == "user" and sentence.phrase in ("book", "budget", "end_date"):
                    assert noted.issuperset(sentence.values.values())


def test_nearly_all_acts_of_the_corpus_occur() -> None:
    found: dict[str, set[str]] = {"user": set(), "wizard": set()}
    for record in simulated():
        for turn in record.turns:
            found[turn.author] |= {act.name for act in turn.labels.acts}
    assert found["user"] == ACTS["user"]
    assert ACTS["wizard"] - found["wizard"] <= {"reject"}


def test_every_mark_but_one_and_every_way_of_making_frames_occur() -> None:
    frames = [f for record in simulated() for turn in record.turns for f in turn.labels.frames]
    marks = {slot for frame in frames for slot in frame.info if slot.isupper()}
    assert marks == {"MOREINFO", "NO_RESULT", "REJECTED", "REQUEST_ALTS"}
    assert len({frame.frame_parent_id for frame in frames}) > 3
    changes = Counter(
        (after.author, len(after.labels.frames) > len(before.labels.frames))
        for record in simulated()
        for before, after in zip(record.turns, record.turns[1:], strict=False)
    )
    assert changes["user", True] > 20
    assert changes["wizard", True] > 60


def labels_of(author: str) -> list[DialogueAct]:
    turns = [turn for record in simulated() for turn in record.turns if turn.author == author]
    return [act for turn in turns for act in turn.labels.acts]


def test_booking_and_questions_are_labelled_as_released() -> None:
    """Users inform of an intent, and wizards of an action; what a hotel has is asked for."""
    slots = {(a.name, slot.key) for a in labels_of("user") for slot in a.args}
    assert ("inform", "intent") in slots
    assert "action" not in {key for _, key in slots}
    assert ("request", "wifi") in slots
    assert {key for name, key in slots if name == "confirm"} == {"n_adults"}
    told = {(a.name, slot.key) for a in labels_of("wizard") for slot in a.args}
    assert {("inform", "action"), ("suggest", "action")} <= told
    assert "intent" not in {key for _, key in told}


def test_what_is_compared_stands_outside_the_references() -> None:
    compared = [act for act in labels_of("user") if act.name == "request_compare"]
    assert compared
    for act in compared:
        assert [slot.key for slot in act.args] == ["price", "ref"]
        (names,) = [
            [note.key for reference in slot.val for note in reference.annotations]
            for slot in act.args
            if isinstance(slot.val, list)
        ]
        assert names == ["name", "name"]


def test_one_act_tells_several_slots() -> None:
    def count(act: DialogueAct) -> int:
        noted = [len(r.annotations) for s in act.args if isinstance(s.val, list) for r in s.val]
        return sum(noted) + sum(not isinstance(slot.val, list) for slot in act.args)

    told = [count(act) for act in labels_of("wizard") if act.name == "inform"]
    assert max(told) >= 6
    assert 2.0 < sum(told) / len(told) < 3.0  # 2.50 in the released file


def test_what_is_told_of_an_offer_is_so(sessions: list[Session[FramesState]]) -> None:
    """Flags that are told are those of the package whose frame is talked about."""
    flags = Counter[bool]()
    phrases = load_phrases()
    for session in sessions:
        for message in session.state.chat:
            for each in understand("wizard", message["text"]):
                if each.phrase in ("tell_has", "tell_near"):
                    [listed] = each.values.values()
                    words = listed[:1].lower() + listed[1:]
                    known = {*phrases.has.values(), *phrases.near.values()}
                    named = words.replace(" and ", ", ").split(", ")
                    flags[{*named} <= known] += 1
    assert flags[True] > 20
    assert flags[False] == 0


def test_people_would_take_as_long() -> None:
    # Half of the released turns come between 25 and 85 seconds after the one before.
    times = [each.at_s or 0.0 for r in simulated() for each in convert(r).events[1:]]
    gaps = [
        ((read_time(after.timestamp, 1_000) or 0) - (read_time(before.timestamp, 1_000) or 0))
        / 1_000
        for record in simulated()
        for before, after in zip(record.turns, record.turns[1:], strict=False)
    ]
    assert times
    assert 15 < sorted(gaps)[len(gaps) // 2] < 85


@pytest.mark.parametrize("side", ["user", "wizard"])
def test_every_sentence_is_understood(side: Any) -> None:
    ways: dict[str, tuple[str, ...]] = msgspec.structs.asdict(load_phrases())[side]
    values = dict.fromkeys(("intent", "action"), "book")
    values |= {"ref_anaphora": "the first one", "price": "$12.50", "gst_rating": "8.1"}
    for phrase, texts in ways.items():
        for text in texts:
            gaps = {name: values.get(name, "X") for name in text.split("{") if name}
            names = [name.partition("}")[0] for name in text.split("{")[1:]]
            filled = {name: values.get(name, "Xyz") for name in names}
            (found,) = understand(side, text.format(**filled))
            assert (found.phrase, found.values) == (phrase, filled), (text, gaps)


def test_sentences_in_a_row_are_told_apart() -> None:
    text = " ".join(
        [
            say("user", "switch_name", Random(1), name="Elm House"),
            say("user", "ask_wifi", Random(1)),
            "Who are you?",
        ]
    )
    assert [each.phrase for each in understand("user", text)] == [
        "switch_name",
        "ask_wifi",
        None,
    ]


def test_phrases_are_typed() -> None:
    phrases: Phrases = load_phrases()
    assert all(phrases.user.values())
    assert len(phrases.order["names"]) == 3


class Person:
    """Plays lines that no script knows, one after the other."""

    def __init__(self, moves: list[tuple[str, dict[str, Any]]]) -> None:
        self._moves = iter(moves)

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:  # noqa: ARG002
        if isinstance(moment.pending, Move):
            return moment.pending
        kind, payload = next(self._moves, ("", {}))
        return Move(kind, payload, 200.0) if kind else Wait()


def lines(*texts: str) -> list[tuple[str, dict[str, Any]]]:
    return [("chat.message", {"text": text}) for text in texts]


def test_the_wizard_copes_with_somebody_elses_words() -> None:
    wishes = MATERIALS[0].cards[0].wishes
    moves = lines(
        f"hey, from {wishes['or_city']} to {MATERIALS[0].cards[0].places[0]} please",
        "how much is it?",
        "what is the rating, and does it have parking?",
        "asdf qwer",
        "whatever you have",
        "please book it",
        "thanks!",
    )
    end = [("frames.end", {}), ("frames.survey", {"rating": 5})]
    state = run(0, user=Person(moves + end)).state
    assert state.success is True
    assert any(found.packages for found in state.searches)
    assert {note.act.name for note in state.runs[0].notes if note.act} >= {"greeting", "inform"}


def test_the_user_leaves_a_wizard_who_is_silent() -> None:
    moves: list[tuple[str, dict[str, Any]]] = [("frames.survey", {"success": False})]
    user: Player = User(3)
    material = MATERIALS[1]
    silent = Late(moves)
    session = play(SCENARIO, material, 1, {"user": user, "wizard": silent}, start_us=1)
    assert session.state.rating is not None
    assert [run.author for run in session.state.runs] == ["user"]
    assert len(session.state.runs[0].texts) >= 3


class Late(Person):
    """Says nothing until the survey."""

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        return super().next_move(moment, rng) if moment.view["phase"] == "survey" else Wait()


def test_the_user_answers_questions_in_other_words() -> None:
    material = MATERIALS[2]
    user = PLAYER.enter(Seat("user", material, 5))
    asked = iter(lines("Where do you want to go? And when?", "How many people? What budget?"))

    class Asks(Late):
        def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
            chat = moment.view["chat"]
            mine = sum(each["role"] == "wizard" for each in chat)
            if isinstance(moment.pending, Move):
                return moment.pending
            if moment.view["phase"] == "survey":
                return super().next_move(moment, rng)
            if chat and chat[-1]["role"] == "user" and mine < 2:
                kind, payload = next(asked, ("", {}))
                return Move(kind, payload, 60.0) if kind else Wait()
            return Wait()

    wizard = Asks([("frames.survey", {"success": False})])
    state = play(SCENARIO, material, 1, {"user": user, "wizard": wizard}, start_us=1).state
    wishes = material.cards[0].wishes
    text = " ".join(run.text for run in state.runs if run.author == "user")
    assert str(wishes["end_date"]) in text
    assert str(wishes["n_adults"]) in text


def test_a_wizard_takes_back_what_it_began_when_the_user_goes_on() -> None:
    """The user writes on while offers are being prepared."""
    material = MATERIALS[0]
    wishes, place = material.cards[0].wishes, material.cards[0].places[0]

    class Hasty(Late):
        def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
            if moment.view["phase"] == "survey":
                return super().next_move(moment, rng)
            if moment.pending is not None:
                return moment.pending
            said = len([each for each in moment.view["chat"] if each["role"] == "user"])
            texts = [
                f"We set off from {wishes['or_city']}. Let us try {place}.",
                *["Our dates are flexible."] * 12,
            ]
            if said < len(texts):
                return Move("chat.message", {"text": texts[said]}, 33.0 if said else 1.0)
            return Move("frames.end", {}, 300.0)

    user = Hasty([("frames.survey", {"rating": 4})])
    undone = 0
    for seed in range(6):
        wizard = PLAYER.enter(Seat("wizard", material, seed))
        session = play(SCENARIO, material, seed, {"user": user, "wizard": wizard}, start_us=1)
        undone += sum(act.type == "frames.undo" for act in session.acts)
        user = Hasty([("frames.survey", {"rating": 4})])
        assert session.rejected == []
    assert undone > 0


def test_acts_of_a_session_are_those_of_its_roles(sessions: list[Session[FramesState]]) -> None:
    acts: list[Act] = [act for session in sessions for act in session.acts]
    by_user = {act.type for act in acts if act.role == "user"}
    assert by_user == {"chat.message", "frames.end", "frames.survey"}
