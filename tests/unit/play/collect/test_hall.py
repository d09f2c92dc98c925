from __future__ import annotations

from typing import Any

import pytest
from tests.unit.play.collect.party import Browser, Party

from commonground.errors import UsageError
from commonground.play.collect.events import PairingRefused
from commonground.play.collect.live.acting import SIGNALS
from commonground.play.collect.live.standing import describe_standing


def target(browser: Browser) -> str:
    return str(next(each["image"] for each in browser.game["images"] if each["highlighted"]))


def exits(party: Party, *browsers: Browser) -> list[str | None]:
    return [party.hall.ledger.person(browser.pid).way_out for browser in browsers]


def stir(party: Party, browser: Browser) -> None:
    for on in (True, False):
        party.do(party.hall.acting.type, browser.connection, on)


def test_people_of_prolific_get_its_codes_and_all_others_their_own_receipts() -> None:
    party = Party(payment={"codes": {"withdrew": "C0DE"}})
    for platform, code in (("prolific", "C0DE"), ("mturk", None), ("plain", None)):
        pid = f"{platform}-person"
        party.do(party.hall.arrive, pid, language="en", platform=platform)
        party.do(party.hall.leave, pid)
        assert party.hall.ledger.person(pid).code == (code or f"receipt-{pid}")


def test_two_people_play_a_game_and_get_their_codes() -> None:
    party = Party()
    browsers = party.pair()
    party.act(browsers[0], "chat.message", text="hello")
    assert [message["text"] for message in browsers[1].game["chat"]] == ["hello"]
    party.play_game(browsers)
    for browser in browsers:
        ended = {"type": "ended", "reason": "completed", "code": f"receipt-{browser.pid}"}
        assert browser.last("ended") == ended
    party.check()


def test_an_act_that_is_sent_again_gets_the_same_answer_and_counts_once() -> None:
    party = Party()
    a, _ = party.pair()
    first = party.act(a, "chat.message", "same", text="once")
    assert party.act(a, "chat.message", "same", text="once") == first
    assert party.act(a, "chat.message", "bad", text="")["code"] == "empty"
    party.restart()
    again = party.open(a.pid)
    assert party.act(again, "chat.message", "same", text="once") == first
    assert party.act(again, "chat.message", "bad", text="")["code"] == "empty"
    assert sum(event.type == "chat.message" for event in party.log) == 1
    assert sum(event.type == "act.refused" for event in party.log) == 1
    party.check()


def test_an_act_of_a_page_that_is_over_is_refused() -> None:
    party = Party()
    browsers = party.pair()
    payload = {"image": target(browsers[0]), "label": "common"}
    party.play_page(browsers)
    message = {"client_msg_id": "x", "type": "photobook.mark", "payload": payload, "round": 1}
    party.do(party.hall.acting.act, browsers[0].connection, message)
    assert browsers[0].last("reject")["code"] == "stale_round"


def test_a_second_tab_takes_over_and_the_first_can_do_nothing() -> None:
    party = Party()
    a, _ = party.pair()
    second = party.open(a.pid)
    assert a.last("superseded") == {"type": "superseded"}
    assert party.act(a, "chat.message", text="from the first")["type"] == "superseded"
    # The line of the first is gone only now; the person is still there.
    party.do(party.hall.presence.disconnect, a.connection)
    assert party.hall.ledger.person(a.pid).connection == second.connection
    assert party.act(second, "chat.message", text="from the second")["type"] == "ack"
    assert [message["text"] for message in second.game["chat"]] == ["from the second"]


def test_the_partners_marks_are_never_sent() -> None:
    party = Party()
    a, b = party.pair()
    frames = len(b.frames)
    for image in a.game["images"]:
        if image["highlighted"]:
            party.act(a, "photobook.mark", image=image["image"], label="different")
    party.act(a, "photobook.submit")
    assert b.frames[frames:] == []


