"""``commonground explain``: prints what a finding code means."""

from __future__ import annotations

import click

from commonground.cli._options import json_option, plain, print_json, print_rich
from commonground.printing import count_of


@click.command(short_help="Say what a finding code means and what to do about it.")
@click.argument("code")
@json_option
def command(code: str, as_json: bool) -> None:
    """Say what a finding code means, why it matters, and what to do about it.

    CODE is one that `commonground check` prints.

    \b
    Example:
      commonground explain CG-PHOTOBOOK-001
    """
    from commonground.store.findings import find_rule

    rule = find_rule(code)
    if as_json:
        names = ("code", "severity", "title", "why", "advice", "format", "known")
        print_json({name: getattr(rule, name) for name in names})
        return
    where = "any file" if rule.format == "*" else f"files of format {rule.format}"
    print_rich(
        f"[bold]{rule.code}[/]  {rule.severity}, in {where}",
        plain(rule.title),
        "\n[bold]Why it matters[/]",
        plain(rule.why),
        "\n[bold]What to do[/]",
        plain(rule.advice),
    )
    if rule.known is not None:
        places = count_of(rule.known, "place") if rule.known else "no place"
        print_rich(f"\nThe released files have it in {places}.")
