"""How a language model says what it does: by calling a tool, or by an object of JSON.

Each act that is allowed now is a tool, or an act that is listed with its schema for models and
providers that know no tools. Both mean the same moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import msgspec

from commonground.errors import find_named
from commonground.play.collect.setup.stock import list_texts
from commonground.play.player import Move, Wait
from commonground.play.rooms.players.model_words import Words
from commonground.play.scenario import Allowed
from commonground.replies import drop_thoughts, name_empty_call, read_json, unify_numbers
from commonground.reply_outcomes import (
    CUT,
    EMPTY,
    FILTERED,
    MALFORMED,
    OVERFLOW,
    REFUSED,
    UNKNOWN,
    find_ending,
)

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, ModelOutput
    from inspect_ai.tool import ToolInfo

AnswerForm = Literal["tools", "json"]
"""How a model answers."""

WAIT = "wait"
"""The tool by which a model leaves the next move to its partner."""

READ_S, TYPED_PER_S = 2.0, 7.0
"""Seconds before an act, and characters a second: a person's pace, for the times in the log."""

WAITED_S = 5.0
"""Seconds after which a model that waits is asked again if nothing happens."""

_TASK = (
    "You take part in a task that people do in their browsers. What follows is what they are told."
)
_SEEN = "What you see comes as JSON; the pictures in it follow, each after its number."
INSTRUCTIONS: dict[AnswerForm, str] = {
    "tools": (
        f"{_TASK} You act by calling a tool: each tool is something that you may do now. Call "
        f"exactly one. {_SEEN}"
    ),
    "json": (
        f"{_TASK} You act by answering with one JSON object and nothing else: "
        '{"act": "NAME", "arguments": {...}}. The acts that you may do now come with the JSON '
        f"Schema of their arguments; name exactly one. {_SEEN}"
    ),
}
"""What a model is told before what people are told."""

AGAIN = "Your last answer was:\n{said}\nIt was not accepted. {why}"
"""Stands below what a model sees whose last answer came to nothing."""

FORMS: dict[AnswerForm, str] = {
    "tools": "Call exactly one tool.",
    "json": 'Answer with exactly one JSON object: {"act": "NAME", "arguments": {...}}.',
}
"""How a model is reminded to answer."""

ENDED = {
    OVERFLOW: "What you were shown is longer than you can read.",
    FILTERED: "Your provider's filter stopped your last answer.",
    CUT: "Your last answer reached the limit of its length before its end. Be brief.",
    REFUSED: "You refused. If you do not want to do one thing, do another.",
    EMPTY: "Your last answer was empty.",
}
"""What a model is told of answers that are none."""

MALFORMED_TEXTS: dict[AnswerForm, str] = {
    "tools": "Your last answer called no tool that can be read, or several at once.",
    "json": "Your last answer was no JSON object that can be read, or several of them.",
}
"""What it is told of answers in another form."""

UNKNOWN_TEXT = "There is no {name} that you can do now. You can do one of these: {names}."
"""What it is told where it names an act that is none."""

NO_ACT = {
    OVERFLOW: "what it is asked is longer than it can read",
    FILTERED: "its provider's filter stops its answers",
    CUT: "its answers reach the limit of tokens before their end",
    REFUSED: "it refuses to answer",
    MALFORMED: "its answers have another form than was asked for",
    UNKNOWN: "it names acts that it cannot do",
    EMPTY: "its answers are empty",
}
"""Why a session is given up whose model answers like that again and again."""

LONGEST_SAID = 600
"""Characters of a bad answer that a model is shown again."""

OFFER = "These are the acts that you may do now:\n{acts}"
"""Stands below what a model sees that answers in JSON."""

NO_WORDS = Words()

_WAITING = "Do nothing until your partner has done something."


class NoAct(msgspec.Struct, frozen=True):
    """An answer that is no act.

    Attributes:
        outcome: what became of it: one of :data:`~commonground.reply_outcomes.OUTCOMES`.
        why: the same for the model that gave it, in sentences.
    """

    outcome: str
    why: str


class ReplyFormat(msgspec.Struct, frozen=True):
    """What a provider gets beside the messages, so that the model can act.

    Attributes:
        tools: that the model may call; none where it answers in JSON.
        schema: of the object that it answers with; None where it calls a tool.
    """

    tools: list[ToolInfo]
    schema: dict[str, Any] | None = None

    @property
    def choice(self) -> Literal["any"] | None:
        """What inspect_ai is told about the tools: that one must be called, if there are any."""
        return "any" if self.tools else None

    def configure(self, config: GenerateConfig) -> GenerateConfig:
        """Adds the schema to settings, for providers that keep models to one."""
        if self.schema is None:
            return config
        from inspect_ai.model import GenerateConfig, ResponseSchema
        from inspect_ai.util import JSONSchema

        schema = JSONSchema.model_validate(self.schema)
        return config.merge(
            GenerateConfig(response_schema=ResponseSchema(name="act", json_schema=schema))
        )


