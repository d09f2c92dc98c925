from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.thorough import thorough
from tests.unit.corpora.photobook.samples import simulated_game

from commonground.corpora.photobook.native import Game, Message
from commonground.errors import FormatError
from commonground.play.scenario import Replay
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.photobook.material import invent_material
from commonground.play.scenarios.photobook.replay import REPLAY
from commonground.play.scenarios.photobook.simulate import iterate_games
from commonground.play.sessions.replaying import replay_files


def replay(game: Game) -> Replay:
    assert REPLAY.replay is not None
    return REPLAY.replay("game.json", msgspec.json.encode(game))


def codes(found: Replay) -> Counter[str]:
    return Counter(each.code for each in found.differences)


def test_what_the_rules_made_comes_out_again() -> None:
    games = list(iterate_games(invent_material(16, 3), 12, 3))
    for game in games:
        found = replay(game)
        assert found.differences == []
        assert found.equal == found.compared
        assert found.compared["score"] == 10
        assert found.compared["turn"] == sum(len(each.messages) for each in game.rounds)


def find(messages: list[Message], start: str, speaker: str) -> int:
    return next(
        index
        for index, message in enumerate(messages)
        if message.speaker == speaker and message.message.startswith(start)
    )


def insert(game: Game, number: int, index: int, speaker: str, text: str) -> None:
    """Puts a message into a round, with the turns of those after it as they should be."""
    messages = game.rounds[number].messages
    agent = game.agent_ids["AB".index(speaker)]
    before = messages[index - 1]
    stamp = before.timestamp[:-1] + "1" if len(before.timestamp) > 8 else "00:00:00.000001"
    new = Message(timestamp=stamp, turn=0, speaker=speaker, agent_id=agent, message=text)
    messages.insert(index, new)
    turn = 0
    for message in messages:
        message.turn = turn
        turn += not message.message.startswith(("<selection>", "<feedback>"))


def own(game: Game, number: int, speaker: str) -> str:
    """The first highlighted image of a player in a round."""
    shown = getattr(game.rounds[number].images, speaker)
    flags = getattr(game.rounds[number].highlighted, speaker)
    return str(next(image for image, flag in zip(shown, flags, strict=True) if flag))


def mark_late(game: Game) -> None:
    messages = game.rounds[0].messages
    label = messages[find(messages, f"<selection> <com> {own(game, 0, 'A')}", "A")].message
    insert(game, 0, find(messages, "<feedback>", "A") + 1, "A", label)


def mark_late_and_uncounted(game: Game) -> None:
    label = "dif" if own(game, 0, "A") in game.rounds[0].images.B else "com"
    index = find(game.rounds[0].messages, "<feedback>", "A") + 1
    insert(game, 0, index, "A", f"<selection> <{label}> {own(game, 0, 'A')}")


def submit_early(game: Game) -> None:
    insert(game, 1, 1, "B", "<feedback>")


def submit_twice(game: Game) -> None:
    insert(game, 1, find(game.rounds[1].messages, "<feedback>", "B") + 1, "B", "<feedback>")


def mark_the_partners(game: Game) -> None:
    images = game.rounds[2].images
    image = next(each for each in images.B if each not in images.A)
    insert(game, 2, 1, "A", f"<selection> <com> {image}")
    game.rounds[2].score.A = 4


def go_on_early(game: Game) -> None:
    insert(game, 3, 1, "A", "<next_round>")


def go_on_at_the_end(game: Game) -> None:
    insert(game, 4, 1, "A", "<next_round>")


def say_nothing(game: Game) -> None:
    insert(game, 0, 1, "B", " ")


def invent_a_tag(game: Game) -> None:
    insert(game, 0, 1, "B", "<wave>")


def go_back_in_time(game: Game) -> None:
    game.rounds[1].messages[2].timestamp = "00:00:03.000000"


def count_turns_otherwise(game: Game) -> None:
    game.rounds[1].messages[2].turn += 1


def score_otherwise(game: Game) -> None:
    game.rounds[1].score.B = 0


def forget_a_common_image(game: Game) -> None:
    del game.rounds[3].common[0]


def answer_for_the_other(game: Game) -> None:
    messages = game.rounds[4].messages
    last = messages[find(messages, "<usr_feedback>", "B")]
    last.speaker, last.agent_id = "A", game.agent_ids[0]
    game.feedback.B = None


