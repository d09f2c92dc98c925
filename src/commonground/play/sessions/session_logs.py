"""The log of sessions: everything that they were, a line each, so that all can be played again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError, SourceError
from commonground.play.scenario import Act
from commonground.play.session import Rejected

LOG_NAME = "sessions.jsonl"
MODELS_NAME = "extra/models.jsonl"
"""Of an export of ``commonground collect``: which language models sat where, a line each."""


class BorrowedEnd(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where somebody's own acts ended in a fork, and somebody else went on.

    Attributes:
        act: number of the first act that was not made again, in the game that was forked.
        reason: why, in a few words: one of
            :data:`~commonground.play.sessions.forking.EndReason`.
        code: of the refusal, where the rules refused it.
    """

    act: int
    reason: str
    code: str = ""


class ForkedFrom(msgspec.Struct, frozen=True, kw_only=True):
    """Where a fork comes from.

    Attributes:
        game: name of the record that it goes on from.
        act: how many of its acts stood as they were.
        same: how many acts are the recorded ones in their order, those after the fork included;
            these may be ones that the rules refuse.
        ended: by role, where its person's own acts ended.
    """

    game: str
    act: int
    same: int
    ended: dict[str, BorrowedEnd] = {}


class BorrowedWords(msgspec.Struct, frozen=True, kw_only=True):
    """What a player said in the words of a person of a released dialogue.

    Attributes:
        dialogue: id of the dialogue; empty where none was found that begins as the session does.
        turns: how many of the person's turns were said, from the first.
        of: how many the person said in all.
        reason: why no more of them were, in a few words; empty where the session ended before.
    """

    dialogue: str
    turns: int
    of: int
    reason: str


class SessionLog(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of ``sessions.jsonl``: all that a session was, so that it can be played again.

    Attributes:
        version: of the rules.
        number: of the session, from 0; that of its record where it has one.
        start_us: the time at its start, in microseconds since 1970.
        players: the kind of player in each role.
        agents: who they were.
        complete: whether it was played to its end; if not it has no released record.
        acts: those that were accepted, in order.
        rejected: those that were not, with the reason.
        prompts: version and hash of what each language model was told, by role.
        cause: why it was aborted, in a few words; empty where it was played to its end.
        fork: the game that it goes on from; None where it was played from the start.
        borrowed: by role, whose words of a released dialogue a player said.
    """

    scenario: str
    version: str
    number: int
    seed: int
    start_us: int
    players: dict[str, str]
    agents: dict[str, int]
    complete: bool
    material: Any
    acts: list[Act]
    rejected: list[Rejected]
    prompts: dict[str, str] = {}
    cause: str = ""
    fork: ForkedFrom | None = None
    borrowed: dict[str, BorrowedWords] = {}


LARGE = 100_000
"""Bytes from which a field of the material is written once, however many sessions share it."""

SAME = "same_as_session"
"""In place of such a field: the number of the session whose line has it."""


class LogWriter:
    """Writes the lines of ``sessions.jsonl``."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._written: dict[int, tuple[Any, int]] = {}  # by identity: the value, and its session

    def add(self, line: SessionLog) -> None:
        """Writes a session; what is large in its material only if no line before has it."""
        material = self._share(line.material, line.number)
        shared = msgspec.structs.replace(line, material=material)
        self._write(msgspec.json.encode(shared) + b"\n")

    def _share(self, material: Any, number: int) -> Any:
        fields = msgspec.structs.fields(material)
        values = {each.encode_name: getattr(material, each.name) for each in fields}
        known = {name for name, value in values.items() if id(value) in self._written}
        # Small material is written as it is; looking at each of its fields would not pay.
        if not known and len(msgspec.json.encode(material)) < LARGE:
            return material
        parts: dict[str, Any] = {}
        for name, value in values.items():
            if name in known:
                parts[name] = {SAME: self._written[id(value)][1]}
                continue
            data = msgspec.json.encode(value)
            if len(data) >= LARGE:
                # With the value itself: the id of one that is gone may be given to another.
                self._written[id(value)] = (value, number)
            parts[name] = msgspec.Raw(data)
        return parts


class _Line(SessionLog, frozen=True, kw_only=True):
    """A line as it was written, its material not read yet."""

    material: msgspec.Raw


def read_sessions(path: Path) -> Iterator[SessionLog]:
    """Yields the sessions of a ``sessions.jsonl``, each with all of its material.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line is no session.
    """
    large: dict[tuple[int, str], Any] = {}
    try:
        with path.open("rb") as lines:
            for data in lines:
                line = msgspec.json.decode(data, type=_Line)
                material = msgspec.json.decode(line.material)
                for name, value in material.items():
                    if isinstance(value, dict) and value.keys() == {SAME}:
                        # A line that names one which is not there is a `KeyError`, told below as no
                        # session.
                        material[name] = large[value[SAME], name]
                    # Some of its fields may be named by later lines; which ones is not known yet.
                    elif len(line.material) >= LARGE:
                        large[line.number, name] = value
                others = {each: getattr(line, each) for each in SessionLog.__struct_fields__}
                yield SessionLog(**{**others, "material": material})
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.") from error
    except (msgspec.DecodeError, KeyError) as error:
        raise FormatError(f"{path}: {error}.", "`commonground play` writes it.") from error


class _Seated(msgspec.Struct, frozen=True):
    """What a line says of a model in a seat; the record is null for a session without one."""

    record: int | None
    role: str
    model: str


def read_seated(folder: Path) -> dict[int, dict[str, str]]:
    """Returns the models of an export's sessions, by number of the record and role.

    Args:
        folder: an export of ``commonground collect``; one of people only has none.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is not such a file.
    """
    path, seated = folder / MODELS_NAME, dict[int, dict[str, str]]()
    if not path.is_file():
        return seated
    try:
        lines = msgspec.json.Decoder(_Seated).decode_lines(path.read_bytes())
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        hint = "`commonground collect export` writes it."
        raise FormatError(f"{path}: {error}.", hint) from error
    for line in lines:
        if line.record is not None:
            seated.setdefault(line.record, {})[line.role] = line.model
    return seated
