"""Published results for ``simmc/dst``."""

from __future__ import annotations

from commonground.corpora.simmc.tasks.published import (
    AVERAGE,
    ORGANISERS,
    SUMMARY,
    TEAM_2,
    TEAM_2_PARTS,
)
from commonground.corpora.simmc.tasks.released import OFFICIAL
from commonground.task import Published

_README = f"{OFFICIAL} mm_dst/README.md, table of published models"
_UNNAMED = (
    "likely: SIMMC 1.0, scored by the same script; the table names no split, and the steps before "
    "it evaluate devtest"
)
_SAME = "yes: SIMMC 1.0 devtest, scored by the same script"
_TEAM = "boychaboy/DSTC9-SIMMC@0eb7863 README.md, results for the devtest set"
_TEAM_1 = "billkunghappy/DSTC_TRACK4_ENTER@6ce13af reports/subtask-3-report.txt"
"""It names no domain: the predictions for fashion that stand beside it score just this."""


def _baseline(domain: str, system: str, act: float, slot: float) -> Published:
    return Published(
        system=f"GPT-2 ({system}), {domain}",
        split="not named",
        values={"act_f1": act / 100, "slot_f1": slot / 100},
        source=_README,
        comparable=_UNNAMED,
    )


def _team(domain: str, number: int, act: float, slot: float) -> Published:
    return Published(
        system=f"DSTC9 team 3, ensemble {number}, {domain}",
        split="devtest",
        values={"act_f1": act / 100, "slot_f1": slot / 100},
        source=_TEAM,
        comparable=_SAME,
    )


def _report(system: str, source: str, joint: float, act: float, slot: float) -> Published:
    return Published(
        system=system,
        split="devtest",
        values={"joint_accuracy": joint, "act_f1": act, "slot_f1": slot},
        source=source,
        comparable=_SAME,
    )


def _report_2(domain: str, joint: float, act: float, slot: float) -> Published:
    system = f"DSTC9 team 2, GPT-2, {domain}"
    source = f"{TEAM_2}/{TEAM_2_PARTS[domain]}/{domain}_devtest_dials_report.json"
    return _report(system, source, joint, act, slot)


def _entry(system: str, slot: float, act: float) -> Published:
    return Published(
        system=system,
        split="teststd",
        values={"act_f1": round(act / 100, 5), "slot_f1": round(slot / 100, 5)},
        source=SUMMARY,
        comparable=AVERAGE,
    )


PUBLISHED = (
    _baseline("furniture", "text only", 69.9, 52.5),
    _baseline("furniture", "multimodal", 69.5, 63.9),
    _baseline("fashion", "text only", 61.2, 52.1),
    _baseline("fashion", "multimodal", 61.1, 60.6),
    _team("furniture", 1, 83.47, 80.28),
    _team("furniture", 2, 83.48, 80.46),
    _team("furniture", 3, 83.91, 80.6),
    _team("fashion", 1, 75.12, 75.21),
    _team("fashion", 2, 75.65, 75.02),
    _team("fashion", 3, 75.4, 75.37),
    _report(
        "DSTC9 team 1, fashion",
        _TEAM_1,
        joint=0.5108083322415826,
        act=0.7316382275578338,
        slot=0.7254995621367725,
    ),
    _report_2("furniture", 0.6492635744119587, 0.8248752313127349, 0.7861158388777142),
    _report_2("fashion", 0.513297523909341, 0.7350819229991233, 0.730811837316031),
    _entry(ORGANISERS, 62.4, 62.1),
    _entry("DSTC9 team 1", 77.8, 76.7),
    _entry("DSTC9 team 3", 79.1, 78.1),
    _entry("DSTC9 team 4", 78.6, 77.7),
)