@pytest.mark.parametrize("away_s", [5, 100])
def test_who_comes_back_in_time_goes_on(away_s: float) -> None:
    party = Party()
    a, b = party.pair()
    party.act(a, "photobook.mark", image=target(a), label="common")
    party.close(a)
    party.wait(away_s)
    assert b.view is not None
    assert b.view["partner_absent"] == (away_s > 30)
    again = party.open(a.pid)
    assert b.view["partner_absent"] is False
    assert [each["mark"] for each in again.game["images"] if each["mark"]] == ["common"]
    party.check()


def test_who_stays_away_times_out_and_the_partner_is_paid() -> None:
    party = Party()
    a, b = party.pair()
    party.close(a)
    party.wait(149)
    assert party.hall.ledger.sessions
    party.wait(10)
    assert exits(party, a, b) == ["timed_out", "partner_left"]
    assert b.last("ended")["reason"] == "partner_left"
    party.check()


@pytest.mark.parametrize("reason", ["cut", "silent", "restart"])
def test_who_lost_the_connection_has_an_exit_of_their_own_that_is_paid(reason: str) -> None:
    party = Party()
    a, b = party.pair()
    since_us = party.hall.ledger.person(a.pid).seen_us
    if reason == "cut":
        party.close(a, "cut")
    elif reason == "silent":
        a.closed = True
    else:
        party.restart()
        b = party.open(b.pid)
    party.wait(40)
    assert b.view is not None
    assert b.view["partner_absent"]
    if reason != "restart":  # of which nobody is to blame but the server
        assert b.view["partner_absent_us"] == since_us
    (standing,) = describe_standing(party.hall, party.now_us)["sessions"]
    assert standing["seats"]["A"]["absent_us"] == b.view["partner_absent_us"]
    party.wait(120)
    assert exits(party, a, b) == ["connection_lost", "partner_left"]
    coded = next(event for event in party.log if event.payload.get("exit") == "connection_lost")
    assert coded.payload["class"] == "partial"
    party.check()


def test_who_comes_back_from_a_closed_page_and_is_cut_off_has_not_left() -> None:
    party = Party()
    a, b = party.pair()
    party.close(a)
    party.close(party.open(a.pid), "cut")
    party.wait(160)
    assert exits(party, a, b) == ["connection_lost", "partner_left"]


def test_whoever_waits_and_loses_the_connection_has_not_left() -> None:
    party = Party()
    party.close(party.enter("ann"), "cut")
    party.wait(160)
    assert party.hall.ledger.person("ann").way_out == "connection_lost"


def test_silence_is_asked_about_then_told_then_ended() -> None:
    party = Party()
    a, b = party.pair()
    seen = []
    for _ in range(4):
        party.wait(50, step_s=1)
        stir(party, b)
        assert a.view is not None
        assert b.view is not None
        seen.append((a.view["nudged"], b.view["partner_silent"], b.view["may_end"]))
    # At 50, 100, 150 and 200 seconds; asked after 60, told after 90, offered after 180.
    none, told, offered = (False, False, False), (True, True, False), (True, True, True)
    assert seen == [none, told, told, offered]
    for _ in range(3):
        party.wait(40, step_s=1)
        stir(party, b)
    assert exits(party, a, b) == ["timed_out", "partner_left"]


def test_an_end_without_penalty_can_be_taken() -> None:
    party = Party()
    a, b = party.pair()
    for _ in range(4):
        party.wait(50)
        stir(party, b)
    party.do(party.hall.leave, b.pid)
    assert exits(party, a, b) == ["timed_out", "partner_left"]


def test_nobody_who_has_nothing_to_do_counts_as_silent() -> None:
    party = Party()
    a, b = party.pair()
    for image in a.game["images"]:
        if image["highlighted"]:
            party.act(a, "photobook.mark", image=image["image"], label="common")
    party.act(a, "photobook.submit")
    for _ in range(10):
        party.wait(50)
        stir(party, b)
    assert a.view is not None
    assert a.view["nudged"] is False
    assert party.hall.ledger.sessions


