from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner

from commonground.cli.play import command
from commonground.corpora import get_corpus
from commonground.errors import UsageError
from commonground.model import Act, Dialogue, Display, Grounding, Object, Speaker, Utterance
from commonground.play.player import Seat
from commonground.play.scenario import CHAT
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.simmc.players import released
from commonground.play.scenarios.simmc.players.released import Misfit, ReleasedWords, read_turns
from commonground.play.scenarios.simmc.shop.items import Item
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import load

RED = {"name": "OBJECT_0", "pos": "focus", "type": "coat", "color": ["red"]}


def person(*turns: tuple[str, str, str], answer: str = "Here you are.") -> Dialogue:
    """A dialogue about one red coat; each turn has words, an act, and the thing it is about."""
    made = Dialogue(
        dialogue_id="fashion-1",
        speakers=[Speaker("user", "user"), Speaker("assistant", "assistant")],
        objects=[Object("coat", "item", attributes={"type": "coat", "color": ["red"]})],
        displays=[Display("coat", event=0, attributes=RED)],
    )
    for number, (text, act, thing) in enumerate(turns):
        made.events += [Utterance("user", text), Utterance("assistant", answer)]
        made.acts.append(Act(2 * number, "dials_target", 0, act))
        if thing:
            made.groundings.append(Grounding(2 * number, thing, "mentioned"))
    return made


def see(kind: str = "coat", color: str = "red", *, image: int = 1, **more: Any) -> dict[str, Any]:
    look = {"type": kind, "color": [color]}
    focus = {"image": image, "kind": kind, "look": look}
    return {"round": 1, "focus": focus, "cart": [], "chat": []} | more


def said(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "text": text}]


ASK, BUY, TELL = "DA:ASK:GET:CLOTHING.price", "DA:REQUEST:ADD_TO_CART:CLOTHING", "DA:INFORM:REFINE"


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch, empty_store: None) -> Any:
    def make(dialogue: Dialogue) -> ReleasedWords:
        someone = released._Person("fashion-1", frozenset({"coat"}), tuple(read_turns(dialogue)))
        monkeypatch.setattr(released, "_read_people", lambda *_: (someone,))
        return ReleasedWords("fashion", [Item(1, "coat", {}, {}), Item(2, "dress", {}, {})], 0)

    return make


