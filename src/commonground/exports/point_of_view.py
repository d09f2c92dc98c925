"""A dialogue from the point of view of one speaker: the assistant, or whom ``--as`` names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from commonground.exports.dialogue_rows import RowsByDialogue
from commonground.exports.loss import Loss, NothingWrittenError
from commonground.exports.selection import Selection
from commonground.model import Speaker

_NAMED = 20
"""Speakers that an error lists; where they are people there may be thousands."""


def choose_speaker(speakers: Sequence[Speaker], wanted: str | None) -> Speaker | None:
    """Returns whose point of view is taken; None where the wanted one is not there.

    Without a wish it is the one whose role is ``assistant``, else the first; nobody where only a
    user is there, whose words are not the assistant's.
    """
    if wanted is not None:
        return next((each for each in speakers if each.speaker == wanted), None)
    helpers = [each for each in speakers if each.role == "assistant"]
    others = speakers if len(speakers) > 1 else [s for s in speakers if s.role != "user"]
    return next(iter([*helpers, *others]), None)


def refuse_speaker(selection: Selection, wanted: str, loss: Loss) -> NothingWrittenError:
    """Returns the error of a speaker whom no chosen dialogue has; it lists some who are there.

    ``loss`` is what was counted while the dialogues were gone through.
    """
    speakers = selection.rows(f"SELECT DISTINCT speaker FROM {selection.source('speakers')}")
    names = ", ".join(sorted(row[0] for row in speakers)[:_NAMED])
    return NothingWrittenError(
        f"No dialogue has a speaker {wanted!r}.", f"There are: {names}.", loss
    )


class Event(msgspec.Struct, gc=False):
    """A row of ``events``, with JSON as text; :class:`EventRow` describes the attributes."""

    event: int
    kind: str
    speaker: str
    segment: int | None
    text: str | None
    name: str | None
    arguments: str | None
    result: str | None


class ShownPicture(msgspec.Struct):
    """Something shown: a row of ``displays`` with what its object is.

    Attributes:
        object_id: unique in the corpus.
        uri: address or path of the image.
        event: the event from which on it is shown; None where it is shown otherwise.
        segment: the part during which it is shown; None likewise.
        highlighted: whether it was marked out; None where displays have no such mark.
    """

    object_id: str
    uri: str
    event: int | None = None
    segment: int | None = None
    highlighted: bool | None = None


class SeenDialogue(msgspec.Struct, kw_only=True):
    """A dialogue as one of its speakers sees it, as far as messages are made of it.

    Attributes:
        n_events, n_utterances: of all speakers.
        events: what is shown of them, in order.
        system: what the speaker knew beforehand.
        is_complete: whether that is all the facts about the dialogue.
        personas: ids of the objects that it describes.
        unseen: rows of ``displays`` that only others see.
        without_picture: those the speaker sees whose objects have no address.
    """

    corpus: str
    dialogue_id: str
    split: str | None
    domain: str | None
    n_events: int
    n_utterances: int
    speakers: list[Speaker]
    events: list[Event]
    pictures: list[ShownPicture] = []
    system: str | None = None
    is_complete: bool = True
    personas: list[str] = []
    unseen: int = 0
    without_picture: int = 0

    @property
    def place(self) -> str:
        """Where a loss is, as reports say: ``photobook/G12``."""
        return f"{self.corpus}/{self.dialogue_id}"


class _Shown(msgspec.Struct, gc=False):
    """A row of ``displays`` with the kind, title and address of its object."""

    viewer: str | None
    object_id: str
    event: int | None
    segment: int | None
    highlighted: bool | None
    kind: str
    title: str | None
    uri: str | None


def read_seen(
    selection: Selection, corpus: str, wanted: str | None
) -> Iterator[tuple[SeenDialogue, Speaker | None]]:
    """Yields the dialogues of a corpus, each as one of its speakers sees it, and who that is.

    Args:
        wanted: whose point of view to take; None for the assistant, or else the first. Where
            nobody is called so, the dialogue is as nobody sees it, and the speaker None.
    """
    names = ["dialogue_id", "split", "domain", "n_events", "n_utterances", "attributes"]
    events = RowsByDialogue(selection, corpus, "events", Event.__struct_fields__)
    speakers = RowsByDialogue(selection, corpus, "speakers", Speaker.__struct_fields__)
    # The first five fields are columns of `displays`; the others are those of its object.
    displays = RowsByDialogue(selection, corpus, "displays", _Shown.__struct_fields__[:5])
    objects = _read_objects(selection, corpus)
    nothing = ("", None, None)
    dialogues = selection.iterate_rows(corpus, "dialogues", names)
    for key, split, domain, n_events, n_utterances, attributes in selection.track(
        corpus, dialogues
    ):
        system, is_complete = _read_instructions(attributes)
        dialogue = SeenDialogue(
            corpus=corpus,
            dialogue_id=key,
            split=split,
            domain=domain,
            n_events=n_events,
            n_utterances=n_utterances,
            speakers=[Speaker(*each) for each in speakers.take(key)],
            events=[Event(*each) for each in events.take(key)],
            system=system,
            is_complete=is_complete,
        )
        rows = [(*row, *objects.get(row[1], nothing)) for row in displays.take(key)]
        shown = [_Shown(*row) for row in rows]
        speaker = choose_speaker(dialogue.speakers, wanted)
        if speaker is not None:
            _take_view(dialogue, speaker, shown)
        yield dialogue, speaker


def _read_objects(
    selection: Selection, corpus: str
) -> dict[str, tuple[str, str | None, str | None]]:
    """Returns kind, title and address of the objects that have an address or are a persona."""
    found = {}
    columns = ["object_id", "kind", "title", "uri"]
    for key, kind, title, uri in selection.iterate_rows(corpus, "objects", columns):
        if uri is not None or kind == "persona":
            found[key] = (kind, title, uri)
    return found


def _read_instructions(attributes: str | None) -> tuple[str | None, bool]:
    """Returns a person's instructions, where the corpus has it, and whether it is all."""
    # Looked for as text first: few corpora have them, and the attributes of all would be decoded.
    if attributes is None or '"instructions"' not in attributes:
        return None, attributes is None
    found = msgspec.json.decode(attributes)
    text = found.get("instructions") if isinstance(found, dict) else None
    if not isinstance(text, str):
        return None, False
    return text, len(found) == 1