def test_leaving_a_game_lets_the_partner_go_with_pay() -> None:
    party = Party()
    a, b = party.pair()
    party.do(party.hall.leave, a.pid)
    assert exits(party, a, b) == ["withdrew", "partner_left"]
    assert party.act(a, "chat.message", text="still here?")["type"] == "ended"
    party.check()


def test_the_waiting_room_offers_a_paid_exit_after_a_while() -> None:
    party = Party()
    browser = party.enter("ann")
    assert browser.view is not None
    party.wait(290)
    assert browser.view["offered"] is False
    party.wait(20)
    assert browser.view["offered"] is True
    party.do(party.hall.leave, "ann")
    assert browser.last("ended")["reason"] == "waited_out"


def test_who_left_the_waiting_room_silently_is_not_paired() -> None:
    party = Party()
    ann = party.enter("ann")
    ann.closed = True  # the line is dead, and nobody has noticed yet
    party.wait(16)
    party.enter("bob")
    party.wait(60)
    assert party.hall.ledger.sessions == {}
    party.wait(200)
    assert exits(party, ann) == ["connection_lost"]


def test_who_waits_for_a_partner_at_the_table_goes_back_to_the_waiting_room() -> None:
    party = Party()
    ann = party.enter("ann")
    party.enter("bob")
    party.wait(1, step_s=1)
    ann.closed = True
    bob = party.open("bob")
    party.wait(160)
    assert exits(party, ann, bob) == ["connection_lost", None]
    assert party.hall.ledger.person("bob").stage == "waiting"
    assert bob.last("stage") == {"type": "stage", "stage": "waiting"}
    party.check()


def test_failing_the_quiz_too_often_screens_out() -> None:
    party = Party()
    party.do(party.hall.arrive, "ann", language="en", platform="plain")
    party.do(party.hall.consent, "ann", version="1", digest="d")
    for _ in range(2):
        party.do(party.hall.answer_quiz, "ann", answers=[0], right=False)
    assert party.hall.ledger.person("ann").way_out == "screened_out"


def test_enough_sessions_close_the_study() -> None:
    party = Party(quotas={"sessions": 1})
    browsers = party.pair()
    third = party.enter("cleo")
    party.enter("dora")
    party.wait(5)
    assert len(party.hall.ledger.sessions) == 1
    party.play_game(browsers)
    party.wait(5)
    assert third.last("ended")["reason"] == "quota_full"
    assert party.hall.ledger.person("cleo").quota == "study"
    party.do(party.hall.arrive, "eve", language="en", platform="plain")
    assert party.hall.ledger.person("eve").way_out == "quota_full"
    party.check()


def bring_to_table(party: Party, *pids: str) -> tuple[Browser, Browser]:
    """Has the session of two people begun; returns the browsers of seats A and B."""
    party.wait(1, step_s=1)
    browsers = [party.open(pid) for pid in pids]
    session = party.hall.ledger.sessions[party.hall.ledger.person(pids[0]).session or ""]
    seats = {session.seat_of(each.pid).role: each for each in browsers}
    return seats["A"], seats["B"]


def test_a_quota_of_a_role_lets_no_more_of_its_people_play() -> None:
    party = Party(quotas={"roles": {"A": 1}})
    party.enter("ann", role="A")
    late = party.enter("abe", role="A")
    party.enter("bob")
    party.enter("bea", role="B")
    browsers = bring_to_table(party, "ann", "bob")
    assert len(party.hall.ledger.sessions) == 1
    assert [e.payload["reason"] for e in party.log if e.type == "pairing.refused"] == ["role"]
    assert party.hall.ledger.person("abe").stage == "waiting"  # the game of Ann may break off
    party.restart()
    browsers = bring_to_table(party, *(each.pid for each in browsers))
    late = party.open("abe")
    party.play_game(browsers)
    party.wait(5)
    assert late.last("ended")["reason"] == "quota_full"
    party.do(
        party.hall.arrive, "amy", language="en", platform="plain", role="A"
    )  # fmt: skip
    assert party.hall.ledger.person("amy").way_out == "quota_full"
    assert party.hall.ledger.person("amy").quota == "role"
    (study, group) = describe_standing(party.hall, party.now_us)["quotas"]
    assert study == {
        "role": None, "wanted": None, "completed": 1, "under_way": 0, "waiting": 1, "full": False
    }  # fmt: skip
    assert group == {
        "role": "A", "wanted": 1, "completed": 1, "under_way": 0, "waiting": 0, "full": True
    }  # fmt: skip
    party.restart()
    party.bring("ada", role="A")
    assert party.hall.ledger.person("ada").way_out == "quota_full"
    # Others come as before.
    party.open("bea")
    party.enter("cleo")
    party.wait(5)
    assert party.hall.ledger.person("cleo").stage == "playing"
    party.check()