@pytest.fixture
def empty_store(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        manifest = 0

    monkeypatch.setattr(released, "load", lambda _name: Nothing())


def test_what_somebody_said_is_said_turn_by_turn_while_it_fits(words: Any) -> None:
    mine = words(person(("How much is it?", ASK, "coat"), ("I take the red one.", BUY, "coat")))
    assert mine.take_next(see()) == "How much is it?"
    assert mine.take_next(see(chat=said("$20."))) == "I take the red one."
    assert mine.take_next(see()) is None
    assert msgspec.to_builtins(mine.borrowed) == {
        "dialogue": "fashion-1",
        "turns": 2,
        "of": 2,
        "reason": "no more",
    }


@pytest.mark.parametrize(
    ("next_turn", "view", "reason"),
    [
        (("How much?", ASK, "coat"), see("dress"), "another thing"),
        (("How much?", ASK, "coat"), see(image=2), "another thing"),  # a coat, not that coat
        (("How much?", ASK, "coat"), see("coat", "blue"), None),  # nobody named the colour
        (("That red one?", ASK, "coat"), see("coat", "blue"), "another thing"),
        (("How much was that?", ASK, "other"), see(), "never seen"),
        (("I take it.", BUY, "coat"), see(cart=[1]), "in the cart"),
        (("Under $30.", f"{TELL}:CLOTHING.price", ""), see(chat=said("It is red.")), "not asked"),
        (("How much?", ASK, "coat"), see(chat=said("Is it for you?")), "not asked"),
        (("How much? <EOM>", ASK, "coat"), see(), "refused"),
    ],
)
def test_words_that_no_longer_fit_are_not_said_and_the_reason_is(
    words: Any, next_turn: tuple[str, str, str], view: dict[str, Any], reason: str | None
) -> None:
    answer = "What do you pay?" if next_turn[1].startswith(TELL) else "Here you are."
    first = ("Show me coats.", "DA:REQUEST:GET:CLOTHING", "")
    if view["focus"]["image"] == 2:
        first = ("It is nice.", "DA:INFORM:PREFER:CLOTHING", "coat")
    mine = words(person(first, next_turn, answer=answer))
    assert mine.take_next(see()) == first[0]
    assert mine.take_next(view) == (next_turn[0] if reason is None else None)
    assert mine.borrowed.reason == (reason or "")
    assert reason is None or reason in get_args(Misfit)
    if reason is not None:
        assert mine.take_next(see()) is None  # from then on, too


def test_an_answer_fits_the_question_that_was_asked(words: Any) -> None:
    answer = ("Under $30.", f"{TELL}:CLOTHING.price", "")
    first = ("Show me coats.", "DA:REQUEST:GET:CLOTHING", "")
    for asked, fits in (("At which price?", True), ("In which colour?", False)):
        mine = words(person(first, answer, answer="What price did you think of?"))
        mine.take_next(see())
        assert (mine.take_next(see(chat=said(asked))) is not None) == fits


def test_without_a_dialogue_that_begins_so_nothing_is_said(words: Any) -> None:
    mine = words(person(("How much is it?", ASK, "coat")))
    assert mine.take_next(see("dress")) is None
    assert mine.borrowed.reason == "no one"


def test_nobody_begins_in_the_middle_of_a_session(words: Any) -> None:
    mine = words(person(("How much is it?", ASK, "coat")))
    assert mine.take_next(see(round=2)) is None
    assert mine.borrowed.reason == "no one"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simmc")
    simulate_corpus(get_corpus("simmc"), folder / "files", dialogues=20, seed=3)
    import_corpus(get_corpus("simmc"), [folder / "files"], store=folder / "store")
    return folder


@pytest.mark.parametrize("domain", ["fashion", "furniture"])
def test_users_of_a_game_say_what_people_of_the_import_said(
    imported: Path, domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONGROUND_STORE", str(imported / "store"))
    line = [f"simmc-{domain}", "--user", "released", "--games", "6", "--seed", "1"]
    done = CliRunner().invoke(command, [*line, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    written = (tmp_path / "out/sessions.jsonl").read_text(encoding="utf-8")
    logs = [json.loads(each) for each in written.splitlines()]
    corpus = load("simmc", imported / "store")
    borrowed = [each["borrowed"]["user"] for each in logs]
    for log, mine in zip(logs, borrowed, strict=True):
        own = [
            each["payload"]["text"]
            for each in log["acts"]
            if each["role"] == "user" and each["type"] in (CHAT, "simmc.goodbye")
        ]
        theirs = [
            each.text
            for each in (corpus.dialogue(mine["dialogue"]).utterances() if mine["dialogue"] else [])
            if each.speaker == "user"
        ]
        assert own[: mine["turns"]] == theirs[: mine["turns"]]
        assert mine["of"] == len(theirs)
        assert mine["reason"] in {"", *get_args(Misfit)}
    turns = sum(each["turns"] for each in borrowed)
    assert turns >= 6
    assert f"{turns:,} of {sum(each['of'] for each in borrowed):,} turns" in done.output
    mark = (tmp_path / "out/SIMULATED.txt").read_text(encoding="utf-8")
    assert "repeat what was said" in mark
    assert "said by anybody" not in mark


def test_an_assistant_says_nothing_of_the_release() -> None:
    scenario = get_scenario("simmc-fashion")
    kind, material = scenario.player_kinds()["released"], scenario.material_source().invent(1, 0)[0]
    with pytest.raises(UsageError, match="Only users say"):
        kind.enter(Seat("assistant", material, 0))
