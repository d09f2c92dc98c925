"""Prices of models: the same options for what asking will take, and for what it may."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from commonground.bench.inspect_tasks.estimating import Price

_OPTIONS = (
    click.option("--price-in", type=float, help="Dollars per million input tokens."),
    click.option("--price-out", type=float, help="Dollars per million output tokens."),
    click.option(
        "--prices",
        type=click.Path(path_type=Path),
        help="File of prices, as --model-cost-config of inspect eval.",
    ),
)


def price_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say what a model's tokens cost."""
    for option in reversed(_OPTIONS):
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
        prices: file of the prices of several models.

    Raises:
        UsageError: one of the two is missing, or the model is not in the file.
        CommongroundError: the file cannot be read.
    """
    from commonground.bench.inspect_tasks.estimating import Price, read_price
    from commonground.errors import UsageError

    if (price_in is None) != (price_out is None):
        raise UsageError("One price is missing.", "Name both --price-in and --price-out.")
    if price_in is not None and price_out is not None:
        return Price(price_in, price_out)
    return None if prices is None else read_price(prices, model)
