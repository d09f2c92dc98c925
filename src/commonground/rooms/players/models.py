"""Language models in the seats of a game: told what people are told, shown what they are shown.

A model reads the instructions of the scenario's room, sees the view of its seat as JSON with the
pictures in it, and acts by calling one of the acts that are allowed now as a tool. Each decision is
asked for by itself: what was said stands in the view, so nothing else has to be remembered.
Providers, retries, caching and limits are inspect_ai's.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import re
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from commonground.collect.setup.plan import read_plan
from commonground.collect.setup.stock import list_texts
from commonground.collect.setup.study import find_picture
from commonground.collect.setup.texts import Texts, load_texts
from commonground.corpora import ScenarioEntry
from commonground.errors import UsageError
from commonground.extras import needing
from commonground.games.player import Moment, Move, Player, PlayerKind, Seat, Wait
from commonground.games.scenario import Allowed
from commonground.games.session import StuckError
from commonground.replies import name_empty_call
from commonground.rooms.rendering import HERE, PICTURE_TYPES, list_folders

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content, GenerateConfig, Model, ModelOutput
    from inspect_ai.tool import ToolInfo

T = TypeVar("T")

Generate = Callable[["Model", "list[ChatMessage]", "list[ToolInfo]"], "ModelOutput"]
"""Asks a model, which must call one of the tools, and returns what came of it."""

PROMPT_VERSION = "1"
"""Of the sentences below; raise it when they change."""

WAIT = "wait"
"""The tool by which a model leaves the next move to its partner."""

# Marks of style as `rich` writes them: `[bold]`, `[/blue]`.
_STYLE = re.compile(r"\[/?(?:bold|blue|cyan|dim|green|italic|red|yellow)\]")

BLIND = "hf/"
"""How the names of models begin whose provider sends no pictures."""

LONGEST_EDGE = 512
"""Pixels of the longer side of a picture that a model is sent."""

MOST_UNREADABLE = 3
"""Answers in a row that cannot be read, or acts that are refused, until a session is given up."""

MOST_CALLS = 1_000
"""How often a model is asked in one session until it is given up; one may talk without an end."""

REACHED_S = 5.0
"""Seconds in which a provider must take a connection before a first question is put to it."""

READ_S, TYPED_PER_S = 2.0, 7.0
"""Seconds before an act, and characters a second: a person's pace, for the times in the log."""

WAITED_S = 5.0
"""Seconds after which a model that waits is asked again if nothing happens."""

_INSTRUCTIONS = (
    "You take part in a task that people do in their browsers. What follows is what they are "
    "told. You act by calling a tool: each tool is something that you may do now. Call exactly "
    "one. What you see comes as JSON; the pictures in it follow, each after its name."
)
_SEEN = "You are in the seat {role}. This is what you see now:\n{view}"
REFUSED = "Your last act was not accepted ({code}). Do something else."
UNREADABLE = "Your last answer called no tool that can be read. Call exactly one tool."


class Tally(msgspec.Struct):
    """What came of the answers of a model, over all sessions that it played.

    Attributes:
        calls: how often it was asked.
        unreadable: answers without a call that can be read.
        refused: acts that the rules refused, by code.
        given_up: sessions that were given up because of one or the other.
        input_tokens: that it read.
        output_tokens: that it wrote.
    """

    calls: int = 0
    unreadable: int = 0
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    given_up: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def make_kind(
    scenario: ScenarioEntry,
    model: str | Model,
    *,
    pictures: Path | None,
    tally: Tally | None = None,
    generate: Generate | None = None,
) -> PlayerKind:
    """Returns the kind of player that a language model is.

    Args:
        scenario: what it is to play; the instructions are those of its room, in English.
        model: as inspect_ai names it, such as ``openai/gpt-5``, or one of its models.
        pictures: folder of the pictures of the material; None to play without them.
        tally: that counts what came of its answers; None for one of its own.
        generate: asks the model, for whoever has a loop of events already; None to use our own,
            in which a provider that fails costs the session.

    Raises:
        UsageError: inspect_ai is not installed, the model cannot be opened or, where it is named,
            reached, or the scenario has no instructions.
    """
    opened = open_model(model)
    if isinstance(model, str):
        require_reachable(opened)
    briefing = write_briefing(scenario)
    counted = tally if tally is not None else Tally()
    folder = Pictures(pictures)

    def enter(_: Seat) -> Player:
        return ModelPlayer(opened, briefing, folder, counted, generate or ask_provider)

    prompt = f"{PROMPT_VERSION}-{hash_prompts(scenario)}"
    return PlayerKind(
        str(opened), f"The language model {opened}.", enter, model=True, prompt=prompt
    )


