"""A folder per corpus that ConvoKit loads as a ``Corpus``."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from commonground.exports.dialogue_rows import (
    ANNOTATIONS,
    DialogueRows,
    Row,
    annotate_events,
    attach_actions,
    read_dialogues,
    read_objects,
)
from commonground.exports.files import ascii_json
from commonground.exports.format import Export, Option
from commonground.exports.loss import Carried, Feature, Loss, carry_all
from commonground.exports.selection import Selection
from commonground.schema import quote_sql

_SILENT = "dialogues without utterances"
_FEATURES = {
    _SILENT: Feature(
        "A ConvoKit conversation must have utterances; `--actions utterances` keeps them "
        "where there is an action.",
        rows_of=("dialogues",),
    )
}

Clock = tuple[str, str]
"""What the timestamps of a corpus are, and that in words."""

_EPOCH: Clock = ("epoch", "seconds since 1970, UTC where that is known")
_SECONDS: Clock = ("seconds", "seconds since the dialogue began")
_EVENTS: Clock = ("events", "number of the event: the corpus has no times")

_encode = msgspec.json.Encoder().encode


def write(selection: Selection, out: Path, *, actions: str) -> Loss:
    """Writes ``CORPUS/utterances.jsonl`` and the other files of a ConvoKit corpus."""
    loss = Loss(_FEATURES)
    for corpus in selection.corpora:
        folder = out / corpus
        folder.mkdir()
        clock = find_clock(selection, corpus)
        writer = _Writer(clock, as_utterances=actions == "utterances")
        with (folder / "utterances.jsonl").open("wb") as file:
            for dialogue in read_dialogues(selection, corpus, ANNOTATIONS):
                lines = list(writer.utterances(dialogue))
                file.writelines(ascii_json(line) + b"\n" for line in lines)
                if not lines:
                    loss.leave_out(_SILENT, corpus, dialogue.dialogue_id)
        meta = _corpus_meta(selection, corpus, clock)
        _add_types(writer.indices["overall-index"], meta)
        _write(folder / "speakers.json", writer.speakers)
        _write(folder / "conversations.json", writer.conversations)
        _write(folder / "corpus.json", meta)
        _write(folder / "index.json", {**writer.indices, "version": 1, "vectors": []})
    return loss


def find_clock(selection: Selection, corpus: str) -> Clock:
    """Says what timestamps can be: ConvoKit sorts by them, so that one kind must fit all."""
    query = (
        "SELECT count(*) - count(at_s), count(*) - count(started_at) "
        f"FROM {selection.source('events')} JOIN dialogues USING (corpus, dialogue_id) "
        f"WHERE corpus = {quote_sql(corpus)}"
    )
    without_time, without_start = selection.rows(query)[0]
    # A single event without a time, and timestamps of that kind could not be sorted.
    if without_time:
        return _EVENTS
    return _SECONDS if without_start else _EPOCH


class _Writer:
    """Makes utterances, and gathers speakers, conversations and the index on the way."""

    def __init__(self, clock: Clock, *, as_utterances: bool) -> None:
        self._clock = clock[0]
        self._as_utterances = as_utterances
        self.speakers: dict[str, Row] = {}
        self.conversations: dict[str, Row] = {}
        self.indices: dict[str, dict[str, list[str]]] = {
            f"{name}-index": {} for name in ("utterances", "speakers", "conversations", "overall")
        }

    def utterances(self, dialogue: DialogueRows) -> Iterator[bytes]:
        """Yields the lines of a dialogue; none where there is nothing to be one."""
        spoken, before = attach_actions(dialogue)
        if self._as_utterances:
            # An action is an utterance of its own then, and none is left to be attached.
            spoken, before = annotate_events(dialogue), []
        if not spoken:
            return
        # ConvoKit names a conversation after its first utterance.
        first = f"{dialogue.dialogue_id}-{spoken[0]['event']}"
        self._add_conversation(dialogue, first, before)
        ids = self._add_speakers(dialogue)
        started = dialogue.row.get("started_at")
        reply_to = None
        for event in spoken:
            key = f"{dialogue.dialogue_id}-{event['event']}"
            # Taken out, since what remains of the event is the meta. Its `speaker` stays: there it
            # is the released label, here ConvoKit's id.
            text = event.pop("text", "")
            line = {
                "id": key,
                "conversation_id": first,
                "text": text,
                "speaker": ids[event["speaker"]],
                "meta": event,
                "reply-to": reply_to,
                "timestamp": self._time(event, started),
                "vectors": [],
            }
            _add_types(self.indices["utterances-index"], event)
            yield _encode(line)
            reply_to = key

    def _time(self, event: Row, started: datetime | None) -> float:
        if self._clock == "events":
            return float(event["event"])
        # The store keeps times without a zone; read so, they do not depend on this machine's.
        since = started.replace(tzinfo=UTC).timestamp() if started and self._clock == "epoch" else 0
        return since + float(event["at_s"])

    def _add_conversation(self, dialogue: DialogueRows, key: str, before: list[Row]) -> None:
        """Adds what is known of a dialogue, with the rows that belong to no event."""
        meta = {"dialogue_id": dialogue.dialogue_id, **dialogue.row, "speakers": dialogue.speakers}
        meta |= dialogue.annotated_at(None)
        if before:
            meta["actions_before"] = before
        # A datetime is no JSON, and `index.json` must name the type that ConvoKit will read: text.
        if "started_at" in meta:
            meta["started_at"] = meta["started_at"].isoformat()
        _add_types(self.indices["conversations-index"], meta)
        self.conversations[key] = {"meta": meta, "vectors": []}

    def _add_speakers(self, dialogue: DialogueRows) -> dict[str, str]:
        """Returns ConvoKit's speakers by label: agents where they are known across dialogues."""
        ids = {}
        for row in dialogue.speakers:
            agent = row.get("agent_id")
            key = agent if agent is not None else f"{dialogue.dialogue_id}/{row['speaker']}"
            ids[row["speaker"]] = key
            meta = self.speakers.setdefault(key, {"meta": {"roles": []}, "vectors": []})["meta"]
            if row["role"] not in meta["roles"]:
                meta["roles"].append(row["role"])
            if agent is not None:
                meta["agent_id"] = agent
            _add_types(self.indices["speakers-index"], meta)
        return ids


