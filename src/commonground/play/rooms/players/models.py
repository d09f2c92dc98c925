"""Language models in the seats of a game: told what people are told, shown what they are shown.

A model reads the instructions of the scenario's room, sees the view of its seat as JSON with the
pictures in it, and does one of the acts that are allowed now (see ``model_answers``). Each decision
is asked for by itself: what was said stands in the view, so nothing else has to be remembered.
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
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from commonground.errors import UsageError
from commonground.extras import needing
from commonground.picture_numbers import PictureNumbers
from commonground.play.collect.setup.pictures import find_picture
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.stock import list_texts
from commonground.play.collect.setup.texts import Texts, load_texts
from commonground.play.outcomes import REFUSED_ACTS, TALKATIVE
from commonground.play.player import Moment, Move, Player, PlayerKind, Seat, Wait
from commonground.play.rooms.players.budget import Budget, count_read
from commonground.play.rooms.players.model_answers import (
    AGAIN,
    ENDED,
    FORMS,
    INSTRUCTIONS,
    MALFORMED_TEXTS,
    NO_ACT,
    NO_WORDS,
    OFFER,
    UNKNOWN_TEXT,
    AnswerForm,
    NoAct,
    ReplyFormat,
    make_offer,
    read_move,
    write_note,
    write_offer,
    write_said,
)
from commonground.play.rooms.players.model_words import Words, load_words, show_time
from commonground.play.rooms.rendering import HERE, PICTURE_TYPES, list_folders
from commonground.play.scenarios import ScenarioEntry
from commonground.play.session import StuckError
from commonground.reply_outcomes import (
    CUT,
    EMPTY,
    FAILED,
    FILTERED,
    MALFORMED,
    OVERFLOW,
    UNKNOWN,
)
from commonground.reply_outcomes import REFUSED as REFUSAL

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content, Model, ModelOutput

T = TypeVar("T")

Generate = Callable[["Model", "list[ChatMessage]", ReplyFormat], "ModelOutput"]
"""Asks a model, which must do something of what it is offered, and returns what came of it."""

PROMPT_VERSION = "4"
"""Of the sentences below and those of ``model_answers``; raise it when they change."""

# Marks of style as `rich` writes them: `[bold]`, `[/blue]`.
_STYLE = re.compile(r"\[/?(?:bold|blue|cyan|dim|green|italic|red|yellow)\]")

BLIND = "hf/"
"""How the names of models begin whose provider sends no pictures."""

LONGEST_EDGE = 512
"""Pixels of the longer side of a picture that a model is sent."""

MOST_UNREADABLE = 3
"""Answers in a row that are no act, or acts that are refused, until a session is given up."""

BAD_ANSWERS = (OVERFLOW, FILTERED, CUT, REFUSAL, MALFORMED, UNKNOWN, EMPTY, FAILED)
"""Of what becomes of answers, all that can happen in games, in the order of tables."""

MOST_CALLS = 1_000
"""How often a model is asked in one session until it is given up; one may talk without an end."""

REACHED_S = 5.0
"""Seconds in which a provider must take a connection before a first question is put to it."""

CHAT_PART = "chat"
"""The part of a view in which stands what was written."""

_SEEN = "You are in the seat {role}. This is what you see now:\n{view}"


class Tally(msgspec.Struct):
    """What came of the answers of a model, over all sessions that it played.

    Attributes:
        unreadable: answers that are no act, whatever the reason.
        outcomes: the same by what became of them, and calls that failed: see
            :data:`~commonground.reply_outcomes.OUTCOMES`.
        refused: acts that the rules refused, by code.
        given_up: sessions that were given up because of one or the other.
    """

    calls: int = 0
    unreadable: int = 0
    outcomes: Counter[str] = msgspec.field(default_factory=Counter)
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    given_up: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def count_bad(outcomes: Mapping[str, int], refused: Mapping[str, int]) -> dict[str, int]:
    """Counts calls of a :class:`Tally` that brought no act, and acts refused, by the reason."""
    found = {name: outcomes.get(name, 0) for name in BAD_ANSWERS} | {
        REFUSED_ACTS: sum(refused.values())
    }
    return {name: count for name, count in found.items() if count}


def make_kind(
    scenario: ScenarioEntry,
    model: str | Model,
    *,
    pictures: Path | None,
    tally: Tally | None = None,
    budget: Budget | None = None,
    generate: Generate | None = None,
    form: AnswerForm = "tools",
    voice: str = "",
) -> PlayerKind:
    """Returns the kind of player that a language model is.

    Args:
        scenario: what it is to play; the instructions are those of its room, in English.
        model: as inspect_ai names it, such as ``openai/gpt-5``, or one of its models.
        pictures: folder of the pictures of the material; None to play without them.
        tally: that counts what came of its answers; None for one of its own.
        budget: what it may take together with others that play; None for no limit.
        generate: asks the model, for anyone who has a loop of events already; None to use our own,
            in which a provider that fails costs the session.
        voice: whose part it plays of those who share a seat; empty where nobody shares it.

    Raises:
        UsageError: inspect_ai is not installed, the model cannot be opened or, where it is named,
            reached, or the scenario has no instructions.
    """
    opened = open_model(model)
    if isinstance(model, str):
        require_reachable(opened)
    briefing, words = write_briefing(scenario, voice), load_words(scenario)
    counted = tally if tally is not None else Tally()
    limited = budget if budget is not None else Budget()
    folder = ModelPictures(pictures)

    def enter(_: Seat) -> Player:
        asks = generate or _ask_provider
        return ModelPlayer(opened, briefing, words, folder, counted, limited, asks, form)

    prompt = f"{PROMPT_VERSION}-{hash_prompts(scenario, form, voice)}"
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


def write_briefing(scenario: ScenarioEntry, voice: str = "") -> str:
    """Returns the instructions that people read in a scenario's room, as plain text.

    Args:
        voice: somebody who shares a seat, and is told of that part alone; empty for a whole seat.

    Raises:
        UsageError: the scenario has no room.
    """
    voices = scenario.voices()
    if voices is not None and voice in voices.names:
        return voices.briefings[voice]
    if not scenario.room.is_dir():
        raise UsageError(f"{scenario.name} has no instructions that a model could read.")
    folders = (HERE / "texts", *list_folders(scenario.room, read_plan(scenario.room)))
    texts: Texts = load_texts("en", folders)
    lines = [str(each) for each in texts.below("game.rules").values()]
    return "\n".join(lines)


def hash_prompts(scenario: ScenarioEntry, form: AnswerForm = "tools", voice: str = "") -> str:
    """Returns twelve digits that differ where models are told anything else of a scenario.

    Args:
        voice: whose part they play of those who share a seat; empty where nobody does.

    Raises:
        UsageError: the scenario has no room.
    """
    briefing = write_briefing(scenario, voice)
    words = load_words(scenario)
    notes = [
        *words.acts.values(),
        *words.refusals.values(),
        *ENDED.values(),
        MALFORMED_TEXTS[form],
        UNKNOWN_TEXT,
        FORMS[form],
    ]
    instructions = [INSTRUCTIONS[form], _SEEN, AGAIN, *notes, briefing]
    if form == "json":
        instructions.append(OFFER)
    return hashlib.sha256("\0".join(instructions).encode()).hexdigest()[:12]


def refuse_blind_model(model: Model | str, advice: str) -> None:
    """Makes sure that a model can be shown pictures.

    Args:
        advice: what to do otherwise, besides serving it with vLLM.

    Raises:
        UsageError: its provider sends texts only, which it would say of every question by itself.
    """
    if str(model).startswith(BLIND):
        problem = f"{model} cannot be shown pictures: inspect_ai's provider hf sends texts only."
        raise UsageError(problem, f"{advice} serve the model with vLLM and ask openai-api/.")


def require_pictures(material: Any, folder: Path) -> None:
    """Makes sure that the pictures of a schedule are there, before models play without them.

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


