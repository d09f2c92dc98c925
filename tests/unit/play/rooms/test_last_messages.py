"""A server that can write no more ends after everybody was told so, however slow the machine is."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.studies import copy_study
from tests.unit.play.collect.party import StudyParty

from commonground.errors import StoreError
from commonground.play.collect.identities import Identities
from commonground.play.rooms.desk import Desk, SendQueue

TURNS = 50
"""Turns of the loop that a message takes to be sent."""


async def send_slowly(line: SendQueue, sent: list[bytes | None]) -> None:
    while True:
        data = await line.queue.get()
        for _ in range(TURNS):
            await asyncio.sleep(0)
        sent.append(data)
        line.queue.task_done()


async def fail(desk: Desk) -> list[list[bytes | None]]:
    """Runs a desk until it is stopped; returns what was sent to each of two lines by then."""
    desk.do(desk.hall.arrive, "somebody", language="en", platform="plain")
    sent: list[list[bytes | None]] = [[], []]
    sending = [asyncio.create_task(send_slowly(desk.open_line(), each)) for each in sent]
    found: list[list[bytes | None]] = []
    await desk.run(lambda: found.extend(list(each) for each in sent))
    for each in sending:
        each.cancel()
    return found


def test_everybody_is_told_before_the_server_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = copy_study(tmp_path / "pilot")
    party = StudyParty(study, Identities(study.identities_path))
    desk = Desk(party.hall, party.file)

    def refuse(*_: object) -> None:
        raise StoreError("The log is damaged.")

    monkeypatch.setattr(party.file, "append", refuse)
    with ThreadPoolExecutor(1) as alone:
        told = alone.submit(asyncio.run, fail(desk)).result()
    assert told == [[b'{"stuck":{"on":true}}']] * 2
    assert desk.failure is not None
