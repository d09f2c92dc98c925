"""Orders to erase people, on the disk before anything is deleted: ``erasing.json``.

An order has what is searched for in the end: names of the person, and texts that only the person
wrote. It is there only until nothing of that is found any more.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import msgspec

from commonground.errors import FormatError
from commonground.files.outputs import write_file
from commonground.play.collect.events import Event, SessionPaired
from commonground.play.collect.identities import Identities
from commonground.play.collect.log import EventLog
from commonground.play.collect.setup.study import MATERIAL, ORDERS, PROLIFIC, SETTINGS, Study

_SHORTEST = 8
"""Characters of a text that is searched for; shorter ones stand in others' data by accident."""

_LONGEST = 200
"""Characters of a text that are searched for; SQLite keeps what is longer in several places."""

_MOST = 500
"""Texts that are searched for, the longest first."""


class Order(msgspec.Struct, frozen=True):
    """An order to erase a person.

    Attributes:
        names: what platforms call the person.
        traces: what tells of the person: a platform's names and the receipt. What others' data
            have, too, is not among them, nor what is short.
        texts: what the person wrote or chose, likewise.
        number: drawn for this order; empty in orders of earlier versions.
    """

    pid: str
    names: list[str]
    traces: list[str]
    texts: list[str] = []
    number: str = ""
    platform: str = "plain"

    def needles(
        self, *, with_texts: bool = True, kept: frozenset[str] = frozenset()
    ) -> list[bytes]:
        """Returns the bytes that are to be found nowhere, as they are and as JSON has them.

        Args:
            kept: what may stay, since the person is paid by it.
        """
        traces = [each for each in self.traces if each not in kept]
        texts = [self.pid, *traces, *(self.texts if with_texts else [])]
        escaped = [msgspec.json.encode(each)[1:-1] for each in texts]
        ascii_only = [json.dumps(each)[1:-1].encode() for each in texts]
        return sorted({*(each.encode() for each in texts), *escaped, *ascii_only})


def read_orders(study: Study) -> list[Order]:
    """Returns orders that are not carried out as yet.

    Raises:
        FormatError: the file that has them is damaged.
    """
    path = study.folder / ORDERS
    if not path.is_file():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Order])
    except msgspec.DecodeError as error:
        raise FormatError(
            f"{path}: {error}.", "It lists people who are being erased: read it, then delete it."
        ) from error


def write_orders(study: Study, orders: list[Order]) -> None:
    """Replaces the orders; without any, there is no file.

    Raises:
        SourceError: it cannot be written.
    """
    path = study.folder / ORDERS
    if path.is_file():
        path.chmod(0o600)
    if orders or path.is_file():
        write_file(path, msgspec.json.encode(orders))
        path.chmod(0o600)
    if not orders:
        path.unlink(missing_ok=True)


def make_order(study: Study, pid: str, identities: Identities) -> Order:
    """Finds out what tells of a person.

    Raises:
        StoreError: the log or the identities cannot be read.
    """
    identity = identities.find(pid)
    traces = {identities.receipt(pid)}
    if identity is not None:
        traces |= {identity.platform_id, *identity.details.values()}
    with closing(study.open_log()) as log:
        own, others = _divide(log, pid)
    texts = {text[:_LONGEST] for event in own for text in _list_texts(event.payload)} - traces
    names_of_others = [
        text
        for other, each in identities.list_all().items()
        if other != pid
        for text in (each.platform_id, *each.details.values())
    ]
    kept = "\n".join([*_list_settings(study), *names_of_others, *others])
    names = [identity.platform_id] if identity is not None and identity.platform_id else []
    return Order(
        pid,
        names,
        _choose_telling(traces, kept),
        _choose_telling(texts, kept),
        number=secrets.token_hex(8),
        platform=identity.platform if identity is not None else "plain",
    )


def _choose_telling(texts: set[str], kept: str) -> list[str]:
    """Returns those of some texts that are searched for: long ones that nobody else's data have."""
    long = {each for each in texts if len(each) >= _SHORTEST}
    longest = sorted(long, key=lambda each: (-len(each), each))[:_MOST]
    return [each for each in longest if each not in kept]


def _divide(log: EventLog, pid: str) -> tuple[list[Event], list[str]]:
    """Returns a person's own events, and the texts of those of others that stay as they are."""
    events = list(log.read())
    shared = {
        each.session
        for each in events
        if isinstance(each.what, SessionPaired) and pid in each.what.seats.values()
    }
    own = [each for each in events if each.participant == pid]
    # Types stay, also those of emptied rows; refused acts name theirs in a text.
    others = [*{each.type for each in events}]
    # What models were asked in the person's sessions goes, too.
    others += [
        text
        for each in events
        if each.participant != pid
        and not (each.session in shared and each.type.startswith("agent."))
        for text in _list_texts(each.payload)
    ]
    return own, others


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _list_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _list_texts(each)


def _list_settings(study: Study) -> Iterator[str]:
    """Yields the texts of a study's own files, which everybody's data quote."""
    for path in (*study.folder.glob("consent/*"), *study.folder.glob("texts/*")):
        yield path.read_text(encoding="utf-8", errors="replace")
    # The id that Prolific gave the study came with each of its people.
    made = [PROLIFIC] if (study.folder / PROLIFIC).is_file() else []
    for name in (SETTINGS, MATERIAL, *made):
        yield (study.folder / name).read_text(encoding="utf-8", errors="replace")