def test_a_game_that_broke_off_does_not_count_for_the_quota_of_a_role() -> None:
    party = Party(quotas={"roles": {"A": 1}})
    party.enter("ann", role="A")
    party.enter("bob")
    party.wait(1, step_s=1)
    party.enter("abe", role="A")
    party.enter("bea")
    party.wait(1, step_s=1)
    assert party.hall.ledger.person("abe").stage == "waiting"
    party.do(party.hall.leave, "ann")
    party.wait(1, step_s=1)
    assert party.hall.ledger.person("abe").stage == "playing"


def test_people_play_again_with_somebody_else_and_other_pictures() -> None:
    party = Party(quotas={"sessions_each": 3})
    party.play_game(party.pair())
    for pid in ("ann", "bob"):
        party.do(party.hall.get_ready, pid)
        party.open(pid)
    party.wait(5)
    assert party.hall.ledger.sessions == {}
    assert [e.payload["reason"] for e in party.log if e.type == "pairing.refused"] == ["met"]
    party.enter("cleo")
    party.wait(5)
    (session,) = party.hall.ledger.sessions.values()
    assert "cleo" in {seat.pid for seat in session.seats.values()}
    party.check()


def test_who_has_seen_everything_is_not_left_waiting() -> None:
    party = Party(sets=1, quotas={"sessions_each": 3})
    party.play_game(party.pair())
    ann = party.hall.ledger.person("ann")
    assert not party.hall.limits.may_play_again(ann)
    # Somebody whose partner never came goes back to wait, and the pictures count as seen.
    party.enter("cleo")
    party.enter("dora")
    party.wait(1, step_s=1)
    for browser in party.browsers.values():
        browser.closed = browser.closed or browser.pid == "dora"
    cleo = party.open("cleo")
    party.wait(170)
    assert (party.hall.ledger.person("cleo").way_out, party.hall.ledger.person("cleo").quota) == (
        "quota_full",
        "material",
    )
    assert cleo.last("ended")["reason"] == "quota_full"
    party.check()


def test_the_researcher_writes_pauses_and_ends() -> None:
    party = Party()
    a, b = party.pair()
    (sid,) = party.hall.ledger.sessions
    party.do(party.hall.message, sid, "only you", ["A"])
    assert a.view is not None
    assert b.view is not None
    assert [each["text"] for each in a.view["notices"]] == ["only you"]
    assert b.view["notices"] == []
    party.do(party.hall.pause, sid, True)
    assert party.act(a, "chat.message", text="hello?")["code"] == "paused"
    party.wait(400)
    assert party.hall.ledger.sessions, "nobody is silent in a pause"
    party.do(party.hall.pause, sid, False)
    assert party.act(a, "chat.message", text="hello?")["type"] == "ack"
    party.do(party.hall.end, sid)
    assert exits(party, a, b) == ["ended_by_moderator"] * 2
    with pytest.raises(UsageError, match="no session"):
        party.do(party.hall.pause, sid, True)
    party.check()


def test_words_flag_warn_and_block_but_never_change_a_message() -> None:
    party = Party(words={"flag": ["hell"], "warn": ["stupid"], "block": ["call me at"]})
    a, b = party.pair()
    texts = ["hello", "what the Hell", "you STUPID cat"]
    for text in texts:
        assert party.act(a, "chat.message", text=text)["type"] == "ack"
    assert a.last("warning")["code"] == "word_warned"
    assert party.act(a, "chat.message", text="call  me at 5")["code"] == "word_blocked"
    assert [message["text"] for message in b.game["chat"]] == texts
    flags = [e.payload["verdict"] for e in party.log if e.type == "chat.flagged"]
    assert flags == ["flag", "warn", "block"]


