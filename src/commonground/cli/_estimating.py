"""``commonground tasks estimate``: says what asking a language model will take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commonground.cli._models import choose_price, price_options
from commonground.cli._options import (
    json_option,
    plain,
    print_json,
    print_rich,
    store_option,
)
from commonground.errors import UsageError, unknown_name
from commonground.printing import count_of

if TYPE_CHECKING:
    from msgspec import Struct

    from commonground.bench.inspect_tasks.asking.questions import Asking
    from commonground.bench.inspect_tasks.estimating import Estimate, Price
    from commonground.bench.inspect_tasks.estimating_games import GameEstimate

T = TypeVar("T", bound="Struct")


@click.command("estimate", short_help="Estimate tokens and price of asking a model.")
@click.argument("task_name", metavar="TASK")
@click.option("--model", required=True, help="Model, as inspect eval knows it: PROVIDER/NAME.")
@click.option(
    "-T",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    help="Option of the task, as of inspect eval; may be repeated.",
)
@click.option(
    "--epochs", type=click.IntRange(1), default=1, help="How often each instance is asked."
)
@price_options
@click.option(
    "--like",
    metavar="LOG",
    type=click.Path(path_type=Path),
    help="Log of a few dialogues, which shows how the model counts tokens and how much it writes.",
)
@click.option(
    "--context",
    type=click.IntRange(1),
    help="Tokens that the model takes in one request, if the known limit is missing or wrong.",
)
@click.option(
    "--max-pictures",
    type=click.IntRange(1),
    help="Pictures that the model takes in one request, likewise.",
)
@store_option
@json_option
def estimate_price(
    task_name: str,
    model: str,
    options: tuple[str, ...],
    epochs: int,
    price_in: float | None,
    price_out: float | None,
    prices: Path | None,
    like: Path | None,
    context: int | None,
    max_pictures: int | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Estimate the tokens and the price of asking a language model to do TASK.

    No model is asked. Tokens are counted by a rule of thumb of the model's provider, and answers
    are assumed to be as long as the right ones; a model that reasons writes much more. With --like,
    both are taken from LOG. No prices are built in: give them, or a file of them. You are warned of
    questions that exceed what the model takes in one request.

    A TASK such as `photobook_game` is a game, with the options of `inspect eval`: scripted players
    play some of the games, and what models in their seats would be asked is counted. The
    assumptions are printed, with limits for `commonground play`. A TASK such as `taskmaster4_agent`
    serves people, and is counted as if the model called what people called.

    \b
    Example:
      commonground tasks estimate photobook_game --model openai/NAME -T games=20 -T seats=b=script
      commonground tasks estimate simmc/dst --model openai/NAME --price-in 2 --price-out 8
    """
    from commonground.extras import needing

    with needing("inspect", "What a model is asked is put together with inspect_ai"):
        from commonground.bench.inspect_tasks.agents import Options as ServingOptions
        from commonground.bench.inspect_tasks.estimating import estimate, estimate_agent
    from commonground.bench.evaluation.prompts import inspect_agent_name, inspect_name
    from commonground.play.episodes import iterate_episodes

    price = choose_price(model, price_in, price_out, prices)
    named = task_name.removeprefix("commonground/")
    agents = {inspect_agent_name(each.world.corpus): each for each in iterate_episodes()}
    agent = agents.get(inspect_name(named))
    if like is not None and (agent is not None or named.endswith("_game")):
        raise UsageError("--like is for tasks; games and agents are counted by doing as people do.")
    if named.endswith("_game"):
        games = _estimate_games(named, options, model, price, epochs)
        if as_json:
            print_json(games)
        else:
            _print_games(games)
        return
    if agent is not None:
        given = _parse_options(options) | ({} if store is None else {"store": str(store)})
        served = _read_options(given, ServingOptions, "of agents")
        found = estimate_agent(agent, served, model, price=price, context=context, epochs=epochs)
    else:
        limits = {"context": context, "max_pictures": max_pictures}
        more = tuple(f"{name}={value}" for name, value in limits.items() if value is not None)
        asking = _read_asking(task_name, (*options, *more), store)
        found = estimate(asking, model, price=price, like=like, epochs=epochs)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _estimate_games(
    task_name: str, options: tuple[str, ...], model: str, price: Price | None, epochs: int
) -> GameEstimate:
    from commonground.bench.inspect_tasks.estimating_games import estimate_games
    from commonground.bench.inspect_tasks.games import Options
    from commonground.play.scenarios import get_scenario

    scenario = get_scenario(task_name.removesuffix("_game"))
    read = _read_options(_parse_options(options), Options, "of games")
    return estimate_games(scenario, read, model, price=price, epochs=epochs)


