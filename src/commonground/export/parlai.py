"""Conversations JSONL, which ParlAI's conversation teacher reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from commonground import __version__
from commonground.export.base import Export, Option, Options
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.export.wholes import (
    LAYERS,
    Row,
    Whole,
    ascii_json,
    attach_actions,
    read_objects,
    read_wholes,
)

UNSPLIT = "unsplit"
"""Base name of the files of dialogues in no split."""

SILENCE = "__SILENCE__"
"""What ParlAI writes for a turn in which nothing is said."""

_SILENT = "dialogues without utterances"
_SEVERAL = "dialogues of more than two speakers"
_FEATURES = {
    _SILENT: "There is nothing to learn from in them.",
    _SEVERAL: "They are written whole, but the teacher takes every other turn for one speaker's.",
}

_encode = msgspec.json.Encoder().encode


def write(selection: Selection, out: Path, options: Options) -> Loss:
    """Writes ``CORPUS/SPLIT.jsonl``, ``CORPUS/SPLIT.metadata`` and ``CORPUS/objects.json``."""
    loss = Loss()
    done = 0
    for corpus in selection.corpora:
        with _Files(out / corpus) as files:
            for whole in read_wholes(selection, corpus, LAYERS):
                line = make_line(whole, merge=options["turns"] == "merged")
                if line["dialog"]:
                    files.write(whole.row.get("split"), line)
                _count(loss, corpus, whole.dialogue_id, line)
                done += 1
                selection.report(done, len(selection))
        for split, speakers in files.speakers.items():
            metadata = _encode(_metadata(selection, corpus, split, list(speakers)))
            (out / corpus / f"{split}.metadata").write_bytes(ascii_json(metadata))
        objects = _encode(dict(read_objects(selection, corpus)))
        (out / corpus / "objects.json").write_bytes(ascii_json(objects))
    return loss


def _count(loss: Loss, corpus: str, dialogue_id: str, line: Row) -> None:
    if not line["dialog"]:
        loss.leave_out(_SILENT, corpus, dialogue_id, _FEATURES[_SILENT])
    said_by = {turn["id"] for pair in line["dialog"] for turn in pair}
    if len(said_by) > 2:
        loss.add(_SEVERAL, f"{corpus}/{dialogue_id}", _FEATURES[_SEVERAL])


def make_line(whole: Whole, *, merge: bool) -> Row:
    """Returns a dialogue as ParlAI has it: turns in pairs, annotations beside the text.

    Args:
        whole: the dialogue.
        merge: make one turn of what a speaker says in a row.
    """
    spoken, before = attach_actions(whole)
    turns = list(_merge_turns(spoken)) if merge else [_make_turn([event]) for event in spoken]
    turns = _begin_with_user(whole, turns)
    line: Row = {
        "dialog": [turns[start : start + 2] for start in range(0, len(turns), 2)],
        "context": [],
        "dialogue_id": whole.dialogue_id,
        **whole.row,
        "speakers": whole.speakers,
        **whole.layer(None),
    }
    if before:
        line["actions_before"] = before
    return line


def _merge_turns(spoken: list[Row]) -> Iterator[Row]:
    for _speaker, events in groupby(spoken, lambda event: event["speaker"]):
        yield _make_turn(list(events))


def _make_turn(events: list[Row]) -> Row:
    """Makes a turn of utterances; their own texts are kept where there are several."""
    texts = [event["text"] for event in events]
    if len(events) == 1:
        events = [{name: value for name, value in events[0].items() if name != "text"}]
    return {"id": events[0]["speaker"], "text": "\n".join(texts), "events": events}


def _begin_with_user(whole: Whole, turns: list[Row]) -> list[Row]:
    """Puts a silent turn of the user first where the assistant begins.

    The teacher learns the second, fourth, ... turn, which then is the assistant's everywhere.
    """
    roles = {row["role"]: row["speaker"] for row in whole.speakers}
    if not turns or "user" not in roles or turns[0]["id"] != roles.get("assistant"):
        return turns
    return [{"id": roles["user"], "text": SILENCE, "events": []}, *turns]


class _Files:
    """The files of a corpus, one per split, opened when first needed."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._stack = ExitStack()
        self._files: dict[str, BinaryIO] = {}
        self.speakers: dict[str, dict[str, None]] = {}

    def write(self, split: str | None, line: Row) -> None:
        """Writes a dialogue to the file of its split."""
        name = re.sub(r"[^\w.-]", "_", split) if split else UNSPLIT
        if name not in self._files:
            path = self._folder / f"{name}.jsonl"
            self._files[name] = self._stack.enter_context(path.open("wb"))
        text = _encode({**line, "metadata_path": f"{name}.metadata"})
        self._files[name].write(ascii_json(text) + b"\n")
        known = self.speakers.setdefault(name, {})
        known.update(dict.fromkeys(turn["id"] for pair in line["dialog"] for turn in pair))

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _metadata(selection: Selection, corpus: str, split: str, speakers: list[str]) -> dict[str, Any]:
    """Returns what ParlAI wants to know of a file, and what a user must know of the data."""
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


def carries(_options: Options) -> Carried:
    """Says that everything fits but what is no part of a conversation."""
    return Carried(
        columns=carry_all("dialogues", "speakers", "events", "objects", *LAYERS),
        why={
            "candidates": "Conversations have no candidates; hf and parquet carry them.",
            "native": "ParlAI reads no released records; native writes them.",
            "entries": "Split lists and the like are of no dialogue; csv and parquet carry them.",
            "findings": "Faults are no part of a conversation; csv and parquet carry them.",
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
    carries=carries,
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