def test_signals_are_recorded_and_nothing_else() -> None:
    party = Party()
    a, b = party.pair()
    frames = len(b.frames)
    data: dict[str, Any] = {"characters": 40, "what": "secret words", "n": True}
    for kind in (*SIGNALS, "invented"):
        party.do(party.hall.acting.signal, a.connection, kind, data)
    signals = [e.payload for e in party.log if e.type == "participant.signal"]
    assert signals == [{"kind": kind, "characters": 40} for kind in SIGNALS]
    assert len(b.frames) == frames


def shown(party: Party, browser: Browser) -> list[tuple[int | None, tuple[str, ...]]]:
    """Lists the pages that somebody was shown, each with its pictures, as the log has them."""
    return [
        (event.round, tuple(event.payload["pictures"]))
        for event in party.log
        if event.type == "page.shown" and event.participant == browser.pid
    ]


def pictures(browser: Browser) -> tuple[str, ...]:
    return tuple(image["image"] for image in browser.game["images"])


def test_the_log_has_which_pictures_were_shown_to_whom_and_when() -> None:
    party = Party()
    a, b = party.pair()
    first = {browser.pid: (1, pictures(browser)) for browser in (a, b)}
    party.scan = False  # else it is taken for a picture that the partner has
    party.act(a, "chat.message", text=pictures(b)[0])  # what is only written is not shown
    party.play_page((a, b))
    for browser in (a, b):
        assert shown(party, browser) == [first[browser.pid], (2, pictures(browser))]
    party.act(a, "chat.message", text="still here")
    party.close(a)
    again = party.open(a.pid)
    # A page that loads anew shows them once more.
    assert shown(party, again)[2:] == [(2, pictures(again))]
    kinds = [event.type for event in party.log]
    turned = max(n for n, kind in enumerate(kinds) if kind == "photobook.next")
    assert kinds[turned + 1 : turned + 3] == ["page.shown", "page.shown"]
    party.check()


@pytest.mark.parametrize("meet", [False, True])
def test_who_reads_another_language_is_no_partner_unless_the_study_says_so(meet: bool) -> None:
    party = Party(languages=["en", "de"], languages_meet=meet)
    for pid, language in (("a", "en"), ("b", "de")):
        party.do(party.hall.arrive, pid, language=language, platform="plain")
        party.do(party.hall.consent, pid, version="1", digest="d")
        party.do(party.hall.answer_quiz, pid, answers=[1], right=True)
        party.do(party.hall.get_ready, pid)
        party.open(pid)
    party.wait(5)
    assert len(party.hall.ledger.sessions) == meet
    refused = [e.payload["reason"] for e in party.log if e.type == "pairing.refused"]
    assert refused == ([] if meet else ["language"])


def test_nobody_plays_with_somebody_of_the_same_browser() -> None:
    party = Party()
    for pid in ("ann", "ann-again"):
        party.enter(pid, browser="b1")
    party.wait(1, step_s=1)
    (refused,) = (event for event in party.log if event.type == "pairing.refused")
    assert refused.what == PairingRefused(("ann", "ann-again"), "browser")
    party.restart()
    for pid in ("ann", "ann-again"):
        party.open(pid)
    party.wait(1, step_s=1)
    assert party.hall.ledger.sessions == {}
    for pid in ("bob", "cem"):
        party.enter(pid)
    party.wait(1, step_s=1)
    people = party.hall.ledger.people
    assert {each.stage for each in people.values()} == {"playing"}
    assert "ann-again" not in people["ann"].partners


def tell_undrawn(party: Party, browser: Browser, picture: object) -> None:
    told = {"picture": picture}
    party.do(party.hall.acting.signal, browser.connection, "undrawn", told)


