"""Options of language models: how they answer, what they may take, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from commonground.errors import UsageError

if TYPE_CHECKING:
    from commonground.bench.inspect_tasks.estimating import Price
    from commonground.play.rooms.players.budget import Budget
    from commonground.play.rooms.players.model_answers import AnswerForm

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


class PlayerOptions(NamedTuple):
    """The options of models that play: answers, limits of all games, and prices."""

    answers: AnswerForm
    max_calls: int | None
    max_tokens: int | None
    max_cost: float | None
    price_in: float | None
    price_out: float | None
    prices: Path | None

    def refuse_limits(self) -> None:
        """Refuses limits of calls, tokens and cost where no model plays.

        Raises:
            UsageError: there is one.
        """
        if (self.max_calls, self.max_tokens, self.max_cost) != (None, None, None):
            raise UsageError("Limits are those of language models, and none plays.")

    def make_budget(self, players: Iterable[str]) -> Budget | None:
        """Returns what models may take; None where none plays.

        Args:
            players: names of those who play; models have a slash in theirs.

        Raises:
            UsageError: cost is limited, and a model has no price; or there are limits and no model.
        """
        models = dict.fromkeys(name for name in players if "/" in name)
        if not models:
            self.refuse_limits()
            return None
        from commonground.extras import needing

        prices = (self.price_in, self.price_out, self.prices)
        with needing("inspect", "Language models play through inspect_ai"):
            found = {model: choose_price(model, *prices) for model in models}
        from commonground.play.collect.setup.partners import Price as SeatPrice
        from commonground.play.rooms.players.budget import Budget

        if self.max_cost is not None and None in found.values():
            raise UsageError(
                "A limit of cost needs prices.",
                "Add --price-in and --price-out, or --prices FILE.",
            )
        return Budget(
            calls=self.max_calls,
            tokens=self.max_tokens,
            cost=self.max_cost,
            prices={
                name: SeatPrice(each.input, each.output) for name, each in found.items() if each
            },
        )


def player_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of models that play; the command is given them as ``models``."""

    @wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        models = PlayerOptions(*map(options.pop, PlayerOptions._fields))
        return function(*args, models=models, **options)

    for option in reversed((*_PLAYING, *_PRICES)):
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
