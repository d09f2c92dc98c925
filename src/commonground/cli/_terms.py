"""Says under which terms dialogues are handed on, and asks where these bar it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commonground.cli._options import ask

if TYPE_CHECKING:
    from commonground.exports.terms import Licensed

F = TypeVar("F", bound=Callable[..., Any])


def yes_option(function: F) -> F:
    """Adds ``--yes``, for scripts that pass on what may not be redistributed."""
    text = "Do not ask, even if the terms of a corpus bar redistribution."
    return click.option("--yes", is_flag=True, help=text)(function)


def confirm_terms(corpora: Sequence[Licensed], purpose: str, *, yes: bool) -> None:
    """States the terms of corpora, and asks where they bar redistribution.

    Args:
        purpose: what is about to be done, as the end of a question: "write the site".
        yes: whether the user has answered already.

    Raises:
        UsageError: the terms bar it, and there is no terminal to ask at.
        click.Abort: the user says no.
    """
    from commonground.exports.terms import state_terms

    # All of it to standard error: standard output may be JSON.
    for line in state_terms(corpora):
        click.echo(line, err=True)
    barred = " and ".join(each.about.title for each in corpora if each.is_barred)
    if not barred or yes:
        return
    problem = f"The terms of {barred} bar redistribution."
    advice = "If only you and people who accepted them will see it, pass --yes."
    ask(f"{problem} Still {purpose}, for your own use?", problem, advice)
