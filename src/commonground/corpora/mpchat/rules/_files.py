"""Rulesets of MPChat's task files: what holds in all three has one code in each.

The first digit of a code names the file (1 ``mpchat_nrp.json``, 2 ``mpchat_gpp.json``,
3 ``mpchat_si.json``, 4 and 5 the maps of addresses), the other two the fault.
"""

from __future__ import annotations

from collections.abc import Callable

from commonground.findings import Check, Rule, Ruleset, Severity

_FILES = tuple(
    Ruleset(f"CG-MPCHAT-{digit}", name) for digit, name in enumerate(("nrp", "gpp", "si"), 1)
)


def every_file(severity: Severity, number: int) -> Callable[[Check], tuple[Rule, ...]]:
    """Declares a rule for each task file; ``number`` is the last two digits of its codes."""
    # `severity` names the method: `ruleset.warning(21)(check)`.
    return lambda check: tuple(getattr(each, severity)(number)(check) for each in _FILES)