def number_pictures(moment: Moment) -> tuple[Moment, PictureNumbers]:
    """Returns a moment as a model is shown it, in which pictures have numbers in place of names.

    The chat is left as it is.
    """
    numbers = PictureNumbers(_name_shown(moment.view))
    view = {
        name: value if name == CHAT_PART else numbers.hide(value)
        for name, value in moment.view.items()
    }
    allowed = [
        msgspec.structs.replace(each, payload=numbers.hide(each.payload)) for each in moment.allowed
    ]
    return msgspec.structs.replace(moment, view=view, allowed=allowed), numbers


def explain_refusal(words: Words, moment: Moment, tried: Move | None) -> str:
    """Returns in sentences why an act was refused, with pictures by their numbers.

    Args:
        moment: after it, which holds the refusal.
        tried: the act; None where it is not known.
    """
    assert moment.refusal is not None  # noqa: S101 - asked for by callers
    shown, numbers = number_pictures(moment)
    schemas = (each.payload for each in shown.allowed if tried and each.type == tried.type)
    payload = {} if tried is None else numbers.hide(tried.payload)
    return words.explain(moment.refusal, next(schemas, {}), payload)


def show_times(view: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a view in which messages have a time of day instead of microseconds."""
    if not isinstance(view.get(CHAT_PART), list):
        return dict(view)
    chat = [
        {
            ("at" if name == "at_us" else name): show_time(value) if name == "at_us" else value
            for name, value in each.items()
        }
        for each in view[CHAT_PART]
    ]
    return {**view, CHAT_PART: chat}


def name_pictures(move: Move, moment: Moment) -> dict[str, Any]:
    """Returns what a model's act says, with names in place of the numbers of pictures.

    Only where a picture is to be named: what is written in the chat stays as it is, since a partner
    who reads a name there would know the picture without a look.

    Args:
        moment: that it was decided at, as the rules give it.
    """
    shown, numbers = number_pictures(moment)
    schemas = [
        (real.payload.get("properties", {}), numbered.payload.get("properties", {}))
        for real, numbered in zip(moment.allowed, shown.allowed, strict=True)
        if real.type == move.type
    ]
    named = {key for real, numbered in schemas for key in real if real[key] != numbered.get(key)}
    return {
        key: numbers.reveal(value) if key in named else value for key, value in move.payload.items()
    }


def _name_shown(view: Mapping[str, Any]) -> list[str]:
    """Lists the pictures that a view names; what is written in the chat is no picture."""
    return _name_pictures([value for name, value in view.items() if name != CHAT_PART])


class ModelPictures:
    """The pictures of a folder as a model is sent them: each read and made small once."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: dict[str, str] = {}

    def find(self, view: Mapping[str, Any]) -> dict[str, str]:
        """Returns the pictures that a view names, as addresses that hold them; by name."""
        if self._folder is None:
            return {}
        names = _name_shown(view)
        for name in names:
            if name not in self._kept:
                path = find_picture(self._folder, name)
                self._kept[name] = "" if path is None else _inline(path)
        return {name: data for name in names if (data := self._kept[name])}


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
    """A language model in a seat of one session; see :class:`~commonground.play.player.Player`."""

    def __init__(
        self,
        model: Model,
        briefing: str,
        words: Words,
        pictures: ModelPictures,
        tally: Tally,
        budget: Budget,
        generate: Generate,
        form: AnswerForm,
    ) -> None:
        self._model = model
        self._briefing = briefing
        self._words = words
        self._said = ""
        self._tried: Move | None = None
        self._pictures = pictures
        self._tally = tally
        self._budget = budget
        self._generate = generate
        self._form: AnswerForm = form
        self._failed = 0
        self._calls = 0
        self._waited_at: bytes | None = None
        self._decided_in: int | None = None

    def next_move(self, moment: Moment, _rng: Random) -> Move | Wait:
        """Asks the model what to do, unless it has decided already or nothing is new.

        Raises:
            StuckError: its answers cannot be used, again and again.
            UsageError: there are pictures, and it cannot be shown any.
        """
        pending = moment.pending
        if isinstance(pending, Move) and moment.refusal is None and self._holds(pending, moment):
            return pending
        if not moment.allowed:
            return Wait()
        seen = msgspec.json.encode((moment.view, [each.type for each in moment.allowed]))
        if isinstance(moment.pending, Wait) and seen == self._waited_at:
            return moment.pending
        note = None
        if moment.refusal is not None:
            self._tally.refused[moment.refusal.code] += 1
            self._fail(REFUSED_ACTS, f"its acts are refused ({moment.refusal.code})")
            why = explain_refusal(self._words, moment, self._tried)
            note = write_note(self._said, why, self._form)
        move = self._ask(moment, note)
        while isinstance(move, NoAct):
            self._tally.unreadable += 1
            self._tally.outcomes[move.outcome] += 1
            self._fail(move.outcome, NO_ACT[move.outcome])
            move = self._ask(moment, write_note(self._said, move.why, self._form))
        self._waited_at = seen if isinstance(move, Wait) else None
        self._tried = move if isinstance(move, Move) else None
        self._decided_in = moment.view["round"]
        return move

    def _holds(self, pending: Move, moment: Moment) -> bool:
        """Says whether a decision can still be carried out, for all that the partner did since."""
        is_allowed = any(each.type == pending.type for each in moment.allowed)
        return is_allowed and self._decided_in == moment.view["round"]

    def _fail(self, cause: str, why: str) -> None:
        self._failed += 1
        # What is too long once is too long again, as views only grow.
        if self._failed >= MOST_UNREADABLE or cause == OVERFLOW:
            self._tally.given_up += 1
            often = f", {self._failed} times in a row" if self._failed > 1 else ""
            raise StuckError(f"{self._model} is given up: {why}{often}.", cause=cause)

    def _ask(self, moment: Moment, note: str | None) -> Move | Wait | NoAct:
        self._calls += 1
        if self._calls > MOST_CALLS:
            self._tally.given_up += 1
            message = f"{self._model} was aborted: it was asked {MOST_CALLS:,} times."
            raise StuckError(message, cause=TALKATIVE)
        asking = write_asking(self._briefing, self._pictures, moment, note, self._form, self._words)
        if asking.pictures:
            refuse_blind_model(self._model, "To play with it,")
        self._budget.begin_call()
        try:
            output = self._generate(self._model, asking.messages(), asking.offer)
        except StuckError as error:
            self._tally.given_up += 1
            if error.cause == FAILED:
                self._tally.outcomes[FAILED] += 1
            raise
        self._tally.calls += 1
        self._budget.end_call(str(self._model), output.usage)
        if output.usage is not None:
            self._tally.input_tokens += count_read(output.usage)
            self._tally.output_tokens += output.usage.output_tokens
        self._said = write_said(output)
        move = read_move(output, moment.allowed, self._form)
        if isinstance(move, Move):
            move = msgspec.structs.replace(move, payload=name_pictures(move, moment))
        if isinstance(move, Move) and moment.refusal is None:
            self._failed = 0
        return move


class Asking(msgspec.Struct, frozen=True):
    """What a model is asked with.

    Attributes:
        seen: what it sees, as text, and a note on its last answer.
        pictures: addresses that hold the pictures, by name.
        numbers: what the pictures are called instead of their names.
    """

    instructions: str
    seen: str
    pictures: dict[str, str]
    numbers: PictureNumbers
    offer: ReplyFormat

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
            label = self.numbers.label(name)
            parts += [ContentText(text=f"{label}:"), ContentImage(image=data)]
        return [ChatMessageSystem(content=self.instructions), ChatMessageUser(content=parts)]


def write_asking(
    briefing: str,
    pictures: ModelPictures,
    moment: Moment,
    note: str | None,
    form: AnswerForm = "tools",
    words: Words = NO_WORDS,
) -> Asking:
    """Returns what a model is asked with at a moment.

    Args:
        briefing: what people are told.
        note: on its last answer; None where that was well.
    """
    shown, numbers = number_pictures(moment)
    view = msgspec.json.encode(show_times(shown.view)).decode()
    seen = _SEEN.format(role=moment.role, view=view)
    parts = [seen, write_offer(form, shown.allowed, words), note]
    return Asking(
        f"{INSTRUCTIONS[form]}\n\n{briefing}",
        "\n\n".join(filter(None, parts)),
        pictures.find(moment.view),
        numbers,
        make_offer(form, shown.allowed, words),
    )


def _ask_provider(model: Model, messages: list[ChatMessage], offer: ReplyFormat) -> ModelOutput:
    """Asks a model in a loop of events that is kept for it."""
    try:
        from inspect_ai.model import GenerateConfig

        config = offer.configure(GenerateConfig(max_retries=5, timeout=600))
        # Not `asyncio.run`, which would close the loop, and the open connections with it.
        return asyncio.run_coroutine_threadsafe(
            model.generate(messages, offer.tools, offer.choice, config), _open_loop()
        ).result()
    except Exception as error:  # providers raise whatever they like
        message = f"{model} does not answer: {describe_failure(error)}"
        raise StuckError(message, cause=FAILED) from error


def describe_failure(error: Exception) -> str:
    """Returns in one line why a provider failed; after retries, why the last of them did."""
    attempt = getattr(error, "last_attempt", None)
    last = None if attempt is None else attempt.exception()
    return " ".join(str(error if last is None else last).split()) or type(error).__name__


@cache
def _open_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True, name="models").start()
    return loop
