"""Language models in seats of a study: who meets one, what they do, and how their sessions end."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.play.collect.party import Browser, Party, StudyParty

from commonground.errors import FormatError
from commonground.play.collect.erasing import erase_named
from commonground.play.collect.events import ActRefused, Event
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.exports.paying import reckon_pay
from commonground.play.collect.identities import Identities
from commonground.play.collect.live.standing import describe_standing, restore_hall
from commonground.play.collect.setup.partners import (
    Decision,
    Models,
    Price,
    check_models,
    check_seats,
    count_people,
    draw_condition,
    draw_partner,
    name_condition,
)
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import open_study

MODEL = "mockllm/model"
SETTINGS = {
    "seats": {"B": MODEL},
    "share": 1.0,
    "prices": {MODEL: {"input": 1_000_000.0, "output": 0.0}},
}
PATH = Path("study.toml")


def make_party(**models: Any) -> Party:
    return Party(model_partners=True, models={**SETTINGS, **models})


def meet(party: Party, pid: str = "ann") -> Browser:
    """Seats somebody with a model; returns the browser at the table."""
    party.close(party.enter(pid))
    browser = party.open(pid)
    party.wait(1, step_s=1)
    party.close(browser)
    return party.open(pid)


def ask(party: Party, sid: str = "s0001", text: str = "?") -> None:
    shown: dict[str, Any] = {"text": text, "pictures": [], "tools": []}
    party.do(party.hall.models.ask, sid, "B", **shown)


def answer(party: Party, sid: str = "s0001", usage: int = 1, **decided: Any) -> None:
    """Has the model be asked, and answer."""
    hall = party.hall
    ask(party, sid, "what ann wrote")
    number = hall.ledger.sessions[sid].seats["B"].asked
    values = {"payload": {}, "round": 1, "due_us": party.now_us, "seen": "-", **decided}
    found = Decision(number=number, **values) if decided else None
    reply, used = {"said": "as ann wrote"}, {"input_tokens": usage}
    party.do(hall.models.hear, sid, "B", reply, used, float(usage), found)


def move(party: Party, sid: str = "s0001") -> ActRefused | None:
    made = [each.what for each in party.do(party.hall.models.move, sid, "B").events]
    return next((each for each in made if isinstance(each, ActRefused)), None)


def kinds(party: Party) -> list[str]:
    return [event.type for event in party.log]


def find(party: Party, kind: str) -> Event:
    return next(event for event in party.log if event.type == kind)


def test_what_a_model_writes_reaches_its_partner() -> None:
    party = make_party()
    ann = meet(party)
    assert find(party, "session.paired").payload["models"]["B"]["model"] == MODEL
    answer(party, type="chat.message", payload={"text": "hello"})
    assert move(party) is None
    assert [each["text"] for each in ann.game["chat"]] == ["hello"]
    assert find(party, "chat.message").participant == "model-2"
    party.check()


def test_what_the_rules_refuse_people_they_refuse_models() -> None:
    party = make_party()
    meet(party)
    answer(party, type="chat.message", payload={"text": ""})
    refusal = move(party)
    assert refusal is not None
    assert refusal.code == "empty"


def test_who_goes_is_seen_out_and_the_cost_of_a_late_answer_counts() -> None:
    party = make_party()
    meet(party)
    ask(party)
    party.do(party.hall.leave, "ann")
    usage = {"input_tokens": 3}
    party.do(party.hall.models.hear, "s0001", "B", {}, usage, 3.0, None)
    assert party.hall.ledger.spent == 3.0
    assert "reply" not in find(party, "agent.late").payload
    party.check()


def test_an_answer_is_not_asked_for_again_after_a_restart() -> None:
    party = make_party()
    meet(party)
    answer(party, type="chat.message", payload={"text": "hello"})
    party.restart()
    seat = party.hall.ledger.sessions["s0001"].seats["B"]
    assert seat.model == MODEL
    assert seat.decided is not None
    assert move(party) is None
    assert seat.decided is None
    party.restart()
    assert party.hall.ledger.sessions["s0001"].seats["B"].decided is None
    assert party.hall.ledger.spent == 1.0


def test_a_model_that_leaves_costs_its_partner_nothing() -> None:
    party = make_party()
    ann = meet(party)
    party.do(party.hall.models.dismiss, "s0001", "B", "provider", "no credit")
    assert find(party, "agent.left").payload == {"reason": "provider", "why": "no credit"}
    assert ann.last("ended")["reason"] == "partner_left"
    pay = reckon_pay(party.log, party.settings.payment)
    assert {pid: each.group for pid, each in pay.items()} == {"ann": "full"}
    party.check()


def test_a_limit_of_cost_ends_sessions_and_begins_no_more() -> None:
    party = make_party(session_cost=2.0, study_cost=3.0)
    meet(party)
    assert party.hall.models.may_ask("s0001")
    answer(party, usage=2)
    assert not party.hall.models.may_ask("s0001")
    party.do(party.hall.models.dismiss, "s0001", "B", "cost", "")
    meet(party, "bob")
    assert party.hall.models.may_ask("s0002")
    cat = party.open(party.enter("cat").pid)
    answer(party, "s0002")
    party.wait(1, step_s=1)
    assert not party.hall.models.may_ask("s0002")
    assert cat.last("ended")["reason"] == "quota_full"
    standing = describe_standing(party.hall, party.now_us)
    assert standing["models"]["spent"] == standing["models"]["limit"] == 3.0
    assert standing["models"]["under_way"] == 1


def test_people_who_are_to_meet_people_meet_people() -> None:
    party = make_party(share=0.0)
    party.pair()
    assert "models" not in find(party, "session.paired").payload
    assert {e.payload["partner"] for e in party.log if e.type == "participant.ready"} == {"person"}


CONDITIONS: list[dict[str, str]] = [{}, {"A": MODEL}, {"B": MODEL}]


def make_scheduled(**models: Any) -> Party:
    settings = {"conditions": CONDITIONS, "prices": SETTINGS["prices"], **models}
    return Party(model_partners=True, sets=8, models=settings)


def seat_by_conditions(party: Party, people: int) -> list[dict[str, Any]]:
    """Lets people come one after the other; returns how sessions were made."""
    for number in range(people):
        party.close(party.enter(f"person {number}"))
        party.open(f"person {number}")
        party.wait(1, step_s=1)
    return [each.payload for each in party.log if each.type == "session.created"]


def test_conditions_come_in_turn_with_the_same_games_in_each() -> None:
    party = make_scheduled()
    made = seat_by_conditions(party, 8)
    # A turn of the three takes 2 + 1 + 1 people, so eight people play two turns.
    assert Counter(each["condition"] for each in made) == dict.fromkeys(
        ("people", f"A={MODEL}", f"B={MODEL}"), 2
    )
    played: dict[str, set[tuple[int, int]]] = {}
    for each in made:
        played.setdefault(each["condition"], set()).add((each["piece"], each["seed"]))
    assert len(set(map(frozenset, played.values()))) == 1
    for event in party.log:
        if event.type == "session.paired":
            models = event.payload.get("models", {})
            assert [len(each) for each in (models, event.payload["seats"])] in ([0, 2], [1, 2])


def test_conditions_go_on_after_a_restart() -> None:
    party = make_scheduled()
    seat_by_conditions(party, 3)
    drawn, use = party.hall.ledger.drawn, party.hall.ledger.material_use
    party.restart()
    assert party.hall.ledger.drawn == drawn
    again = party.hall.ledger.material_use
    for name in ("people", f"A={MODEL}", f"B={MODEL}"):
        assert again.within(name).uses == use.within(name).uses
    standing = describe_standing(party.hall, party.now_us)["models"]
    assert sum(each["under_way"] for each in standing["conditions"]) == len(
        party.hall.ledger.sessions
    )


def test_who_came_for_a_seat_has_it_in_every_condition() -> None:
    models = Models(conditions=CONDITIONS)
    drawn = [draw_condition(models, ("A", "B"), "A", 7, number) for number in range(6)]
    assert Counter(map(name_condition, drawn)) == {"people": 3, f"B={MODEL}": 3}
    assert draw_condition(Models(conditions=[{"A": MODEL}]), ("A", "B"), "A", 7, 0) == {}


@pytest.mark.parametrize("wanted", [1, 3, 4])
def test_so_many_people_come_that_nobody_is_left_over(wanted: int) -> None:
    conditions, shared = Models(conditions=CONDITIONS), Models(seats={"B": MODEL}, share=0.5)
    # Three sessions take four people: two together, and one with a model in each seat.
    turns = -(-wanted // 3)
    assert wanted <= count_people(conditions, ("A", "B"), 7, wanted) <= 4 * turns
    people = count_people(shared, ("A", "B"), 7, wanted)
    drawn = [draw_partner(shared, 2, 7, number) for number in range(people)]
    assert drawn.count("person") % 2 == 0
    assert drawn.count("model") + drawn.count("person") // 2 >= wanted


def test_nobody_is_drawn_for_a_model_that_costs_too_much() -> None:
    party = make_scheduled(study_cost=0.0)
    made = seat_by_conditions(party, 4)
    assert {each["condition"] for each in made} == {"people"}


def test_a_silent_model_ends_as_a_silent_person_does() -> None:
    party = make_party()
    ann = meet(party)
    for image in ann.game["images"]:
        if image["highlighted"]:
            party.act(ann, "photobook.mark", image=image["image"], label="common")
    party.act(ann, "photobook.submit")
    party.wait(310)
    assert ann.last("ended")["reason"] == "partner_left"
    party.check()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_the_share_of_sessions_is_kept_to(share: float) -> None:
    models = Models(seats={"B": MODEL}, share=share)
    drawn = [draw_partner(models, 2, 7, number) for number in range(1000)]
    with_model, with_people = drawn.count("model"), drawn.count("person") / 2
    assert with_model / (with_model + with_people) == pytest.approx(share, abs=0.01)
    assert drawn == [draw_partner(models, 2, 7, number) for number in range(1000)]


@pytest.mark.parametrize(
    ("changed", "partners", "words"),
    [
        ({}, False, "but no text tells them"),
        ({"seats": {}}, True, "names no seat"),
        ({"share": None}, True, "share is missing"),
        ({"conditions": CONDITIONS}, True, "cannot be combined with models.seats"),
        ({"seats": {}, "share": None, "conditions": [{}]}, True, "names no model"),
        ({"share": 2.0}, True, "between 0 and 1"),
        ({"idle_s": 0.0}, True, "idle_s must be more than 0"),
        ({"thinking_s": -1.0}, True, "thinking_s"),
        ({"study_cost": 1.0, "prices": {}}, True, f"needs the price of {MODEL}"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    changed: dict[str, Any], partners: bool, words: str
) -> None:
    models = msgspec.convert({**SETTINGS, **changed}, Models)
    with pytest.raises(FormatError, match=words):
        check_models(PATH, models, model_partners=partners)


@pytest.mark.parametrize(("seats", "words"), [("C", "is not a role"), ("AB", "leaves no seat")])
def test_models_sit_where_there_are_seats(seats: str, words: str) -> None:
    taken = dict.fromkeys(seats, MODEL)
    for models in (Models(seats=taken, share=1), Models(conditions=[{}, taken])):
        with pytest.raises(FormatError, match=words):
            check_seats(PATH, models, "photobook", ("A", "B"))


def test_nothing_of_somebody_who_is_erased_is_left_in_what_models_were_asked(
    tmp_path: Path,
) -> None:
    study = prepare_study(tmp_path / "pilot", "photobook", material=None, languages=("en",))
    path = study.folder / "study.toml"
    text = path.read_text("utf-8").replace("model_partners = false", "model_partners = true")
    path.write_text(f'{text}[models]\nseats = {{B = "{MODEL}"}}\nshare = 1.0\n', "utf-8")
    party = StudyParty(open_study(study.folder), Identities(study.identities_path))
    meet(party)
    answer(party, type="chat.message", payload={"text": "hello"})
    move(party)
    party.do(party.hall.leave, "ann")
    party.close_files()
    export_study(party.study, tmp_path / "OUT")
    (line,) = (tmp_path / "OUT/extra/models.jsonl").read_text("utf-8").splitlines()
    wanted = {"session": "s0001", "role": "B", "model": MODEL, "requests": 1, "record": None}
    assert wanted.items() <= json.loads(line).items()
    assert "| sessions with a model | 1 |" in (tmp_path / "OUT/datasheet.md").read_text("utf-8")
    assert erase_named(party.study, "ann") > 0
    log = party.study.log_path.read_bytes() + (tmp_path / "OUT/extra/events.jsonl").read_bytes()
    assert b"what ann wrote" not in log
    assert b"as ann wrote" not in log
    with closing(party.study.open_log()) as opened:
        assert restore_hall(party.study, opened, str).ledger.spent == 1.0


def test_a_model_types_as_fast_as_a_person() -> None:
    models = Models(seats={"B": MODEL}, share=1, words_per_minute=60, thinking_s=2)
    assert models.delay_s(0) == 2
    assert models.delay_s(25) == 2 + 5  # five words of five letters, one a second


def test_what_tokens_cost() -> None:
    usage = {"input_tokens": 1000, "output_tokens": 100}
    assert Price(2, 8).cost_of(usage) == pytest.approx(0.0028)  # 2 * 0.001 + 8 * 0.0001
