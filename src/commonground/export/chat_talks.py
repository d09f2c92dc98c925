"""Dialogues as far as chat messages are made of them, read from the tables."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from commonground.export.chat_messages import Event, Picture, Talk
from commonground.export.selection import Selection
from commonground.model import Speaker


class Shown(msgspec.Struct, gc=False):
    """A row of ``displays`` with the kind, title and address of its object."""

    viewer: str | None
    object_id: str
    event: int | None
    segment: int | None
    highlighted: bool | None
    kind: str
    title: str | None
    uri: str | None


def read_talks(selection: Selection, corpus: str) -> Iterator[tuple[Talk, list[Shown]]]:
    """Yields the dialogues of a corpus, and what was displayed in each."""
    from commonground.export.aligned import Along

    names = ["dialogue_id", "split", "domain", "n_events", "n_utterances", "attributes"]
    events = Along(selection, corpus, "events", Event.__struct_fields__)
    speakers = Along(selection, corpus, "speakers", Speaker.__struct_fields__)
    displays = Along(selection, corpus, "displays", Shown.__struct_fields__[:5])
    objects = _objects(selection, corpus)
    nothing = ("", None, None)
    for batch in selection.batches(corpus, "dialogues", names):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            system, is_told = _instructions(row[5])
            talk = Talk(
                corpus=corpus,
                dialogue_id=row[0],
                split=row[1],
                domain=row[2],
                n_events=row[3],
                n_utterances=row[4],
                speakers=[Speaker(*each) for each in speakers.take(row[0])],
                events=[Event(*each) for each in events.take(row[0])],
                system=system,
                is_told=is_told,
            )
            shown = [(*each, *objects.get(each[1], nothing)) for each in displays.take(row[0])]
            yield talk, [Shown(*each) for each in shown]


def _objects(selection: Selection, corpus: str) -> dict[str, tuple[str, str | None, str | None]]:
    """Returns kind, title and address of the objects that have an address or are a persona."""
    found = {}
    columns = ["object_id", "kind", "title", "uri"]
    for batch in selection.batches(corpus, "objects", columns):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if row[3] is not None or row[1] == "persona":
                found[row[0]] = row[1:]
    return found


def _instructions(attributes: str | None) -> tuple[str | None, bool]:
    """Returns what a person was told to do, where the corpus has it, and whether it is all."""
    if attributes is None or '"instructions"' not in attributes:
        return None, attributes is None
    found = msgspec.json.decode(attributes)
    text = found.get("instructions") if isinstance(found, dict) else None
    if not isinstance(text, str):
        return None, False
    return text, len(found) == 1


def take_view(talk: Talk, speaker: Speaker, shown: list[Shown]) -> None:
    """Keeps of a talk what one speaker sees, and knew beforehand.

    Before, ``system`` has the instructions, whoever they were for.

    Args:
        talk: the talk.
        speaker: whose point of view is taken.
        shown: what was displayed to anybody.
    """
    seen = [row for row in shown if row.viewer in (None, speaker.speaker)]
    talk.pictures = [
        Picture(row.object_id, row.uri, row.event, row.segment, row.highlighted)
        for row in seen
        if row.uri is not None
    ]
    talk.unseen = len(shown) - len(seen)
    talk.without_picture = len(seen) - len(talk.pictures)
    own = [s for s in seen if s.kind == "persona" and s.viewer == speaker.speaker and s.title]
    talk.personas = [each.object_id for each in own]
    instructions = talk.system
    told = [instructions] if instructions and speaker.role == "user" else []
    talk.is_told = talk.is_told and (instructions is None or bool(told))
    told += list(dict.fromkeys(f"- {each.title}" for each in own))
    talk.system = "\n".join(told) or None