def open_model(model: str | Model) -> Model:
    """Returns a model by the name that inspect_ai has for it.

    Raises:
        UsageError: inspect_ai is not installed, or the model cannot be opened.
    """
    with needing("inspect", "Language models play through inspect_ai"):
        from inspect_ai.model import get_model
    if not isinstance(model, str):
        return model
    try:
        # Never one that was opened before: it would ask where the settings of then said.
        return get_model(model, memoize=False)
    except Exception as error:  # providers raise whatever they like
        # It is written for inspect_ai's own screen: in several paragraphs, with marks of style.
        lines = _STYLE.sub("", str(error)).removeprefix("ERROR: ").splitlines()
        said = ". ".join(line.strip().rstrip(".") for line in lines if line.strip())
        raise UsageError(f"The model {model} cannot be opened: {said}.") from error


def require_reachable(model: Model) -> None:
    """Makes sure that something answers where a model is asked, before it is asked in earnest.

    A provider that fails is asked again and again, which takes minutes where nobody is there at
    all. Whatever answers will do here, a refusal included; a provider whose address is not known
    is not looked for.

    Raises:
        UsageError: nothing does.
    """
    import httpx

    # Providers have no common way to say where they ask: most keep their client under this name.
    client = getattr(model.api, "client", None)
    address = model.api.base_url or getattr(client, "base_url", None)
    if address is None:
        return
    try:
        httpx.get(str(address), timeout=REACHED_S)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
        # Clients have settings of their own about whom they trust.
        if "CERTIFICATE" in str(error):
            return
        first, _, rest = str(model).partition("/")
        service = rest.partition("/")[0] if first == "openai-api" else first
        variable = f"{service.upper().replace('-', '_')}_BASE_URL"
        why = describe_failure(error)
        raise UsageError(
            f"Nothing answers at {address}, where {model} would be asked: {why}.",
            f"Start its server, or set {variable} to its address.",
        ) from error
    # It answers, if not as wanted: what is wrong then, the first question to it says.
    except httpx.HTTPError:
        return


def write_briefing(scenario: ScenarioEntry) -> str:
    """Returns the instructions that people read in a scenario's room, as plain text.

    Raises:
        UsageError: the scenario has no room.
    """
    if not scenario.room.is_dir():
        raise UsageError(f"{scenario.name} has no instructions that a model could read.")
    folders = (HERE / "texts", *list_folders(scenario.room, read_plan(scenario.room)))
    texts: Texts = load_texts("en", folders)
    lines = [str(each) for each in texts.below("game.rules").values()]
    return "\n".join(lines)


def hash_prompts(scenario: ScenarioEntry) -> str:
    """Returns twelve digits that differ where models are told anything else of a scenario.

    Raises:
        UsageError: the scenario has no room.
    """
    told = (_INSTRUCTIONS, _SEEN, REFUSED, UNREADABLE, write_briefing(scenario))
    return hashlib.sha256("\0".join(told).encode()).hexdigest()[:12]


def refuse_blind_model(model: Model | str, advice: str) -> None:
    """Makes sure that a model can be shown pictures.

    Args:
        model: that is about to be asked.
        advice: what to do otherwise, besides serving it with vLLM.

    Raises:
        UsageError: its provider sends texts only, which it would say of every question by itself.
    """
    if str(model).startswith(BLIND):
        problem = f"{model} cannot be shown pictures: inspect_ai's provider hf sends texts only."
        raise UsageError(problem, f"{advice} serve the model with vLLM and ask openai-api/.")


def require_pictures(material: Any, folder: Path) -> None:
    """Makes sure that the pictures of a schedule are there, before models play without them.

    Args:
        material: of a game.
        folder: in which its pictures are looked for.

    Raises:
        UsageError: there is none of them.
    """
    names = _name_pictures(msgspec.to_builtins(material))
    if names and not has_pictures(material, folder):
        raise UsageError(
            f"The pictures that models are to see are not in {folder}: {names[0]}, for one.",
            "Name the folder that has them as the material; `collect export --pictures` makes one.",
        )


def has_pictures(material: Any, folder: Path) -> bool:
    """Says whether some picture of a game's material is in a folder."""
    names = _name_pictures(msgspec.to_builtins(material))
    return any(find_picture(folder, name) is not None for name in names)


