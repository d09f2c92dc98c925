"""What must hold in Taskmaster's files.

The first digit of a code is the generation; codes with the same last two digits state the same
thing of several generations.
"""

from __future__ import annotations

from commonground.corpora.taskmaster import (
    rules_calls,
    rules_coffee,
    rules_plain,
    rules_reward,
    rules_rows,
    rules_tickets,
)
from commonground.findings import Rule

_MODULES = (rules_plain, rules_tickets, rules_rows, rules_coffee, rules_calls, rules_reward)

RULES: tuple[Rule, ...] = tuple(
    value for module in _MODULES for value in vars(module).values() if isinstance(value, Rule)
)
"""All rules, by subject."""

globals().update({rule.code: rule for rule in RULES})
