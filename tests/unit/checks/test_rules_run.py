from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonground.checks.rules import run_rules
from commonground.findings import Examined, Place, Ruleset

rules = Ruleset("CG-TOY-9", "talk")


@rules.error(1)
def failing(record: Any, examined: Examined) -> Iterator[Place]:
    """It fails.

    To see.

    Nothing.
    """
    yield Place(".first")
    raise IndexError(f"nothing of {record} in {examined.source_file}")


@rules.note(2)
def finding(record: Any, examined: Examined) -> Iterator[Place]:
    """It holds nowhere.

    To see.

    Nothing.
    """
    yield Place(f".{record}", found=examined.source_file)


def test_a_rule_that_fails_is_a_finding_and_costs_no_other() -> None:
    found = run_rules([failing, finding], "it", Examined(None, None, "f"), "$", "a")
    assert [(each.code, each.source_path) for each in found] == [
        ("CG-TOY-901", "$.first"),
        ("CG-DATA-005", "$"),
        ("CG-TOY-902", "$.it"),
    ]
    assert found[1].found == "CG-TOY-901: IndexError: nothing of it in f"
