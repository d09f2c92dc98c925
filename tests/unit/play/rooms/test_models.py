"""Language models in seats: what they are told and shown, and what their answers come to."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from inspect_ai.model import ContentImage, ModelOutput, ModelUsage, get_model
from tests.thorough import a_few, thorough
from tests.unit.bench.inspect_tasks.stub import Said, serve

from commonground.errors import UsageError
from commonground.play.player import Moment, Move, Seat, Wait
from commonground.play.rooms.players.model_answers import (
    WAIT,
    AnswerForm,
    NoAct,
    make_tools,
    read_move,
)
from commonground.play.rooms.players.models import (
    MOST_UNREADABLE,
    Tally,
    describe_failure,
    hash_prompts,
    make_kind,
    open_model,
    require_reachable,
    write_briefing,
)
from commonground.play.scenario import Allowed, payload_schema
from commonground.play.scenarios import get_scenario
from commonground.play.sessions import Played, play_sessions, seat_players
from commonground.store.access import import_files

pytestmark = pytest.mark.filterwarnings("ignore:The .initial. parameter:DeprecationWarning")

Answer = Callable[[dict[str, Any], list[str]], tuple[str, dict[str, Any]] | None]


class Mind:
    """A model whose answers are worked out from what it is sent."""

    def __init__(self, decide: Answer) -> None:
        self.decide = decide
        self.asked: list[Any] = []
        self.model = get_model("mockllm/model", custom_outputs=self.answer, memoize=False)

    def answer(self, messages: Any, tools: Any, _choice: Any, config: Any) -> ModelOutput:
        self.asked.append(messages)
        text = messages[-1].text
        view, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
        schema = config.response_schema
        names = schema.json_schema.properties["act"].enum if schema else [t.name for t in tools]
        found = self.decide(view, names)
        if schema is not None and found is not None:
            said = json.dumps({"act": found[0], "arguments": found[1]})
            output = ModelOutput.from_content("mockllm/model", f"So:\n```json\n{said}\n```")
        elif found is None:
            output = ModelOutput.from_content("mockllm/model", "I would rather talk.")
        else:
            output = ModelOutput.for_tool_call("mockllm/model", *found)
        # Without it, it would count tokens by a list that it fetches from the web.
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output


def play_photobook(view: dict[str, Any], tools: list[str]) -> tuple[str, dict[str, Any]]:
    """Greets once on each page, marks all as common, and goes on."""
    said = [each for each in view["chat"] if each["round"] == view["round"]]
    unmarked = [each for each in view["images"] if each["highlighted"] and not each["mark"]]
    if "photobook_questionnaire" in tools:
        grades = {"col": 4, "partner_u": 4, "self_u": 4}
        return "photobook_questionnaire", {**grades, "text": ""}
    if "chat_message" in tools and not said:
        return "chat_message", {"text": "do you have a red one too?"}
    if "photobook_mark" in tools and unmarked:
        return "photobook_mark", {"image": unmarked[0]["image"], "label": "common"}
    for name in ("photobook_submit", "photobook_next"):
        if name in tools:
            return name, {}
    return WAIT, {}


def label_all(view: dict[str, Any], tools: list[str]) -> tuple[str, dict[str, Any]]:
    left = [each for each in view["candidates"] if each["answer"] is None]
    if left:
        label = next(name for name in tools if name.endswith("_label"))
        return label, {"candidate": left[0]["id"], "answer": "yes"}
    return next(name for name in tools if name.endswith("_submit")), {}


def play(
    folder: Path, name: str, decide: Answer, sessions: int = 1, form: AnswerForm = "tools"
) -> tuple[Played, Mind, Tally]:
    scenario, mind, tally = get_scenario(name), Mind(decide), Tally()
    folder.mkdir()
    seats = seat_players(scenario, {})
    role = scenario.rules.roles[0]
    seats[role] = make_kind(scenario, mind.model, pictures=folder, tally=tally, form=form)
    return play_sessions(scenario, seats, folder, sessions=sessions, seed=3), mind, tally


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Played, Mind, Tally]:
    """A whole game of a model with a script, and the folder that it is released to."""
    out = tmp_path_factory.mktemp("game") / "out"
    return out, *play(out, "photobook", play_photobook)


def test_a_model_plays_a_whole_game_with_a_script(
    game: tuple[Path, Played, Mind, Tally], tmp_path: Path
) -> None:
    out, played, mind, tally = game
    assert (played.complete, played.stuck) == (1, [])
    assert (tally.unreadable, tally.given_up) == (0, 0)
    assert tally.calls == len(mind.asked)
    assert tally.input_tokens == 100 * tally.calls
    corpus = import_files("photobook", out, store=tmp_path / "store")
    texts = {event.text for event in corpus[0].events if event.text}
    assert "do you have a red one too?" in texts


def test_a_model_is_told_what_people_are_told_and_shown_what_they_see(
    game: tuple[Path, Played, Mind, Tally],
) -> None:
    _, _, mind, _ = game
    system, user = mind.asked[0]
    assert write_briefing(get_scenario("photobook")) in system.text
    pictures = [each for each in user.content if isinstance(each, ContentImage)]
    assert len(pictures) == 6
    assert all(each.image.startswith("data:image/jpeg;base64,") for each in pictures)


def compare_names(role: str) -> Answer:
    """Plays blind: writes what its pictures are called, and marks as common what both call so."""

    def decide(view: dict[str, Any], tools: list[str]) -> tuple[str, dict[str, Any]]:
        said = [each for each in view["chat"] if each["round"] == view["round"]]
        mine = [each["text"] for each in said if each["role"] == role]
        other = {each["text"] for each in said if each["role"] != role}
        names = [each["image"] for each in view["images"]]
        if view["phase"] == "play" and len(mine) < len(names):
            return "chat_message", {"text": names[len(mine)]}
        if view["phase"] == "play" and len(other) < len(names):
            return WAIT, {}
        unmarked = [each for each in view["images"] if each["highlighted"] and not each["mark"]]
        if "photobook_mark" in tools and unmarked:
            image = unmarked[0]["image"]
            label = "common" if image in other else "different"
            return "photobook_mark", {"image": image, "label": label}
        return play_photobook({**view, "chat": [{"round": view["round"]}]}, tools)

    return decide


def score_pair(folder: Path, minds: dict[str, Mind], form: AnswerForm) -> list[float | None]:
    scenario = get_scenario("photobook")
    folder.mkdir()
    seats = {
        role: make_kind(scenario, mind.model, pictures=folder, form=form)
        for role, mind in minds.items()
    }
    played = play_sessions(scenario, seats, folder, sessions=3, seed=3)
    assert (played.complete, played.stuck) == (3, [])
    return [each.score for each in played.results]


@pytest.mark.parametrize("form", a_few(["tools", "json"], ("tools",)))
def test_who_compares_names_and_not_pictures_is_no_better_than_by_chance(
    tmp_path: Path, form: AnswerForm
) -> None:
    blind = {role: Mind(compare_names(role)) for role in ("A", "B")}
    guessing = {role: Mind(play_photobook) for role in ("A", "B")}
    scores = score_pair(tmp_path / "blind", blind, form)
    # All are called alike, so all are marked as common.
    assert scores == score_pair(tmp_path / "guessing", guessing, form)
    assert max(score or 0 for score in scores) < 30
    shown = "".join(message.text for asked in blind["A"].asked for message in asked)
    assert "COCO" not in shown
    assert ".jpg" not in shown
    assert "picture 6:" in shown


@thorough
def test_a_model_that_knows_no_tools_answers_with_json(tmp_path: Path) -> None:
    played, mind, tally = play(tmp_path / "out", "photobook", play_photobook, form="json")
    assert (played.complete, played.stuck) == (1, [])
    assert (tally.unreadable, tally.refused, tally.calls) == (0, {}, len(mind.asked))
    system, user = mind.asked[0]
    assert "one JSON object" in system.text
    assert "tool" not in system.text
    assert "\nphotobook_mark: Mark one of your pictures" in user.text
    corpus = import_files("photobook", tmp_path / "out", store=tmp_path / "store")
    assert list(corpus.rows("SELECT code FROM findings WHERE severity <> 'note'")) == []


def test_json_that_names_no_act_is_aborted_as_malformed(tmp_path: Path) -> None:
    played, mind, tally = play(tmp_path / "out", "mpchat", lambda _v, _t: None, form="json")
    assert [(each.fate, each.cause) for each in played.results] == [("aborted", "malformed")]
    assert (tally.unreadable, tally.given_up) == (MOST_UNREADABLE, 1)
    assert "another form than was asked for" in played.stuck[0].reason
    assert "was no JSON object" in mind.asked[-1][-1].text


MARK = Allowed("photobook.mark", {"type": "object", "properties": {}})


@pytest.mark.parametrize(
    ("said", "payload"),
    [
        ('{"act": "photobook_mark", "arguments": {"image": 2.0}}', {"image": 2}),
        ('{"act": "photobook.mark"}', {}),
        ('{"why": "It is red.", "act": "photobook_mark", "arguments": null}', {}),
        ('I think:\n```json\n{"act": "photobook_mark", "arguments": {}}\n```', {}),
    ],
)
def test_an_act_is_read_from_json(said: str, payload: dict[str, Any]) -> None:
    move = read_move(ModelOutput.from_content("said", said), [MARK], "json")
    assert isinstance(move, Move)
    assert (move.type, move.payload) == ("photobook.mark", payload)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("", "empty"),
        *((each, "malformed") for each in ("photobook_mark", "[]", '{"act": 1}', "[" * 9_999)),
        ('{"arguments": {}}', "malformed"),
        ('{"act": "photobook_submit"}', "unknown name"),
        ('{"act": "photobook_mark", "arguments": [1]}', "malformed"),
        ('{"act": "photobook_mark"} {"act": "photobook_mark"}', "malformed"),
    ],
)
def test_other_json_is_no_act(said: str, outcome: str) -> None:
    read = read_move(ModelOutput.from_content("said", said), [MARK], "json")
    assert isinstance(read, NoAct)
    assert read.outcome == outcome


def test_waiting_is_an_act_in_json_too() -> None:
    assert read_move(ModelOutput.from_content("said", '{"act": "wait"}'), [], "json") == Wait(5.0)


def test_the_hash_of_what_models_are_told_knows_how_they_answer() -> None:
    scenario = get_scenario("photobook")
    assert hash_prompts(scenario, "json") != hash_prompts(scenario, "tools")


def test_the_votes_of_models_are_kept_apart(tmp_path: Path) -> None:
    played, _, _ = play(tmp_path / "out", "mpchat", label_all, sessions=2)
    assert played.complete == 2
    log = (tmp_path / "out" / "sessions.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["players"]["worker"] for line in log} == {"mockllm/model"}
    assert list((tmp_path / "out").rglob("*model*"))


def test_a_session_whose_model_calls_nothing_is_given_up(tmp_path: Path) -> None:
    played, mind, tally = play(tmp_path / "out", "mpchat", lambda _view, _tools: None)
    assert played.complete == 0
    assert "given up" in played.stuck[0].reason
    assert (tally.unreadable, tally.given_up) == (MOST_UNREADABLE, 1)
    assert "called no tool" in mind.asked[-1][-1].text
    assert played.results[0].cause == "malformed"


def test_a_session_whose_model_does_what_is_refused_is_given_up(tmp_path: Path) -> None:
    def skip(_view: dict[str, Any], tools: list[str]) -> tuple[str, dict[str, Any]]:
        name = next(each for each in tools if each.endswith("_skip"))
        return name, {"reason": "boredom", "note": ""}

    played, mind, tally = play(tmp_path / "out", "mpchat", skip)
    assert played.complete == 0
    assert tally.refused.total() == MOST_UNREADABLE
    said = mind.asked[-1][-1].text
    assert 'mpchat_skip({"reason":"boredom","note":""})\nIt was not accepted.' in said
    assert "reason must be picture_missing, unclear, disturbing or other, and is boredom." in said


def test_a_model_decides_anew_when_its_act_is_no_longer_possible() -> None:
    """The partner may go on to the next page, or end the chat, while the model types."""
    numbers = count()

    def talk(_view: dict[str, Any], tools: list[str]) -> tuple[str, dict[str, Any]]:
        if "chat_message" in tools:
            return "chat_message", {"text": f"number {next(numbers)}"}
        return WAIT, {}

    kind = make_kind(get_scenario("photobook"), Mind(talk).model, pictures=None)
    player = kind.enter(Seat("B", None, 1))
    chat = Allowed("chat.message", {"type": "object", "properties": {}})
    view = {"round": 1, "chat": [], "images": []}
    first = player.next_move(Moment("B", view, [chat], 1), Random(1))
    assert isinstance(first, Move)
    assert player.next_move(Moment("B", view, [chat], 2, first), Random(1)) is first
    other = player.next_move(Moment("B", {**view, "round": 2}, [chat], 3, first), Random(1))
    assert isinstance(other, Move)
    assert other.payload != first.payload
    gone = player.next_move(Moment("B", {**view, "round": 2}, [MARK], 4, other), Random(1))
    assert gone == Wait(5.0)


def test_a_session_whose_model_never_stops_talking_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonground.play.rooms.players.models.MOST_CALLS", 20)

    def talk(_view: dict[str, Any], tools: list[str]) -> tuple[str, dict[str, Any]]:
        return next(each for each in tools if "chat" in each), {"text": "and another thing"}

    played, _, tally = play(tmp_path / "out", "photobook", talk)
    assert (tally.calls, tally.given_up) == (20, 1)
    assert [each.fate for each in played.results] == ["aborted"]
    assert "asked 20 times" in played.stuck[0].reason


def test_a_provider_that_fails_costs_its_session_only(tmp_path: Path) -> None:
    def fail(_view: dict[str, Any], _tools: list[str]) -> None:
        raise RuntimeError("no more credit")

    played, _, tally = play(tmp_path / "out", "mpchat", fail, sessions=2)
    assert [each.reason.endswith("no more credit") for each in played.stuck] == [True, True]
    assert tally.given_up == 2


def test_a_model_that_sees_no_pictures_is_refused_and_not_given_up(tmp_path: Path) -> None:
    class Blind:
        def __str__(self) -> str:
            return "hf/models/small"

    scenario = get_scenario("photobook")
    seats = seat_players(scenario, {})
    blind: Any = Blind()
    seats["B"] = make_kind(scenario, blind, pictures=tmp_path)
    with pytest.raises(UsageError, match=r"sends texts only\. To play with it, serve"):
        play_sessions(scenario, seats, tmp_path, sessions=2, seed=3)


def test_a_key_that_is_missing_is_named_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.delenv("NOBODY_API_KEY", raising=False)
    with pytest.raises(UsageError, match=r"opened: Unable to .*\. No NOBODY_API_KEY") as told:
        open_model("openai-api/nobody/model")
    assert "[" not in str(told.value)
    assert "\n" not in str(told.value)


def test_a_provider_that_is_not_there_is_said_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("openai")
    with serve(lambda _number, _body: Said("")) as stub:
        address = stub.url
    monkeypatch.setenv("NO_BODY_BASE_URL", address)
    monkeypatch.setenv("NO_BODY_API_KEY", "none")
    with pytest.raises(UsageError, match="Nothing answers") as told:
        make_kind(get_scenario("photobook"), "openai-api/no-body/model", pictures=None)
    assert address in str(told.value)
    assert "set NO_BODY_BASE_URL" in str(told.value.advice)


def test_a_provider_that_refuses_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    with serve(lambda _number, _body: Said(status=429)) as stub:
        monkeypatch.setenv("STUB_BASE_URL", stub.url)
        monkeypatch.setenv("STUB_API_KEY", "none")
        require_reachable(open_model("openai-api/stub/model"))
        assert stub.asked == []
    require_reachable(get_model("mockllm/model"))


def test_after_retries_the_failure_of_the_last_one_is_told() -> None:
    attempt: Future[None] = Future()
    attempt.set_exception(ConnectionError("Connection\nerror."))
    failed: Any = RuntimeError("RetryError[<Future at 0x7f>]")
    failed.last_attempt = attempt
    assert describe_failure(failed) == "Connection error."
    assert describe_failure(TimeoutError()) == "TimeoutError"


def test_a_model_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(UsageError, match="nobody/nothing"):
        make_kind(get_scenario("photobook"), "nobody/nothing", pictures=None)


def test_tools_say_which_arguments_go_together() -> None:
    reasons = {"enum": ["unclear", "other"]}
    branches = [{"properties": {"reason": {"enum": ["unclear"]}}}, {"required": ["note"]}]
    schema = payload_schema(("note",), reason=reasons, note={"type": "string"})
    plain, skip, _ = make_tools(
        [Allowed("x.submit", schema), Allowed("x.skip", {**schema, "anyOf": branches})]
    )
    assert plain.description == "Do this: submit."
    said = "Do this: skip. It is accepted where reason is unclear, or note is given."
    assert skip.description == said
    # What they fit besides is in the parameters, as everywhere.
    assert skip.parameters == plain.parameters
