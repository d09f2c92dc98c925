"""Published results for ``simmc/dst``."""

from __future__ import annotations

from commonground.corpora.simmc.tasks.released import OFFICIAL
from commonground.task import Published

_README = f"{OFFICIAL} mm_dst/README.md, table of published models"
_SAME = "yes: SIMMC 1.0 devtest, scored by the same script"
_TEAMS = "no: average of both domains on the test-std split, whose answers were not released"


def _baseline(domain: str, system: str, act: float, slot: float) -> Published:
    return Published(
        system=f"GPT-2 ({system}), {domain}",
        split="devtest",
        values={"act_f1": act / 100, "slot_f1": slot / 100},
        source=_README,
        comparable=_SAME,
    )


def _entry(system: str, act: float, slot: float) -> Published:
    return Published(
        system=system,
        split="teststd",
        values={"act_f1": act, "slot_f1": slot},
        source=f"{OFFICIAL} DSTC9_SIMMC_RESULTS.md",
        comparable=_TEAMS,
    )


PUBLISHED = (
    _baseline("furniture", "text only", 69.9, 52.5),
    _baseline("furniture", "multimodal", 69.5, 63.9),
    _baseline("fashion", "text only", 61.2, 52.1),
    _baseline("fashion", "multimodal", 61.1, 60.6),
    _entry("organisers' baseline of the DSTC9 track", 0.621, 0.624),
    _entry("best entry of the DSTC9 track", 0.781, 0.791),
)
