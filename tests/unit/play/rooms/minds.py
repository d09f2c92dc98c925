"""A provider on this machine whose models play: tool calls worked out from what they are shown."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from tests.unit.bench.inspect_tasks.stub import Said, Stub

from commonground.play.collect.setup.study import Study
from commonground.play.player import Moment, Move, Seat
from commonground.play.rooms.players.models import ModelPictures
from commonground.play.scenario import Allowed
from commonground.play.scenarios import get_scenario

MODEL = "openai-api/stub/model"
WAIT = "wait"

Call = tuple[str, dict[str, Any]]
Decide = Callable[[dict[str, Any], dict[str, Any]], Call]
"""Gives a tool and its arguments. Arguments: the view, and the schemas of the tools by name."""

ALONE = f"""
seats = {{ROLE = "{MODEL}"}}
share = 1.0
"""
SETTINGS = f"""
[models]{ALONE}thinking_s = 0.0
words_per_minute = 1e6
idle_s = 0.2
[models.prices."{MODEL}"]
input = 1.0
output = 1.0
"""


def settings_for(role: str) -> str:
    """Returns settings by which everybody meets the stub's model in a role."""
    return SETTINGS.replace("ROLE", role)


def settings_of(*conditions: dict[str, str]) -> str:
    """Returns settings by which the stub's model sits in some seats, condition by condition."""
    written = ", ".join(
        "{" + ", ".join(f'{role} = "{name}"' for role, name in each.items()) + "}"
        for each in conditions
    )
    return SETTINGS.replace(ALONE, f"\nconditions = [{written}]\n")


def environment(stub: Stub) -> dict[str, str]:
    """Returns how a process finds the provider."""
    return {"STUB_BASE_URL": stub.url, "STUB_API_KEY": "none"}


def answer_by(
    decide: Decide, after_s: float = 0.0, *, eyes: Path | None = None
) -> Callable[[int, dict[str, Any]], Said]:
    """Returns the provider's answers.

    Args:
        decide: what the model does.
        after_s: seconds before it answers.
        eyes: folder of the pictures, for a model that knows one when it sees it; None for a model
            that knows the numbers alone.
    """
    known = {} if eyes is None else _look_at_all(eyes)

    def answer(_number: int, body: dict[str, Any]) -> Said:
        content = body["messages"][-1]["content"]
        text = content if isinstance(content, str) else content[0]["text"]
        if known:
            body = json.loads(_rename(json.dumps(body), seen := _recognise(content, known)))
            text = _rename(text, seen)
            name, arguments = _decide(text, body)
            numbers = {real: number for number, real in seen.items()}
            arguments = json.loads(_rename(json.dumps(arguments), numbers))
            return Said(raw=_complete(name, arguments), after_s=after_s)
        view, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
        if "tools" not in body:
            name, arguments = decide(view, _list_acts(body))
            return Said(json.dumps({"act": name, "arguments": arguments}), after_s=after_s)
        tools = {e["function"]["name"]: e["function"]["parameters"] for e in body["tools"]}
        name, arguments = decide(view, tools)
        return Said(raw=_complete(name, arguments), after_s=after_s)

    def _decide(text: str, body: dict[str, Any]) -> Call:
        view, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
        tools = {e["function"]["name"]: e["function"]["parameters"] for e in body["tools"]}
        return decide(view, tools)

    return answer


def _look_at_all(folder: Path) -> dict[str, str]:
    """Returns the names of all pictures of a folder, by what a model is sent of each."""
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.jpg"))]
    seen = ModelPictures(folder).find({"all": names})
    return {data: name for name, data in seen.items()}


def _recognise(content: list[dict[str, Any]], known: dict[str, str]) -> dict[str, str]:
    """Returns the names of the pictures of a message by their numbers."""
    return {
        label["text"].removesuffix(":"): known[picture["image_url"]["url"]]
        for label, picture in pairwise(content)
        if picture["type"] == "image_url"
    }


