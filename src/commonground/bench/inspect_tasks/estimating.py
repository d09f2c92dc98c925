"""What asking a model will take: tokens and price, before anything is asked.

Tokens are counted by the rules of ``token_rules.toml``, or in proportion to what a log of a few
dialogues says that they were, which also knows how much a model says. Prices change and are the
user's: they are in the file that inspect_ai takes as ``--model-cost-config``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai._util.config import resolve_args
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser
from inspect_ai.tool import ToolCall

from commonground.bench.evaluation.prompts import inspect_agent_name, write_json
from commonground.bench.inspect_tasks.agents import (
    EpisodeTable,
    Options,
    answer_call,
    begin_messages,
    list_tools,
)
from commonground.bench.inspect_tasks.asking.questions import Asking, make_dataset
from commonground.bench.inspect_tasks.counting import (
    SampleCount,
    TokenRule,
    choose_rule,
    count_sample,
    count_samples,
    name_rule,
    write_beside,
)
from commonground.bench.inspect_tasks.limits import Limits, find_limits, list_excess
from commonground.bench.inspect_tasks.logs.results import count_used, read_log
from commonground.errors import FormatError, SourceError, TaskError, UsageError, close_names
from commonground.play.episode import Episode, EpisodeSource, Service
from commonground.store.opening import load

_MILLION = 1_000_000

AS_PEOPLE = (
    "Models call what people called, one call at a time, and answer in people's words.",
    "Every dialogue comes to its end: one that ends early takes less.",
    "Models write nothing but their calls and answers: those that reason write much more.",
)
"""What an estimate of agents takes for granted."""


class Price(msgspec.Struct, frozen=True):
    """Dollars for a million tokens.

    Attributes:
        input: of what a model is asked.
        output: of what it says, its reasoning included.
    """

    input: float
    output: float

    def multiply(self, input_tokens: int, output_tokens: int) -> float:
        """Returns what so many tokens cost."""
        return (self.input * input_tokens + self.output * output_tokens) / _MILLION


def read_price(path: Path, model: str) -> Price:
    """Reads the price of a model from a file that inspect_ai takes as ``--model-cost-config``.

    Args:
        path: YAML or JSON: models, each with ``input`` and ``output``.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it has another form.
        UsageError: the model is not in it.
    """
    try:
        prices = msgspec.convert(resolve_args(str(path)), dict[str, Price])
    except (OSError, PrerequisiteError) as error:
        raise SourceError(f"{path} cannot be read: {error}.") from error
    except (ValueError, msgspec.ValidationError) as error:
        advice = f"Write {model}: {{input: 2.5, output: 10}}, in dollars for a million tokens."
        raise FormatError(f"{path}: {error}.", advice) from error
    if model not in prices:
        raise UsageError(f"{path} has no price of {model!r}.", close_names(model, prices))
    return prices[model]


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What asking will take.

    Attributes:
        rule: name and version of the rule that tokens are counted by.
        measured: the log that counts are in proportion to; None where the rule alone says.
        calls: questions, those of every epoch.
        pictures: shown, each as often as it is.
        most_pictures: in one question.
        input_tokens: of all questions, pictures and examples among them.
        most_tokens: of one question with its right answer, by the rule.
        picture_tokens: of pictures alone, by the rule.
        output_tokens: of all answers; of right ones where no log says, without any reasoning.
        price: dollars; None where no price is known.
        warnings: how many questions are more than the model takes, and what helps.
        assumptions: what else is taken for granted, a sentence each.
    """

    task: str
    model: str
    rule: str
    measured: str | None
    variant: str
    dialogues: int
    calls: int
    pictures: int
    most_pictures: int
    input_tokens: int
    most_tokens: int
    picture_tokens: int
    output_tokens: int
    price: float | None
    limits: Limits
    warnings: list[str] = []
    assumptions: list[str] = []


def estimate(
    asking: Asking,
    model: str,
    *,
    price: Price | None = None,
    like: Path | None = None,
    epochs: int = 1,
) -> Estimate:
    """Estimates what asking takes; failed calls that are repeated are not in it.

    Args:
        like: log of the same task and model over a few dialogues; None to go by the rule.

    Raises:
        CommongroundError: what is to be asked cannot be, or the log is of no use here.
    """
    made, (_, rule) = make_dataset(asking), choose_rule(model)
    logged = None if like is None else _measure_log(like, asking.task, rule, write_beside(made))
    counted = count_samples(made, rule)
    return _add_up(counted, made.facts, model, price=price, epochs=epochs, logged=logged)