def _print_games(found: GameEstimate) -> None:
    a_game = (
        f"About {count_of(found.calls_a_game, 'call')} and {found.tokens_a_game:,} tokens a game; "
        f"{found.most_calls:,} calls in the longest of {found.tried} that were tried."
    )
    shown = f", {count_of(found.pictures, 'picture')}" if found.pictures else ""
    taken = (
        f"In {count_of(found.games, 'game')}: about {found.calls:,} calls{shown}, "
        f"{found.input_tokens:,} input tokens and {found.output_tokens:,} output tokens, "
        f"by the rule of thumb {found.rule}."
    )
    limits = (
        f"--max-calls {2 * found.calls} "
        f"--max-tokens {2 * (found.input_tokens + found.output_tokens)}"
    )
    print_rich(plain(f"{found.task} with {found.model} as {' and '.join(found.seats)}."))
    print_rich(plain(a_game), plain(taken), *map(plain, found.assumptions))
    print_rich(plain(f"Limits of `commonground play` at twice as much: {limits}"))
    _print_price(found.price)


def _parse_options(options: tuple[str, ...]) -> dict[str, Any]:
    """Reads options of a task as ``inspect eval`` does.

    Raises:
        UsageError: one cannot be read.
    """
    import yaml

    # Private to inspect_ai, but only so are options read as `inspect eval` reads them: -T a=1 is a
    # number, -T a=x,y a list.
    from inspect_ai._util.config import parse_cli_args

    try:
        given: dict[str, Any] = parse_cli_args(options)
    except yaml.YAMLError as error:
        raise UsageError(
            "An option of the task cannot be read.", "Give it as NAME=VALUE."
        ) from error
    return given


def _read_asking(task_name: str, options: tuple[str, ...], store: Path | None) -> Asking:
    """Reads the options of a task as inspect_ai does."""
    from commonground.bench.evaluation.tasks import get_task
    from commonground.bench.inspect_tasks.asking.questions import Asking

    given = _parse_options(options)
    # An option may name another corpus; task and store are this command's, whatever options say.
    values = {"corpus": get_task(task_name).corpora[0], **given}
    values |= {"task": task_name} | ({} if store is None else {"store": str(store)})
    return _read_options(values, Asking, "of tasks")


def _read_options(given: dict[str, Any], kind: type[T], of: str) -> T:
    """Reads options as a kind of task has them; an unknown one is refused."""
    import msgspec

    names = [each.name for each in msgspec.structs.fields(kind)]
    for name in given:
        if name not in names:
            raise unknown_name("option", name, names, of)
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"An option {of} cannot be used: {error}.") from error


def _print(found: Estimate) -> None:
    shown = f", {count_of(found.pictures, 'picture')}" if found.pictures else ""
    counted = f"as in {found.measured}" if found.measured else f"by the rule of thumb {found.rule}"
    asked = (
        f"{found.task} ({found.variant}) with {found.model}: {count_of(found.calls, 'call')} about "
        f"{count_of(found.dialogues, 'dialogue')}{shown}."
    )
    taken = (
        f"About {found.input_tokens:,} input tokens and {found.output_tokens:,} output tokens, "
        f"counted {counted}."
    )
    print_rich(plain(asked), plain(taken), plain(_describe_largest(found)))
    for each in found.assumptions:
        print_rich(plain(each))
    for each in found.warnings:
        print_rich(plain(each, "yellow"))
    _print_price(found.price)


def _describe_largest(found: Estimate) -> str:
    """Says how much one question is at most, beside what the model takes in a request."""
    takes = {"pictures": found.limits.pictures, "tokens": found.limits.context}
    known = [f"{limit:,} {what}" for what, limit in takes.items() if limit is not None]
    limits = f"{found.model} takes {' and '.join(known)}" if known else "its limits are not known"
    shown = f"{count_of(found.most_pictures, 'picture')} and " if found.pictures else ""
    return f"A question has at most {shown}about {found.most_tokens:,} tokens; {limits}."


def _print_price(price: float | None) -> None:
    if price is None:
        click.echo("No price is given: add --price-in and --price-out, or --prices FILE.")
    else:
        click.echo(f"About ${price:,.2f}.")