def _name_pictures(value: Any) -> list[str]:
    """Lists the names of pictures in plain values, each once."""
    texts = dict.fromkeys(list_texts(value))
    return [each for each in texts if Path(each).suffix.lower() in PICTURE_TYPES]


class Pictures:
    """The pictures of a folder as a model is sent them: each read and made small once."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: dict[str, str] = {}

    def find(self, view: Mapping[str, Any]) -> dict[str, str]:
        """Returns the pictures that a view names, as addresses that hold them; by name."""
        if self._folder is None:
            return {}
        names = _name_pictures([value for name, value in view.items() if name != "chat"])
        return {name: data for name in names if (data := self._read(name))}

    def _read(self, name: str) -> str:
        if name not in self._kept:
            assert self._folder is not None  # noqa: S101 - asked for above
            path = find_picture(self._folder, name)
            self._kept[name] = "" if path is None else _inline(path)
        return self._kept[name]


def _inline(path: Path) -> str:
    """Returns a picture as an address that holds it, its longer side no more than a few pixels."""
    from PIL import Image

    data = io.BytesIO()
    with Image.open(path) as picture:
        # JPEG has neither transparency nor palettes.
        small = picture.convert("RGB")
        small.thumbnail((LONGEST_EDGE, LONGEST_EDGE))
        small.save(data, "JPEG", quality=85)
    return f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"


class ModelPlayer:
    """A language model in a seat of one session; see :class:`~commonground.games.player.Player`.

    Args:
        model: that is asked.
        briefing: what people are told.
        pictures: of the material.
        tally: that counts what came of its answers.
        generate: asks the model.
    """

    def __init__(
        self,
        model: Model,
        briefing: str,
        pictures: Pictures,
        tally: Tally,
        generate: Generate,
    ) -> None:
        self._model = model
        self._briefing = briefing
        self._pictures = pictures
        self._tally = tally
        self._generate = generate
        self._failed = 0
        self._calls = 0
        self._waited_at: bytes | None = None

    def next_move(self, moment: Moment, _rng: Random) -> Move | Wait:
        """Asks the model what to do, unless it has decided already or nothing is new.

        Raises:
            StuckError: its answers cannot be used, again and again.
            UsageError: there are pictures, and it cannot be shown any.
        """
        if isinstance(moment.pending, Move) and moment.refusal is None:
            return moment.pending
        if not moment.allowed:
            return Wait()
        seen = msgspec.json.encode((moment.view, [each.type for each in moment.allowed]))
        if isinstance(moment.pending, Wait) and seen == self._waited_at:
            return moment.pending
        if moment.refusal is not None:
            self._tally.refused[moment.refusal.code] += 1
            self._fail(f"its acts are refused ({moment.refusal.code})")
        note = None if moment.refusal is None else REFUSED.format(code=moment.refusal.code)
        move = self._ask(moment, note)
        while move is None:
            self._tally.unreadable += 1
            self._fail("it calls no tool that can be read", unread=True)
            move = self._ask(moment, UNREADABLE)
        self._waited_at = seen if isinstance(move, Wait) else None
        return move

    def _fail(self, why: str, *, unread: bool = False) -> None:
        self._failed += 1
        if self._failed >= MOST_UNREADABLE:
            self._tally.given_up += 1
            stuck = StuckError(f"{self._model} is given up: {why}, {self._failed} times in a row.")
            stuck.unread = unread
            raise stuck

    def _ask(self, moment: Moment, note: str | None) -> Move | Wait | None:
        """Returns what the model decides; None where that cannot be read."""
        self._calls += 1
        if self._calls > MOST_CALLS:
            self._tally.given_up += 1
            raise StuckError(f"{self._model} is given up: it was asked {MOST_CALLS:,} times.")
        tools = make_tools(moment.allowed)
        asking = write_asking(self._briefing, self._pictures, moment, note)
        if asking.pictures:
            refuse_blind_model(self._model, "To play with it,")
        try:
            output = self._generate(self._model, asking.messages(), tools)
        except StuckError:
            self._tally.given_up += 1
            raise
        self._count(output)
        move = read_move(output, moment.allowed)
        if isinstance(move, Move) and moment.refusal is None:
            self._failed = 0
        return move

    def _count(self, output: ModelOutput) -> None:
        self._tally.calls += 1
        if output.usage is not None:
            self._tally.input_tokens += output.usage.input_tokens
            self._tally.output_tokens += output.usage.output_tokens


class Asking(msgspec.Struct, frozen=True):
    """What a model is asked with.

    Attributes:
        told: the instructions.
        seen: what it sees, as text, and a note on its last answer.
        pictures: addresses that hold the pictures, by name.
    """

    told: str
    seen: str
    pictures: dict[str, str]

    def messages(self) -> list[ChatMessage]:
        """Returns it as inspect_ai sends it."""
        from inspect_ai.model import (
            ChatMessageSystem,
            ChatMessageUser,
            ContentImage,
            ContentText,
        )

        parts: list[Content] = [ContentText(text=self.seen)]
        for name, data in self.pictures.items():
            parts += [ContentText(text=f"{name}:"), ContentImage(image=data)]
        return [ChatMessageSystem(content=self.told), ChatMessageUser(content=parts)]


def write_asking(briefing: str, pictures: Pictures, moment: Moment, note: str | None) -> Asking:
    """Returns what a model is asked with at a moment.

    Args:
        briefing: what people are told.
        pictures: of the material.
        moment: that it has before it.
        note: on its last answer; None where that was well.
    """
    view = msgspec.json.encode(moment.view).decode()
    seen = _SEEN.format(role=moment.role, view=view)
    return Asking(
        f"{_INSTRUCTIONS}\n\n{briefing}",
        seen if note is None else f"{seen}\n\n{note}",
        pictures.find(moment.view),
    )


def make_tools(allowed: Sequence[Allowed]) -> list[ToolInfo]:
    """Returns the acts that are allowed as tools, and one to wait by."""
    from inspect_ai.tool import ToolInfo, ToolParams

    acts = [
        ToolInfo(
            name=_name_tool(each.type),
            description=f"Do {each.type}.",
            parameters=ToolParams.model_validate(
                {key: each.payload[key] for key in ToolParams.model_fields if key in each.payload}
            ),
        )
        for each in allowed
    ]
    told = "Do nothing until your partner has done something."
    return [*acts, ToolInfo(name=WAIT, description=told)]


def _name_tool(kind: str) -> str:
    """Returns the name of an act as providers allow it, without dots."""
    return kind.replace(".", "_")


def read_move(output: ModelOutput, allowed: Sequence[Allowed]) -> Move | Wait | None:
    """Returns what a model's answer means; None where it is not one call that can be read."""
    calls = output.message.tool_calls if output.choices else None
    if not calls or len(calls) != 1:
        return None
    (call,) = calls
    error = call.parse_error
    name = call.function if error is None else name_empty_call(error)
    if name == WAIT:
        return Wait(WAITED_S)
    kinds = {_name_tool(each.type): each.type for each in allowed}
    if name not in kinds or not isinstance(call.arguments, dict):
        return None
    arguments = call.arguments if error is None else {}
    written = sum(len(each) for each in list_texts(arguments))
    return Move(kinds[name], arguments, READ_S + written / TYPED_PER_S)


