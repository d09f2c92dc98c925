"""Options of language models: how they answer, what they may take, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.errors import UsageError

if TYPE_CHECKING:
    from commonground.bench.inspect_tasks.estimating import Price
    from commonground.play.rooms.players.budget import Budget

_PRICES = (
    click.option("--price-in", type=float, help="Dollars per million input tokens."),
    click.option("--price-out", type=float, help="Dollars per million output tokens."),
    click.option(
        "--prices",
        type=click.Path(path_type=Path),
        help="File of prices, as --model-cost-config of inspect eval.",
    ),
)


_PLAYING = (
    click.option(
        "--answers",
        type=click.Choice(("tools", "json")),
        default="tools",
        show_default=True,
        help="How models say what they do: by calling a tool, or with a JSON object.",
    ),
    click.option(
        "--max-calls", type=click.IntRange(1), help="Calls of models in all games together."
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1),
        help="Tokens that models may read and write in all games together.",
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(0, min_open=True),
        help="Dollars that models may cost in all games together; needs prices.",
    ),
)


def price_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say what a model's tokens cost."""
    for option in reversed(_PRICES):
        command = option(command)
    return command


def player_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of models that play: answers, limits of all games, and prices."""
    command = price_options(command)
    for option in reversed(_PLAYING):
        command = option(command)
    return command


def choose_price(
    model: str, price_in: float | None, price_out: float | None, prices: Path | None
) -> Price | None:
    """Returns the price of a model; None where none is given.

    Args:
        model: its name, as inspect_ai knows it.
        price_in: dollars for a million tokens that it reads.
        price_out: dollars for a million tokens that it writes.

    Raises:
        UsageError: one of the two is missing, or the model is not in the file.
        CommongroundError: the file cannot be read.
    """
    from commonground.bench.inspect_tasks.estimating import Price, read_price

    if (price_in is None) != (price_out is None):
        raise UsageError("One price is missing.", "Name both --price-in and --price-out.")
    if price_in is not None and price_out is not None:
        return Price(price_in, price_out)
    return None if prices is None else read_price(prices, model)


def refuse_limits(most: Sequence[float | None]) -> None:
    """Refuses limits of calls, tokens and cost where no model plays; None is no limit.

    Raises:
        UsageError: there is one.
    """
    if any(each is not None for each in most):
        raise UsageError("Limits are those of language models, and none plays.")


def make_budget(
    models: list[str],
    most: tuple[int | None, int | None, float | None],
    price: tuple[float | None, float | None, Path | None],
) -> Budget | None:
    """Returns what models may take; None where none plays.

    Args:
        most: calls, tokens and cost.
        price: of input and output, and the file of prices, as :func:`choose_price` takes them.
    """
    if not models:
        refuse_limits(most)
        return None
    from commonground.extras import needing

    with needing("inspect", "Language models play through inspect_ai"):
        found = {model: choose_price(model, *price) for model in dict.fromkeys(models)}
    from commonground.play.collect.setup.partners import Price as SeatPrice
    from commonground.play.rooms.players.budget import Budget

    calls, tokens, cost = most
    if cost is not None and None in found.values():
        raise UsageError(
            "A limit of cost needs prices.", "Add --price-in and --price-out, or --prices FILE."
        )
    prices = {name: SeatPrice(each.input, each.output) for name, each in found.items() if each}
    return Budget(calls=calls, tokens=tokens, cost=cost, prices=prices)