def _corpus_meta(selection: Selection, corpus: str, clock: Clock) -> Row:
    manifest = selection.manifests[corpus]
    return {
        "name": corpus,
        "title": manifest.title,
        "homepage": manifest.homepage,
        "licence": manifest.licence,
        "terms": manifest.terms,
        "citation": manifest.citation.strip(),
        "timestamps": clock[1],
        "objects": dict(read_objects(selection, corpus)),
    }


def _add_types(index: dict[str, list[str]], meta: Row) -> None:
    """Notes the Python types that values have when they are read."""
    for name, value in meta.items():
        if isinstance(value, msgspec.Raw):
            value = msgspec.json.decode(value)
        # ConvoKit writes types down as Python shows them: ``<class 'str'>``.
        kind = str(type(value))
        if kind not in index.setdefault(name, []):
            index[name].append(kind)


def _write(path: Path, value: Any) -> None:
    path.write_bytes(ascii_json(_encode(value)))


_CARRIED = Carried(
    columns=carry_all("dialogues", "speakers", "events", "objects", *ANNOTATIONS),
    why={
        "candidates": "ConvoKit has no ranking tasks; hf and parquet carry them.",
        "native": "ConvoKit has no place for released records; native writes them.",
        "entries": "Split lists and the like belong to no dialogue; csv and parquet carry them.",
        "findings": "Findings are not part of a conversation; csv and parquet carry them.",
    },
)

EXPORT = Export(
    name="convokit",
    title="A ConvoKit corpus, a folder per corpus",
    summary='`convokit.Corpus(filename="OUT/photobook")` loads it (ConvoKit 5). Each '
    "utterance replies to the one before; `conversation_id` is the id of the first, and the meta "
    "of a conversation has `dialogue_id`. Annotations are in the meta of their utterance, "
    "objects in the meta of the corpus. Actions are in the meta of the utterance before them "
    "(`actions`), or of the conversation (`actions_before`), because utterances without words "
    "would distort every count of words and turns. A speaker is an agent where the corpus knows "
    "them across dialogues, else `DIALOGUE/LABEL`; the label is in the meta. Timestamps are those "
    "of the events, or the events' numbers: `corpus.meta['timestamps']` says which.",
    carries=_CARRIED,
    write=write,
    features=_FEATURES,
    options=(
        Option(
            name="actions",
            help="Actions in the meta of the preceding utterance, or as utterances without text.",
            default="meta",
            choices=("meta", "utterances"),
        ),
    ),
    example="convokit OUT --corpus photobook",
)