def estimate_agent(
    source: EpisodeSource,
    options: Options,
    model: str,
    *,
    price: Price | None = None,
    context: int | None = None,
    epochs: int = 1,
) -> Estimate:
    """Estimates what serving people takes; :data:`AS_PEOPLE` says what is taken for granted.

    Args:
        context: tokens that it takes in one request, where the user says so.

    Raises:
        CommongroundError: the corpus was not imported, or nothing can be served.
    """
    table = EpisodeTable(source, load(source.world.corpus, options.store))
    chosen, (_, rule) = table.choose(options), choose_rule(model)
    counted = [each for served in chosen for each in _count_calls(table, served.episode, rule)]
    facts = {
        "task": inspect_agent_name(source.world.corpus),
        "variant": "text",
        "few_shot": 0,
        "dialogues": len(chosen),
        "context": context,
        "max_pictures": None,
    }
    return _add_up(counted, facts, model, price=price, epochs=epochs, assumptions=AS_PEOPLE)


class _Logged(msgspec.Struct, frozen=True):
    """What a log tells: how much more is counted than the rule says, and tokens of an answer."""

    path: Path
    more: float
    answer: float


def _add_up(
    counted: Sequence[SampleCount],
    facts: dict[str, Any],
    model: str,
    *,
    price: Price | None,
    epochs: int,
    logged: _Logged | None = None,
    assumptions: Sequence[str] = (),
) -> Estimate:
    shown = sum(each.picture_tokens for each in counted)
    tokens_in = sum(each.text for each in counted) + shown
    tokens_out = sum(each.answer for each in counted)
    if logged is not None:
        tokens_in, tokens_out = tokens_in * logged.more, logged.answer * len(counted)
    input_tokens, output_tokens = round(epochs * tokens_in), round(epochs * tokens_out)
    limits = find_limits(model, facts["context"], facts["max_pictures"])
    return Estimate(
        task=facts["task"],
        model=model,
        rule=name_rule(choose_rule(model)[0]),
        measured=None if logged is None else str(logged.path),
        variant=facts["variant"],
        dialogues=facts["dialogues"],
        calls=epochs * len(counted),
        pictures=epochs * sum(each.pictures for each in counted),
        most_pictures=max(each.pictures for each in counted),
        input_tokens=input_tokens,
        most_tokens=round(max(each.tokens for each in counted)),
        picture_tokens=epochs * shown,
        output_tokens=output_tokens,
        price=None if price is None else price.multiply(input_tokens, output_tokens),
        limits=limits,
        warnings=list_excess(facts, model, limits, counted),
        assumptions=list(assumptions),
    )


def _count_calls(table: EpisodeTable, episode: Episode, rule: TokenRule) -> Iterator[SampleCount]:
    """Counts what a model is sent and writes where it does what people did, call by call."""
    world = table.open_world(episode.group)
    tools = [each.model_dump_json(exclude_none=True) for each in list_tools(world)]
    service, beside = Service(table.source, world), "".join(tools)
    messages = begin_messages(table.source, episode)
    for number, turn in enumerate(episode.turns):
        if number:
            messages.append(ChatMessageUser(content=turn.said))
        service.begin_turn()
        for each in turn.calls:
            made = ToolCall(id="", function=each.function, arguments=each.arguments)
            asked = f"{each.function} {write_json(each.arguments)}"
            yield count_sample(messages, beside, asked, rule)
            messages += [ChatMessageAssistant(content=asked), answer_call(service, made)]
        yield count_sample(messages, beside, turn.answered, rule)
        messages.append(ChatMessageAssistant(content=turn.answered))


def _measure_log(path: Path, task: str, rule: TokenRule, beside: str) -> _Logged:
    log = read_log(path, resolve_attachments=True)
    if (log.eval.metadata or {}).get("task") != task:
        raise TaskError(f"{path} is not a log of {task}.", "Ask about two dialogues of it first.")
    samples = [each for each in log.samples or () if each.output.usage is not None]
    used = count_used(usage for each in samples if (usage := each.output.usage) is not None)
    counted = [count_sample(_list_asked(each), beside, "", rule) for each in samples]
    by_rule = sum(each.text + each.picture_tokens for each in counted)
    if not (used.input_tokens and by_rule):
        raise TaskError(f"{path} does not say how many tokens were used.")
    return _Logged(path, used.input_tokens / by_rule, used.output_tokens / len(samples))


def _list_asked(sample: EvalSample) -> Sequence[ChatMessage]:
    """Returns what a model was asked: all messages of a sample but its reply."""
    last = sample.messages[-1:]
    return sample.messages[:-1] if last and last[0].role == "assistant" else sample.messages
