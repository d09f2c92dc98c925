"""Codes of MPChat's rules: what holds in all three task files has one code in each.

The first digit names the file (1 ``mpchat_nrp.json``, 2 ``mpchat_gpp.json``, 3 ``mpchat_si.json``,
4 and 5 the maps of addresses), the other two the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from commonground.findings import Examined, Place, Rule, Severity, rule

Check = Callable[[Any, Examined], Iterable[Place]]

_FILES = {1: "nrp", 2: "gpp", 3: "si"}


def every_file(
    number: int, severity: Severity, title: str, *, why: str, advice: str
) -> Callable[[Check], tuple[Rule, ...]]:
    """Turns a check into one rule for each task file.

    Args:
        number: the last two digits of the codes.
        severity: see :class:`~commonground.findings.Rule`, as for the others.
        title: as there.
        why: as there.
        advice: as there.
    """

    def wrap(check: Check) -> tuple[Rule, ...]:
        return tuple(
            rule(
                f"CG-MPCHAT-{digit}{number:02}",
                severity,
                title,
                why=why,
                advice=advice,
                format=name,
            )(check)
            for digit, name in _FILES.items()
        )

    return wrap


def gather_rules(*modules: ModuleType) -> Iterator[Rule]:
    """Yields the rules that modules declare, singly or for every file."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Rule):
                yield value
            elif isinstance(value, tuple):
                yield from (each for each in value if isinstance(each, Rule))