def _rename(text: str, names: dict[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(json.dumps(old), json.dumps(new))
    return text


def _list_acts(body: dict[str, Any]) -> dict[str, Any]:
    """Returns the acts of a request whose answer is an object of JSON, with their schemas."""
    fields = body["response_format"]["json_schema"]["schema"]["properties"]
    return dict(zip(fields["act"]["enum"], fields["arguments"]["anyOf"], strict=True))


def _complete(name: str, arguments: dict[str, Any]) -> bytes:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "call", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    completion = {
        "id": "stub",
        "object": "chat.completion",
        "created": 0,
        "model": "model",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": usage,
    }
    return json.dumps(completion).encode()


def play_photobook(view: dict[str, Any], tools: dict[str, Any]) -> Call:
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
    for name in ("photobook_submit", "photobook_review", "photobook_next"):
        if name in tools:
            return name, {}
    return WAIT, {}


def write_dialogue(view: dict[str, Any], _tools: dict[str, Any]) -> Call:
    """Writes a dialogue of Taskmaster by its script: values, turns, checks, marks, and submits."""
    if view["phase"] == "forms":
        return "taskmaster_enter", {"values": _fill_in(view["page"])}
    for bubble in view["bubbles"]:
        if bubble["open"] and bubble["text"] is None:
            words = ["Well, let me see.", *bubble["must"]]
            return "taskmaster_turn", {"turn": bubble["number"], "text": " ".join(words)}
    for check in view["checks"]:
        if not check["checked"]:
            return "taskmaster_check", {"name": check["name"], "checked": True}
    if view["spans"] and not view["marked"]:
        names = ("turn", "start", "end", "label")
        spans = [{name: each[name] for name in names} for each in view["spans"]]
        return "taskmaster_mark", {"spans": spans}
    return "taskmaster_submit", {}


def _fill_in(page: list[dict[str, Any]]) -> dict[str, str]:
    """Returns a value for each field: the first item of the list before it, else a word."""
    values: dict[str, str] = {}
    items: list[str] = ["two"]
    for part in page:
        if part["kind"] == "list":
            items = part["items"]
        elif part["kind"] == "field":
            values[part["name"]] = items[0].strip("*")
    return values


def label_dialogue(view: dict[str, Any], _tools: dict[str, Any]) -> Call:
    """Labels a dialogue of SIMMC: every utterance gets the label that is proposed for it."""
    for each in view["utterances"]:
        if str(each["number"]) not in view["labels"]:
            return "simmc_label", {"utterance": each["number"], "frames": each["proposal"]}
    return "simmc_submit", {}


def play_anything(view: dict[str, Any], tools: dict[str, Any]) -> Call:
    """Plays whichever game it is shown, by its view and its tools alone."""
    if "phase" in view and "bubbles" in view:
        return write_dialogue(view, tools)
    if "utterances" in view:
        return label_dialogue(view, tools)
    return play_photobook(view, tools)


def play_script(study: Study, role: str, speed: int) -> Decide:
    """Returns what a model does that plays as the scenario's script does, in a single session.

    The script waits as long as people do: its clock goes as much faster as the guest it plays with.

    Args:
        study: that is served; its log says which material the session has.
        role: the model's.
        speed: how many times as fast as people.
    """
    players: list[Decide] = []

    def decide(view: dict[str, Any], tools: dict[str, Any]) -> Call:
        if not players:
            players.append(_sit_down(study, role, _find_piece(study), speed))
        return players[0](view, tools)

    return decide


def play_photobook_scripts(study: Study, speed: int) -> Decide:
    """Returns what a model does that plays as PhotoBook's script does, in several sessions.

    It sees by the six pictures of a page in which seat it is, and with which piece of material: no
    two seats have the same. Nobody may play a piece in the same seat twice.

    Args:
        study: whose material is played.
        speed: how many times as fast as people.
    """
    seats = {
        getattr(page, role).images: (role, number)
        for number, piece in enumerate(study.stock.pieces)
        for page in piece.pages
        for role in ("A", "B")
    }
    players: dict[tuple[str, int], Decide] = {}

    def decide(view: dict[str, Any], tools: dict[str, Any]) -> Call:
        seat = seats[tuple(each["image"] for each in view["images"])]
        if seat not in players:
            players[seat] = _sit_down(study, *seat, speed)
        return players[seat](view, tools)

    return decide


def _sit_down(study: Study, role: str, piece: int, speed: int) -> Decide:
    scenario = get_scenario(study.settings.scenario)
    kinds = {each.replace(".", "_"): each for each in scenario.rules.act_types}
    player = scenario.player_kinds()["script"].enter(Seat(role, study.stock.pieces[piece], seed=7))
    rng = Random(7)

    def decide(view: dict[str, Any], tools: dict[str, Any]) -> Call:
        allowed = [Allowed(kinds[each], tools[each]) for each in tools if each != WAIT]
        moment = Moment(role, view, allowed, at_us=time.monotonic_ns() // 1000 * speed)
        move = player.next_move(moment, rng)
        if isinstance(move, Move):
            return move.type.replace(".", "_"), move.payload
        return WAIT, {}

    return decide


def _find_piece(study: Study) -> int:
    with closing(study.open_log()) as log:
        (made,) = (each for each in log.read() if each.type == "session.created")
    return int(made.payload["piece"])
