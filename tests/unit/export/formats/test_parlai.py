"""Conversations as ParlAI's teacher reads them: pairs of turns, the second to be learned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commonground.export.dialogue_rows import DialogueRows
from commonground.export.formats.parlai import SILENCE, make_line
from commonground.export.run import Report
from commonground.store.opening import Store

from ..conftest import CORPORA

Exporting = Callable[..., tuple[Path, Report]]


def read_lines(folder: Path) -> Iterator[dict[str, Any]]:
    """Reads as ParlAI does, which splits at every line break that Unicode has."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def turns_of(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn for pair in line["dialog"] for turn in pair]


def make_dialogue(*said: tuple[str, str]) -> DialogueRows:
    roles = {"user": "user", "wizard": "assistant"}
    return DialogueRows(
        dialogue_id="d",
        row={},
        speakers=[{"speaker": name, "role": role} for name, role in roles.items()],
        events=[
            {"event": number, "kind": "utterance", "speaker": name, "text": text}
            for number, (name, text) in enumerate(said)
        ],
        annotations={1: {"acts": [{"act": "greet"}]}},
    )


def test_what_is_said_in_a_row_is_one_turn() -> None:
    dialogue = make_dialogue(("user", "hi"), ("wizard", "hello"), ("wizard", "where to?"))
    line = make_line(dialogue, merge=True)
    assert [[turn["text"] for turn in pair] for pair in line["dialog"]] == [
        ["hi", "hello\nwhere to?"]
    ]
    second = line["dialog"][0][1]["events"]
    assert [event["text"] for event in second] == ["hello", "where to?"]
    assert second[0]["acts"] == [{"act": "greet"}]
    single = make_line(dialogue, merge=False)
    assert [[turn["text"] for turn in pair] for pair in single["dialog"]] == [
        ["hi", "hello"],
        ["where to?"],
    ]


def test_the_assistant_is_always_second() -> None:
    line = make_line(make_dialogue(("wizard", "hello"), ("user", "hi")), merge=True)
    assert [(turn["id"], turn["text"]) for turn in turns_of(line)] == [
        ("user", SILENCE),
        ("wizard", "hello"),
        ("user", "hi"),
    ]


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_text_is_there(corpus: str, store: Store, export: Exporting) -> None:
    out, report = export("parlai", corpus)
    lines = {line["dialogue_id"]: line for line in read_lines(out / corpus)}
    for dialogue in store.corpus(corpus).dialogues():
        texts = [each.text for each in dialogue.utterances()]
        if not texts:
            assert dialogue.dialogue_id not in lines
            continue
        turns = turns_of(lines[dialogue.dialogue_id])
        assert "\n".join(t["text"] for t in turns if t["events"]) == "\n".join(texts)
        numbers = [event["event"] for turn in turns for event in turn["events"]]
        said = [n for n, event in enumerate(dialogue.events) if event.kind == "utterance"]
        assert numbers == said
    assert {each.name for each in report.lost if each.kind == "table"} <= {
        "candidates",
        "entries",
        "native",
        "findings",
    }


@pytest.mark.parametrize("corpus", ["frames", "simmc", "taskmaster3", "taskmaster4"])
def test_the_teacher_learns_the_assistant(corpus: str, store: Store, export: Exporting) -> None:
    out, _ = export("parlai", corpus)
    roles = store.corpus(corpus).table("speakers").to_pylist()
    helpers = {(row["dialogue_id"], row["speaker"]) for row in roles if row["role"] == "assistant"}
    for line in read_lines(out / corpus):
        learned = {(line["dialogue_id"], turn["id"]) for turn in turns_of(line)[1::2]}
        assert learned <= helpers


def test_dialogues_of_several_speakers_are_counted(store: Store, export: Exporting) -> None:
    _, report = export("parlai", "mpchat")
    said_by = [{u.speaker for u in d.utterances()} for d in store.corpus("mpchat").dialogues()]
    found = {each.name: each.count for each in report.lost}
    several = sum(len(names) > 2 for names in said_by)
    assert found.get("dialogues of more than two speakers", 0) == several


def test_the_metadata_is_what_parlai_reads(store: Store, export: Exporting) -> None:
    out, _ = export("parlai", "frames")
    for path in (out / "frames").glob("*.jsonl"):
        metadata = json.loads(path.with_suffix(".metadata").read_bytes())
        assert {"date", "opt", "self_chat", "speakers", "version"} <= metadata.keys()
        assert sorted(metadata["speakers"]) == ["user", "wizard"]
        assert "research" in metadata["licence"]
    objects = json.loads((out / "frames" / "objects.json").read_bytes())
    assert len(objects) == store.corpus("frames").table("objects").num_rows


def test_annotations_stand_beside_the_text(store: Store, export: Exporting) -> None:
    out, _ = export("parlai", "frames")
    events = [e for line in read_lines(out / "frames") for t in turns_of(line) for e in t["events"]]
    count = sum(len(event.get("states", [])) for event in events)
    assert count == store.corpus("frames").table("states").num_rows
