"""Dialogues as far as chat messages are made of them, read from the tables."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from commonground.export.chat_messages import Event, Talk
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
            talk = Talk(
                corpus=corpus,
                dialogue_id=row[0],
                split=row[1],
                domain=row[2],
                n_events=row[3],
                n_utterances=row[4],
                speakers=[Speaker(*each) for each in speakers.take(row[0])],
                events=[Event(*each) for each in events.take(row[0])],
                system=_instructions(row[5]),
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


def _instructions(attributes: str | None) -> str | None:
    """Returns what a person was told to do, where the corpus has it."""
    if attributes is None or '"instructions"' not in attributes:
        return None
    found = msgspec.json.decode(attributes)
    text = found.get("instructions") if isinstance(found, dict) else None
    return text if isinstance(text, str) else None


def tell_beforehand(instructions: str | None, speaker: Speaker, seen: list[Shown]) -> str | None:
    """Returns what the speaker knew beforehand: instructions to a user, one's own persona."""
    told = [instructions] if instructions and speaker.role == "user" else []
    own = [s for s in seen if s.kind == "persona" and s.viewer == speaker.speaker and s.title]
    told += list(dict.fromkeys(f"- {each.title}" for each in own))
    return "\n".join(told) or None
