"""The units on which people differ, as the researcher decides on them."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.play.collect.live.ledger import Ledger
from commonground.play.labelling.adjudicating import (
    Cast,
    Decided,
    gather_votes,
    is_disputed,
    measure,
)


def describe_disputes(ledger: Ledger) -> dict[str, Any]:
    """Returns the units that have all their votes and on which people differ, with agreement.

    Returns:
        ``units``, each as people see it, with the votes and the decision on each candidate; and
        ``agreement``, before and after decisions.
    """
    assignments = ledger.assignments
    records = assignments.list_records() if assignments is not None else ()
    cast = {number: gather_votes(ballots) for number, ballots in records}
    names = {number: ledger.stock.pieces[number].id for number in cast}
    made = {
        (names[piece], candidate): Decided(
            names[piece], candidate, each.answer, each.by, at_us, each.note
        )
        for (piece, candidate), (each, at_us) in ledger.decisions.items()
        if piece in names
    }
    disputed = [n for n, each in sorted(cast.items()) if any(map(is_disputed, each.values()))]
    by_name = {names[number]: each for number, each in cast.items()}
    return {
        "units": [_describe(ledger, number, cast[number]) for number in disputed],
        "agreement": msgspec.to_builtins(measure(by_name, made)),
    }


def _describe(ledger: Ledger, piece: int, cast: Cast) -> dict[str, Any]:
    scenario = ledger.scenario
    [role] = scenario.roles
    game = scenario.view(scenario.start(ledger.stock.pieces[piece], 0), role)
    shown = {name: game[name] for name in ("unit", "question", "answers", "context")}
    candidates = []
    for each in game["candidates"]:
        votes, decision = cast.get(each["id"], ()), None
        if (piece, each["id"]) in ledger.decisions:
            made, at_us = ledger.decisions[piece, each["id"]]
            decision = {"answer": made.answer, "by": made.by, "note": made.note, "at_us": at_us}
        said = [
            {"who": vote.who, "answer": vote.answer, "at_us": ledger.ended_us.get(vote.session)}
            for vote in votes
        ]
        known = {name: value for name, value in each.items() if name != "answer"}
        known |= {"votes": said, "disputed": is_disputed(votes), "decision": decision}
        candidates.append(known)
    return {"piece": piece, **shown, "candidates": candidates}
