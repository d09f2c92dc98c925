from __future__ import annotations

from commonground.files.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType


class Line(Record):
    who: str
    says: str
    mood: str | UnsetType | None = UNSET


class Talk(Record):
    talk_id: str
    lines: list[Line]


class Moods(Record):
    moods: dict[str, str]


FORMATS = (
    FileFormat(
        name="talk",
        title="list of talks",
        pattern=r"talks.*\.json",
        record=Talk,
        layout="splits",
        keys=frozenset({"talk_id", "lines"}),
        role="main",
        dialogue_id=lambda talk, _document: talk.talk_id,
    ),
    FileFormat(name="moods", title="meanings of moods", pattern=r"moods\.json", record=Moods),
)