def read_form(name: str) -> AnswerForm:
    """Returns how a model answers, by the name that a user gave.

    Raises:
        UsageError: there is no such way.
    """
    return cast(
        "AnswerForm", find_named("way to answer", name, {n: n for n in get_args(AnswerForm)})
    )


def make_offer(
    form: AnswerForm, allowed: Sequence[Allowed], words: Words = NO_WORDS
) -> ReplyFormat:
    """Returns what a provider gets so that a model can do what is allowed."""
    if form == "tools":
        return ReplyFormat(make_tools(allowed, words))
    arguments = [each.payload for each in allowed]
    return ReplyFormat(
        [],
        {
            "type": "object",
            "properties": {
                "act": {"type": "string", "enum": [*map(name_act, allowed), WAIT]},
                "arguments": {"anyOf": [*arguments, {"type": "object", "properties": {}}]},
            },
            "required": ["act", "arguments"],
            "additionalProperties": False,
        },
    )


def write_offer(form: AnswerForm, allowed: Sequence[Allowed], words: Words = NO_WORDS) -> str:
    """Returns what stands below the view of a model: the acts that are no tools."""
    if form == "tools":
        return ""
    acts = {name_act(each): (words.describe_act(each), each.payload) for each in allowed}
    acts[WAIT] = (_WAITING, {})
    listed = [
        f"{name}: {said}\nArguments: {msgspec.json.encode(schema).decode()}"
        for name, (said, schema) in acts.items()
    ]
    return OFFER.format(acts="\n".join(listed))


def make_tools(allowed: Sequence[Allowed], words: Words = NO_WORDS) -> list[ToolInfo]:
    """Returns the acts that are allowed as tools, and one to wait by."""
    from inspect_ai.tool import ToolInfo, ToolParams

    acts = [
        ToolInfo(
            name=name_act(each),
            description=words.describe_act(each),
            parameters=ToolParams.model_validate(
                {key: each.payload[key] for key in ToolParams.model_fields if key in each.payload}
            ),
        )
        for each in allowed
    ]
    return [*acts, ToolInfo(name=WAIT, description=_WAITING)]


def name_act(act: Allowed) -> str:
    """Returns the name of an act as providers allow it for a tool, without dots."""
    return act.type.replace(".", "_")


def read_move(
    output: ModelOutput, allowed: Sequence[Allowed], form: AnswerForm = "tools"
) -> Move | Wait | NoAct:
    """Returns what a model's answer means; what a provider put in its place is no act."""
    if ending := find_ending(output):
        return NoAct(ending, ENDED[ending])
    if output.empty or not (output.completion.strip() or output.message.tool_calls):
        return NoAct(EMPTY, ENDED[EMPTY])
    called = _read_call(output) if form == "tools" else _read_object(output)
    if called is None:
        return NoAct(MALFORMED, MALFORMED_TEXTS[form])
    name, arguments = called
    if name == WAIT:
        return Wait(WAITED_S)
    kinds = {name_act(each): each.type for each in allowed}
    # In JSON an act may be called by its own name, too: there are no tools whose names forbid dots.
    kind = kinds.get(name.replace(".", "_") if form == "json" else name)
    if kind is None:
        return NoAct(UNKNOWN, UNKNOWN_TEXT.format(name=name[:80], names=", ".join([*kinds, WAIT])))
    if not isinstance(arguments, dict):
        return NoAct(MALFORMED, MALFORMED_TEXTS[form])
    written = sum(len(each) for each in list_texts(arguments))
    return Move(kind, unify_numbers(arguments), READ_S + written / TYPED_PER_S)


def write_note(said: str, why: str, form: AnswerForm) -> str:
    """Returns what a model is told of its last answer, beside what :func:`write_said` returns."""
    return AGAIN.format(said=said or "(nothing)", why=f"{why} {FORMS[form]}")


def write_said(output: ModelOutput) -> str:
    """Returns what a model answered as it is shown to it again: its words, and what it called."""
    if output.empty:
        return ""
    calls = [
        f"{call.function}({msgspec.json.encode(call.arguments).decode()})"
        for call in output.message.tool_calls or ()
    ]
    said = "\n".join(filter(None, [drop_thoughts(output.completion), *calls]))
    return said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID]} ..."


def _read_call(output: ModelOutput) -> tuple[str, Any] | None:
    calls = output.message.tool_calls
    if not calls or len(calls) != 1:
        return None
    (call,) = calls
    if call.parse_error is None:
        return call.function, call.arguments
    name = name_empty_call(call.parse_error)
    return None if name is None else (name, {})


def _read_object(output: ModelOutput) -> tuple[str, Any] | None:
    try:
        found = read_json(output.completion, only=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("act"), str):
        return None
    return found["act"], found.get("arguments") or {}