def ask_provider(model: Model, messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
    """Asks a model in a loop of events that is kept for it.

    Args:
        model: that is asked.
        messages: what it is told.
        tools: of which it must call one.

    Raises:
        StuckError: its provider fails, after some attempts.
    """
    try:
        return _run(model.generate(messages, tools, "any", _limit()))
    except Exception as error:  # providers raise whatever they like
        raise StuckError(f"{model} does not answer: {describe_failure(error)}") from error


def describe_failure(error: Exception) -> str:
    """Returns in one line why a provider failed; after retries, why the last of them did."""
    attempt = getattr(error, "last_attempt", None)
    last = None if attempt is None else attempt.exception()
    return " ".join(str(error if last is None else last).split()) or type(error).__name__


def _limit() -> GenerateConfig:
    """Returns how often and how long a provider is asked for one answer."""
    from inspect_ai.model import GenerateConfig

    return GenerateConfig(max_retries=5, timeout=600)


def _run(asked: Coroutine[Any, Any, T]) -> T:
    """Waits for something asynchronous: models keep their connections in one loop of their own."""
    # Not `asyncio.run`, which would close the loop, and the open connections with it.
    return asyncio.run_coroutine_threadsafe(asked, _open_loop()).result()


@cache
def _open_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    # A daemon, so that it ends with the process.
    threading.Thread(target=loop.run_forever, daemon=True, name="models").start()
    return loop