def test_a_picture_that_was_not_drawn_is_an_alarm_until_it_is() -> None:
    party = Party()
    a, b = party.pair()
    picture = pictures(a)[0]
    for told in ("elsewhere.jpg", None, [picture], picture):
        tell_undrawn(party, a, told)
    undrawn = [event for event in party.log if event.type == "page.undrawn"]
    assert [(each.payload, each.round, each.role) for each in undrawn] == [
        ({"picture": picture}, 1, party.hall.ledger.sessions["s0001"].seat_of(a.pid).role)
    ]
    party.restart()
    a, b = party.open(a.pid), party.open(b.pid)
    standing = describe_standing(party.hall, party.now_us)
    assert standing["undrawn"] == {
        "pictures": [picture],
        "reports": 1,
        "last_us": undrawn[0].at_us,
    }
    assert standing["sessions"][0]["problems"] == []  # the page was loaded again
    tell_undrawn(party, a, picture)
    assert describe_standing(party.hall, party.now_us)["sessions"][0]["problems"] == ["undrawn"]
    party.do(party.hall.acting.signal, a.connection, "drawn", {"pictures": 6})
    standing = describe_standing(party.hall, party.now_us)
    assert standing["sessions"][0]["problems"] == []
    assert standing["undrawn"]["reports"] == 2
    party.check()


def test_a_page_is_noted_before_it_is_sent() -> None:
    party = Party()
    a, _ = party.pair()
    (event,) = [e for e in party.log if e.type == "page.shown" and e.participant == a.pid]
    assert a.last("welcome")["seq"] == event.seq


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"client_msg_id": 5},
        {"client_msg_id": "x" * 65, "type": "chat.message", "payload": {}},
        {"client_msg_id": "a", "type": 1, "payload": {}},
        {"client_msg_id": "b", "type": "chat.message", "payload": []},
        {"client_msg_id": "c", "type": "chat.message", "payload": {}, "round": True},
        {"client_msg_id": "g", "type": "chat.message", "payload": {"text": "x"}, "round": 2**63},
        {"client_msg_id": "d", "type": "session.ended", "payload": {"reason": "x"}, "round": 1},
        {"client_msg_id": "e", "type": "moderator.end", "payload": {"reason": "x"}, "round": 1},
        {"client_msg_id": "f", "type": "chat.message", "payload": {"text": None}, "round": 1},
    ],
)
def test_what_no_page_sends_is_refused(message: dict[str, Any]) -> None:
    party = Party()
    a, _ = party.pair()
    party.do(party.hall.acting.act, a.connection, message)
    assert a.frames[-1]["type"] == "reject"
    assert party.hall.ledger.sessions
    # The log has no room for larger numbers.
    assert all((event.round or 0) < 2**63 for event in party.log)
    party.check()


def test_a_restart_keeps_everything_and_gives_time_to_return() -> None:
    party = Party()
    a, b = party.pair()
    party.act(a, "chat.message", text="before")
    party.act(a, "photobook.mark", image=target(a), label="common")
    old = a.game
    party.now_us += 600 * 1_000_000  # the server was away for ten minutes
    party.restart()
    party.wait(100)
    assert party.open(a.pid).game == old
    assert party.open(b.pid).game["chat"] == old["chat"]
    party.check()


def test_words_are_looked_for_in_all_that_people_write() -> None:
    party = Party(words={"block": ["call me"]})
    a, b = party.pair("amy", "bob")
    for number in range(1, 6):
        for tab in (a, b):
            for image in tab.game["images"]:
                if image["highlighted"]:
                    party.act(tab, "photobook.mark", image=image["image"], label="common")
            party.act(tab, "photobook.submit")
        for tab in (a, b) if number < 5 else ():
            party.act(tab, "photobook.next")
    grades: dict[str, Any] = {"col": 5, "partner_u": 4, "self_u": 3}
    said = party.act(a, "photobook.questionnaire", **grades, text="please call me")
    assert said["code"] == "word_blocked"
    assert party.act(a, "photobook.questionnaire", **grades, text="fine")["type"] == "ack"
