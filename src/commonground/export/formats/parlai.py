"""Conversations JSONL, which ParlAI's conversation teacher reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.export.dialogue_rows import (
    ANNOTATIONS,
    DialogueRows,
    Row,
    attach_actions,
    read_dialogues,
    read_objects,
)
from commonground.export.files import SplitFiles, ascii_json, name_split
from commonground.export.format import Export, Option
from commonground.export.loss import Carried, Feature, Loss, carry_all
from commonground.export.selection import Selection

SILENCE = "__SILENCE__"
"""What ParlAI writes for a turn in which nothing is said."""

_SILENT = "dialogues without utterances"
_SEVERAL = "dialogues of more than two speakers"
_FEATURES = {
    _SILENT: Feature("They hold nothing to learn from.", rows_of=("dialogues",)),
    _SEVERAL: Feature(
        "They are written whole, but ParlAI's teacher gives every other turn to one speaker."
    ),
}

_encode = msgspec.json.Encoder().encode


def write(selection: Selection, out: Path, *, turns: str) -> Loss:
    """Writes ``CORPUS/SPLIT.jsonl``, ``CORPUS/SPLIT.metadata`` and ``CORPUS/objects.json``.

    Args:
        selection: the dialogues.
        out: a new, empty folder.
        turns: ``merged`` or ``single``: whether what a speaker says in a row is one turn.
    """
    loss = Loss(_FEATURES)
    for corpus in selection.corpora:
        folder = out / corpus
        folder.mkdir()
        speakers: dict[str, dict[str, None]] = {}
        with SplitFiles(folder) as files:
            for dialogue in read_dialogues(selection, corpus, ANNOTATIONS):
                line = make_line(dialogue, merge=turns == "merged")
                said_by = [turn["id"] for pair in line["dialog"] for turn in pair]
                place = f"{corpus}/{dialogue.dialogue_id}"
                loss.add(_SEVERAL, place, len(set(said_by)) > 2)  # true counts as 1
                if not said_by:
                    loss.leave_out(_SILENT, corpus, dialogue.dialogue_id)
                    continue
                name = name_split(dialogue.row.get("split"))
                text = _encode({**line, "metadata_path": f"{name}.metadata"})
                files.write_line(f"{name}.jsonl", ascii_json(text))
                speakers.setdefault(name, {}).update(dict.fromkeys(said_by))
        for name, of_split in speakers.items():
            metadata = _encode(_metadata(selection, corpus, name, list(of_split)))
            (folder / f"{name}.metadata").write_bytes(ascii_json(metadata))
        objects = _encode(dict(read_objects(selection, corpus)))
        (folder / "objects.json").write_bytes(ascii_json(objects))
    return loss


def make_line(dialogue: DialogueRows, *, merge: bool) -> Row:
    """Returns a dialogue as ParlAI has it: turns in pairs, annotations beside the text.

    Args:
        dialogue: the dialogue.
        merge: make one turn of what a speaker says in a row.
    """
    spoken, before = attach_actions(dialogue)
    turns = list(_merge_turns(spoken)) if merge else [_make_turn([event]) for event in spoken]
    turns = _begin_with_user(dialogue, turns)
    line: Row = {
        # The last pair of an odd number of turns has one turn only.
        "dialog": [turns[start : start + 2] for start in range(0, len(turns), 2)],
        "context": [],
        "dialogue_id": dialogue.dialogue_id,
        **dialogue.row,
        "speakers": dialogue.speakers,
        **dialogue.annotated_at(None),
    }
    if before:
        line["actions_before"] = before
    return line


def _merge_turns(spoken: list[Row]) -> Iterator[Row]:
    # Not sorted before: only what stands in a row becomes one turn.
    for _speaker, events in groupby(spoken, lambda event: event["speaker"]):
        yield _make_turn(list(events))


def _make_turn(events: list[Row]) -> Row:
    """Makes a turn of utterances; their own texts are kept where there are several."""
    texts = [event["text"] for event in events]
    if len(events) == 1:
        events = [{name: value for name, value in events[0].items() if name != "text"}]
    return {"id": events[0]["speaker"], "text": "\n".join(texts), "events": events}


def _begin_with_user(dialogue: DialogueRows, turns: list[Row]) -> list[Row]:
    """Puts a silent turn of the user first where the assistant begins.

    The teacher learns the second, fourth, ... turn, which then is the assistant's everywhere.
    """
    roles = {row["role"]: row["speaker"] for row in dialogue.speakers}
    if not turns or "user" not in roles or turns[0]["id"] != roles.get("assistant"):
        return turns
    return [{"id": roles["user"], "text": SILENCE, "events": []}, *turns]


def _metadata(selection: Selection, corpus: str, split: str, speakers: list[str]) -> dict[str, Any]:
    """Returns what ParlAI wants to know of a file, and what a user must know of the data.

    ``Metadata`` in ``parlai/utils/conversations.py`` demands the first five; others are kept.
    """
    manifest = selection.manifests[corpus]
    return {
        "date": str(selection.store.manifests[corpus].imported_at),
        "opt": {"task": f"commonground:{corpus}", "datatype": split},
        "self_chat": False,
        "speakers": speakers,
        "version": "0.1",
        "commonground": __version__,
        "title": manifest.title,
        "homepage": manifest.homepage,
        "licence": manifest.licence,
        "terms": manifest.terms,
        "citation": manifest.citation.strip(),
    }


_CARRIED = Carried(
    columns=carry_all("dialogues", "speakers", "events", "objects", *ANNOTATIONS),
    why={
        "candidates": "Conversations have no candidates; hf and parquet carry them.",
        "native": "ParlAI reads no released records; native writes them.",
        "entries": "Split lists and the like are of no dialogue; csv and parquet carry them.",
        "findings": "Findings are not part of a conversation; csv and parquet carry them.",
    },
)

EXPORT = Export(
    name="parlai",
    title="ParlAI conversations, as JSON lines",
    summary="A folder per corpus with `SPLIT.jsonl` and `SPLIT.metadata`, which ParlAI reads with "
    "`--task jsonfile --jsonfile-datapath OUT/frames/fold-1.jsonl`. The teacher takes turns "
    "by turns: what a speaker says in a row is one turn, its lines joined by a line break, and a "
    "dialogue that the assistant begins gets a silent turn of the user first (`__SILENCE__`), so "
    "that `--label-turns secondspeaker`, the default, learns the assistant. Beside the text of a "
    "turn stand its `events` with annotations and the actions after them; licence and terms "
    "stand in the metadata, objects by id in `objects.json`.",
    carries=_CARRIED,
    write=write,
    features=_FEATURES,
    options=(
        Option(
            name="turns",
            help="What a speaker says in a row as one turn, or each utterance as a turn.",
            default="merged",
            choices=("merged", "single"),
        ),
    ),
    example="parlai OUT --corpus frames",
)
