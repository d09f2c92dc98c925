"""Released games played again by the rules.

Whatever the rules refuse is listed, and the game goes on as the released one did: the log keeps
the act, and a mark that was made after submitting counts, since the software of the time let
players go back. What comes out is compared with the log, field by field.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from commonground.corpora.photobook import native
from commonground.corpora.photobook.schedule import ROUNDS, schedule_name
from commonground.errors import FormatError
from commonground.files.documents import decode_all
from commonground.findings import shorten
from commonground.play.phrase_files import load_beside
from commonground.play.scenario import (
    CHAT,
    Act,
    Recorded,
    Refusal,
    Replay,
    ReplayDifference,
    Replayer,
    Sitting,
)
from commonground.play.scenarios.photobook.material import Board, GamePage, PhotobookMaterial
from commonground.play.scenarios.photobook.release import EPOCH
from commonground.play.scenarios.photobook.rules import (
    SCENARIO,
    PhotobookState,
    carry_out,
    note,
    turn_page,
)

_LOG = native.FORMATS[0]
_FIELDS = ("turn", "timestamp", "agent_id", "message")
"""What is compared of each message."""


def _read_game(name: str, data: bytes) -> native.Game:
    (read,) = decode_all(name, data, _LOG)
    game: native.Game = read.record
    return game


class _Game:
    """A released log on its way through the rules, and what came out otherwise so far."""

    def __init__(self, name: str, game: native.Game) -> None:
        self._name = name
        self._game = game
        # As many as there are: a log with other labels is not played at all.
        self._agents = dict(zip(game.agent_labels, game.agent_ids, strict=False))
        self._differences: list[ReplayDifference] = []

    def replay(self) -> Replay:
        """Plays it and compares what comes out."""
        game = self._game
        acts = sum(len(each.messages) for each in game.rounds)
        try:
            clocks = self._read_clocks()
            state = SCENARIO.start(self._material(), 0)
        except (ValueError, FormatError) as error:
            self._differ("$", "unplayable", str(error), "")
            return Replay(sessions=1, acts=acts, differences=self._differences)
        for number, (each, times_us) in enumerate(zip(game.rounds, clocks, strict=True), 1):
            state = self._play_round(state, number, each, times_us)
        (made,) = SCENARIO.finish(state, Sitting(game.game_id, self._agents))
        compared, equal = self._compare(made)
        return Replay(1, acts, compared, equal, self._differences)

    def record(self) -> list[Recorded]:
        """Returns what was played with and done; nothing where the rules cannot play it."""
        game = self._game
        try:
            material, clocks = self._material(), self._read_clocks()
            SCENARIO.start(material, 0)
        except (ValueError, FormatError):
            return []
        acts = [
            _parse_act(message, number, at_us)
            for number, (each, times_us) in enumerate(zip(game.rounds, clocks, strict=True), 1)
            for message, at_us in zip(each.messages, times_us, strict=True)
        ]
        return [Recorded(name=str(game.game_id), seed=0, material=material, acts=acts)]

    def _read_clocks(self) -> list[list[int]]:
        """Returns when each message of each round came; a ValueError says that a time is none."""
        start = datetime.fromisoformat(self._game.start_time)
        start_us = (start.replace(tzinfo=EPOCH.tzinfo) - EPOCH) // timedelta(microseconds=1)
        return [
            [start_us + _parse_clock(message.timestamp) for message in each.messages]
            for each in self._game.rounds
        ]

    def _material(self) -> PhotobookMaterial:
        """Returns what the game was played with, if it is a whole game of A and B."""
        game = self._game
        if set(self._agents) != {"A", "B"}:
            raise FormatError(f"players {', '.join(self._agents)} instead of A and B")
        if [each.round_nr for each in game.rounds] != list(range(1, ROUNDS + 1)):
            raise FormatError(f"rounds other than 1 to {ROUNDS}")
        if any(not each.messages for each in game.rounds):
            raise FormatError("a round without messages")
        strangers = {m.speaker for each in game.rounds for m in each.messages} - {"A", "B"}
        if strangers:
            raise FormatError(f"a message by {shorten(min(strangers))!r}")
        pages = tuple(GamePage(_board(each, "A"), _board(each, "B")) for each in game.rounds)
        name = schedule_name(game.domain_id)
        # A log has its pages in the order in which they were played.
        return PhotobookMaterial(game.domain_id, name, pages, order=tuple(range(ROUNDS)))

    def _play_round(
        self, state: PhotobookState, number: int, each: native.Round, times_us: list[int]
    ) -> PhotobookState:
        for index, message in enumerate(each.messages):
            act = _parse_act(message, number, times_us[index])
            result = SCENARIO.apply(state, act)
            if not isinstance(result, Refusal):
                state = result
                continue
            path = f"$.rounds[{number - 1}].messages[{index}]"
            found = f"{message.speaker}: {message.message}"
            self._differ(path, result.code, "refused", found)
            state = _overrule(state, act, result)
        # As the log does; otherwise all that follows would be refused for its round.
        if state.round == number < ROUNDS:
            self._differ(f"$.rounds[{number - 1}]", "page_not_turned", "both asked", "")
            state = turn_page(state)
        return state

    def _differ(self, path: str, code: str, expected: str, found: str) -> None:
        self._differences.append(ReplayDifference(self._name, path, code, expected, shorten(found)))

    def _compare(self, made: native.Game) -> tuple[dict[str, int], dict[str, int]]:
        compared = dict.fromkeys((*_FIELDS, "common", "score", "feedback"), 0)
        before = len(self._differences)
        for number, (ours, theirs) in enumerate(zip(made.rounds, self._game.rounds, strict=True)):
            messages = len(theirs.messages)
            for name in _FIELDS:
                compared[name] += messages
            compared["common"] += 1
            compared["score"] += 2
            self._compare_messages(number, ours.messages, theirs.messages)
            for role in ("A", "B"):
                expected, found = getattr(ours.score, role), getattr(theirs.score, role)
                if expected != found:
                    code = self._explain_score(number, role)
                    path = f"$.rounds[{number}].score.{role}"
                    self._differ(path, code, str(expected), str(found))
            if sorted(ours.common) != sorted(theirs.common):
                path = f"$.rounds[{number}].common"
                self._differ(path, "common", shorten(ours.common), shorten(theirs.common))
        compared["feedback"] += 2
        for role in ("A", "B"):
            expected, found = getattr(made.feedback, role), getattr(self._game.feedback, role)
            if expected == found:
                continue
            if expected is None or found is None:
                code = "feedback_missing"
            else:
                same = "".join(found.split()) == expected
                code = "feedback_break" if same else "feedback_mask"
            self._differ(f"$.feedback.{role}", code, shorten(expected), repr(found))
        equal = dict(compared)
        for difference in self._differences[before:]:
            # A code begins with the name of what it is about: ``score_locked`` is about a score.
            equal[next(name for name in equal if difference.code.startswith(name))] -= 1
        return compared, equal

    def _compare_messages(
        self, number: int, ours: list[native.Message], theirs: list[native.Message]
    ) -> None:
        if ours == theirs:
            return
        for index, (mine, their) in enumerate(zip(ours, theirs, strict=True)):
            for name in _FIELDS:
                expected, found = getattr(mine, name), getattr(their, name)
                if expected != found:
                    code = _explain_message(found) if name == "message" else name
                    path = f"$.rounds[{number}].messages[{index}].{name}"
                    self._differ(path, code, shorten(str(expected)), str(found))

    def _explain_score(self, number: int, role: str) -> str:
        path = f"$.rounds[{number}].messages["
        codes = {
            each.code
            for each in self._differences
            if each.path.startswith(path) and each.found.startswith(f"{role}: {native.SELECTION}")
        }
        if codes & {"not_on_page", "not_highlighted"}:
            return "score_stray"
        return "score_locked" if "locked" in codes else "score"


def _explain_message(found: str) -> str:
    if "\n" in found:
        return "message_break"
    return "message" if "text: " in found else "message_space"


def _overrule(state: PhotobookState, act: Act, refusal: Refusal) -> PhotobookState:
    """Does what the software of the time did with an act that the rules refuse.

    The log keeps the act. Nothing else comes of it, but that marks could be made after submitting
    and submitted before all were made.
    """
    kept = note(state, act)
    return carry_out(kept, act) if refusal.code in ("locked", "marks_missing") else kept


def _follow(state: PhotobookState, act: Act) -> PhotobookState:
    """Returns the state after an act of a released log, which may be one that the rules refuse."""
    # The log goes on to the next page although not both have asked for it.
    if act.round is not None and state.round < act.round:
        state = turn_page(state)
    result = SCENARIO.apply(state, act)
    return _overrule(state, act, result) if isinstance(result, Refusal) else result


def _parse_act(message: native.Message, number: int, at_us: int) -> Act:
    """Returns what a message says its speaker did; an unknown tag is a text that is refused."""
    payload: dict[str, Any] = {}
    match native.parse_command(message.message):
        case native.Submission():
            kind = "photobook.submit"
        case native.NextRound():
            kind = "photobook.next"
        case native.Selection(label=label, image=image):
            kind, payload = "photobook.mark", {"image": image, "label": label}
        case native.Answers() as answers:
            # The space after "text:" is the format's, not the player's.
            kind = "photobook.questionnaire"
            payload = msgspec.structs.asdict(answers) | {"text": answers.text.removeprefix(" ")}
        case None:
            kind, payload = CHAT, {"text": message.message}
    return Act(kind, message.speaker, payload, at_us, number)


def _board(each: native.Round, role: str) -> Board:
    return Board(tuple(getattr(each.images, role)), tuple(getattr(each.highlighted, role)))


def _parse_clock(stamp: str) -> int:
    """Returns the microseconds of ``HH:MM:SS[.ffffff]``."""
    # The first message of a game has no fraction of a second, all others have six digits.
    if len(stamp) not in (8, 15):
        raise ValueError(f"the time {shorten(stamp)!r}")
    seconds = int(stamp[0:2]) * 3600 + int(stamp[3:5]) * 60 + int(stamp[6:8])
    return seconds * 1_000_000 + (int(stamp[9:]) if len(stamp) > 8 else 0)


REPLAY = Replayer(
    record=lambda name, data: _Game(name, _read_game(name, data)).record(),
    follow=_follow,
    replay=lambda name, data: _Game(name, _read_game(name, data)).replay(),
    reasons=load_beside(__file__, "reasons.toml", dict[str, str]),
)