def _take_view(dialogue: SeenDialogue, speaker: Speaker, shown: Sequence[_Shown]) -> None:
    """Keeps of a dialogue what one speaker sees of what was shown, and knew beforehand.

    Before, ``system`` has the instructions for either speaker.
    """
    # A display without a viewer is one that all see.
    seen = [row for row in shown if row.viewer in (None, speaker.speaker)]
    dialogue.pictures = [
        ShownPicture(row.object_id, row.uri, row.event, row.segment, row.highlighted)
        for row in seen
        if row.uri is not None
    ]
    dialogue.unseen = len(shown) - len(seen)
    dialogue.without_picture = len(seen) - len(dialogue.pictures)
    own = [s for s in seen if s.kind == "persona" and s.viewer == speaker.speaker and s.title]
    dialogue.personas = [each.object_id for each in own]
    instructions = dialogue.system
    # They say what the user wants, which the assistant is to find out by talking.
    texts = [instructions] if instructions and speaker.role == "user" else []
    dialogue.is_complete = dialogue.is_complete and (instructions is None or bool(texts))
    # MPChat shows a persona at the start, and again where it is a candidate; it is written once.
    texts += list(dict.fromkeys(f"- {each.title}" for each in own))
    dialogue.system = "\n".join(texts) or None


def has_words(dialogue: SeenDialogue) -> bool:
    """Tells whether anything is said in a dialogue, be it by others."""
    return any(event.text for event in dialogue.events)