PLANTS: dict[str, tuple[Callable[[Game], None], dict[str, int]]] = {
    "late mark": (mark_late_and_uncounted, {"locked": 1, "score_locked": 1}),
    "early submit": (submit_early, {"marks_missing": 1, "locked": 3, "already_submitted": 1}),
    "second submit": (submit_twice, {"already_submitted": 1}),
    "partner's image": (mark_the_partners, {"not_on_page": 1, "score_stray": 1}),
    "early next": (go_on_early, {"not_submitted": 1}),
    "last next": (go_on_at_the_end, {"last_page": 1}),
    "blank": (say_nothing, {"empty": 1}),
    "tag": (invent_a_tag, {"starts_with_tag": 1}),
    "clock": (go_back_in_time, {"time_order": 1}),
    "turn": (count_turns_otherwise, {"turn": 1}),
    "score": (score_otherwise, {"score": 1}),
    "common": (forget_a_common_image, {"common": 1}),
    "answers": (answer_for_the_other, {"already_answered": 1}),
}


@pytest.mark.parametrize("name", PLANTS)
def test_each_planted_difference_is_listed_with_its_reason(name: str) -> None:
    change, wanted = PLANTS[name]
    game = simulated_game()
    change(game)
    found = replay(game)
    assert codes(found) == wanted
    assert all(REPLAY.reasons[code] for code in wanted)
    assert all(each.path.startswith("$.rounds[") for each in found.differences)


def test_a_released_mark_after_submitting_counts() -> None:
    game = simulated_game()
    mark_late_and_uncounted(game)
    game.rounds[0].score.A = 2
    assert codes(replay(game)) == {"locked": 1}


def drop_a_round(game: Game) -> None:
    del game.rounds[4]


def show_one_image_twice(game: Game) -> None:
    game.rounds[1].images.A[0] = game.rounds[1].images.A[1]


def add_a_third(game: Game) -> None:
    game.rounds[0].messages[0].speaker = "C"


def write_a_bad_time(game: Game) -> None:
    game.rounds[0].messages[1].timestamp = "soon"


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (drop_a_round, "rounds other than 1 to 5"),
        (show_one_image_twice, "6 images, 5 different"),
        (add_a_third, "a message by 'C'"),
        (write_a_bad_time, "the time 'soon'"),
    ],
)
def test_what_cannot_be_played_is_said(damage: Callable[[Game], None], problem: str) -> None:
    game = simulated_game()
    damage(game)
    (difference,) = replay(game).differences
    assert difference.code == "unplayable"
    assert problem in difference.expected


@pytest.mark.parametrize("data", [b"", b"[", b"[]", b'{"game_id": 1}'])
def test_what_is_no_log_is_an_error_that_names_the_file(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^bad\.json: "):
        REPLAY.record("bad.json", data)


def test_parts_add_up() -> None:
    whole = replay(simulated_game()) + replay(simulated_game())
    assert (whole.sessions, whole.compared["score"], whole.equal["score"]) == (2, 20, 20)
    assert Replay() + whole == whole


# The issue of the collection server asks for these: every turn, every list of common images, and
# all scores but the 27 that the logs themselves contradict.

RELEASED = {
    "locked": 1632,
    "already_submitted": 436,
    "message_space": 274,
    "marks_missing": 204,
    "message_break": 62,
    "feedback_break": 60,
    "already_asked": 42,
    "feedback_mask": 36,
    "score_locked": 20,
    "already_answered": 16,
    "not_submitted": 15,
    "last_page": 12,
    "not_on_page": 11,
    "score_stray": 7,
    "page_not_turned": 7,
    "empty": 1,
    "not_highlighted": 1,
}


@thorough
def test_the_released_games_come_out_again() -> None:
    if "COMMONGROUND_DATA" not in os.environ:
        pytest.skip("COMMONGROUND_DATA names no folder of released files")
    logs = Path(os.environ["COMMONGROUND_DATA"], "photobook", "logs")
    if not logs.is_dir():
        pytest.skip(f"{logs} is not there")
    found = replay_files(get_scenario("photobook"), [logs])
    replay = found.replay
    assert found.unread == {}
    assert (replay.sessions, replay.acts) == (2_502, 294_370)
    for name in ("turn", "timestamp", "agent_id"):
        assert replay.equal[name] == replay.compared[name] == 294_370
    assert replay.equal["common"] == replay.compared["common"] == 12_510
    assert (replay.equal["score"], replay.compared["score"]) == (24_993, 25_020)
    assert codes(replay) == RELEASED
    assert all(REPLAY.reasons[code] for code in RELEASED)
