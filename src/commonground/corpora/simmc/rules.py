"""What must hold in SIMMC's released files; the rules are in modules by subject."""

from __future__ import annotations

from commonground.corpora.simmc import (
    rules_annotations,
    rules_dialogues,
    rules_files,
    rules_joins,
    rules_scenes,
    rules_sides,
    rules_simmc2,
)
from commonground.findings import Rule

MODULES = (
    rules_dialogues,
    rules_scenes,
    rules_annotations,
    rules_joins,
    rules_sides,
    rules_files,
    rules_simmc2,
)

globals().update(
    {
        value.code.replace("-", "_"): value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, Rule)
    }
)
