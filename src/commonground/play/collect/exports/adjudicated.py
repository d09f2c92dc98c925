"""What was decided where people differed, as exports have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from commonground.files.spreadsheets import write_sheet
from commonground.play.collect import events
from commonground.play.collect.events import Event
from commonground.play.collect.setup.stock import Stock
from commonground.play.labelling.adjudicating import Cast, Decided, gather_votes, measure
from commonground.play.labelling.ballots import Ballot
from commonground.play.scenario import ReleasedFile

_COLUMNS = ("unit", "candidate", "decided", "decided_by", "decided_at", "note", "votes")


def read_decisions(log: Iterable[Event], stock: Stock) -> dict[tuple[str, str], Decided]:
    """Returns the last decision on each candidate, by unit and candidate.

    Args:
        log: of the study.
        stock: its units.
    """
    found = {}
    for event in log:
        if isinstance(event.what, events.ModeratorDecided):
            what = event.what
            unit = stock.pieces[what.piece].id
            found[unit, what.candidate] = Decided(
                unit, what.candidate, what.answer, what.by, event.at_us, what.note
            )
    return found


def release_decisions(
    ballots: Iterable[object], decisions: Mapping[tuple[str, str], Decided]
) -> Iterator[ReleasedFile]:
    """Yields the table of decisions, and how far people agree before and after them.

    Args:
        ballots: of all units; other records are passed over.
        decisions: by unit and candidate; nothing is yielded without any.
    """
    if not decisions:
        return
    by_unit: dict[str, list[Ballot]] = {}
    for each in ballots:
        if isinstance(each, Ballot):
            by_unit.setdefault(each.unit.id, []).append(each)
    cast: dict[str, Cast] = {name: gather_votes(each) for name, each in by_unit.items()}
    rows = []
    for (unit, candidate), each in decisions.items():
        decision, votes = each.to_decision(), cast.get(unit, {}).get(candidate, [])
        said = " ".join(f"{vote.who}={vote.answer}" for vote in votes)
        shown = (unit, candidate, each.answer, each.by, decision.at, each.note, said)
        rows.append(shown)
    yield ReleasedFile("extra/adjudicated.csv", write_sheet(_COLUMNS, rows).encode())
    measured = msgspec.json.encode(measure(cast, decisions))
    yield ReleasedFile("extra/agreement.json", msgspec.json.format(measured))
