"""``commonground estimate``: says what asking a language model will take, before it is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    plain,
    print_json,
    print_rich,
    store_option,
    to_builtins,
)
from commonground.cli._prices import choose_price, price_options
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.bench.inspect_tasks.asking.questions import Asking
    from commonground.bench.inspect_tasks.estimating import Estimate


@click.command(short_help="Estimate tokens and price of asking a model.")
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
    help="Tokens that the model takes in one request, where they are not known or not right.",
)
@click.option(
    "--max-pictures",
    type=click.IntRange(1),
    help="Pictures that the model takes in one request, likewise.",
)
@store_option
@json_option
def command(
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
    both are taken from LOG. No prices are built in: give them, or a file of them. Questions that
    are more than the model takes in one request are warned of.

    \b
    Example:
      commonground estimate simmc/dst --model openai/NAME -T limit=50 --price-in 2 --price-out 8
    """
    from commonground.extras import needing

    with needing("inspect", "What a model is asked is put together with inspect_ai"):
        from commonground.bench.inspect_tasks.estimating import estimate

    named = {"context": context, "max_pictures": max_pictures}
    limits = tuple(f"{name}={value}" for name, value in named.items() if value is not None)
    asking = _read_asking(task_name, (*options, *limits), store)
    price = choose_price(model, price_in, price_out, prices)
    found = estimate(asking, model, price=price, like=like, epochs=epochs)
    if as_json:
        print_json(to_builtins(found))
    else:
        _print(found)


def _read_asking(task_name: str, options: tuple[str, ...], store: Path | None) -> Asking:
    """Reads the options of a task as inspect_ai does."""
    import msgspec
    import yaml

    # Private to inspect_ai, but only so are options read as `inspect eval` reads them: -T a=1 is a
    # number, -T a=x,y a list.
    from inspect_ai._util.config import parse_cli_args

    from commonground.bench.evaluation.tasks import get_task
    from commonground.bench.inspect_tasks.asking.questions import Asking
    from commonground.errors import UsageError, unknown_name

    try:
        given = parse_cli_args(options)
    except yaml.YAMLError as error:
        raise UsageError(
            "An option of the task cannot be read.", "Give it as NAME=VALUE."
        ) from error
    # An option may name another corpus; task and store are this command's, whatever options say.
    values = {"corpus": get_task(task_name).corpora[0], **given}
    values |= {"task": task_name} | ({} if store is None else {"store": str(store)})
    for name in values:
        if name not in Asking.__struct_fields__:
            raise unknown_name("option", name, Asking.__struct_fields__, "of tasks")
    try:
        return msgspec.convert(values, Asking)
    except msgspec.ValidationError as error:
        raise UsageError(f"An option of the task cannot be used: {error}.") from error


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
    print_rich(plain(asked), plain(taken))
    for each in found.warnings:
        print_rich(plain(each, "yellow"))
    if found.price is None:
        click.echo("No price is given: add --price-in and --price-out, or --prices FILE.")
    else:
        click.echo(f"About ${found.price:,.2f}.")
