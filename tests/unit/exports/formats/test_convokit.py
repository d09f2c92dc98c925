"""The ConvoKit folder: as files, and loaded by the real library where it is installed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground.exports.formats.convokit import find_clock
from commonground.exports.run import Report
from commonground.exports.selection import Selection
from commonground.store.opening import Store

from ..conftest import CORPORA

Exporting = Callable[..., tuple[Path, Report]]

LOAD = """
import json, sys
from convokit import Corpus
corpus = Corpus(filename=sys.argv[1])
found = {
    "conversations": {
        each.meta["dialogue_id"]: [[u.id, u.text] for u in each.get_chronological_utterance_list()]
        for each in corpus.iter_conversations()
    },
    "whole": all(each.check_integrity(verbose=False) for each in corpus.iter_conversations()),
    "speakers": sorted(each.id for each in corpus.iter_speakers()),
    "first": [each.id for each in corpus.iter_conversations()],
    "objects": len(corpus.meta["objects"]),
    "frame": list(corpus.get_utterances_dataframe().shape),
}
print(json.dumps(found))
"""


def read_lines(out: Path, corpus: str) -> list[dict[str, Any]]:
    lines = (out / corpus / "utterances.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def load(folder: Path) -> dict[str, Any]:
    other = os.environ.get("COMMONGROUND_CONVOKIT")
    if not other:
        pytest.skip("COMMONGROUND_CONVOKIT names no Python with ConvoKit")
    command = [other, "-c", LOAD, str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("corpus", CORPORA)
def test_convokit_loads_it(corpus: str, store: Store, export: Exporting) -> None:
    out, _ = export("convokit", corpus)
    found = load(out / corpus)
    dialogues = list(store.corpus(corpus).dialogues())
    texts = {d.dialogue_id: [u.text for u in d.utterances()] for d in dialogues}
    read = {key: [text for _, text in each] for key, each in found["conversations"].items()}
    assert read == {key: each for key, each in texts.items() if each}
    assert found["whole"]
    assert found["first"] == [each[0][0] for each in found["conversations"].values()]
    assert found["objects"] == store.corpus(corpus).table("objects").num_rows
    assert found["frame"][0] == sum(map(len, texts.values()))


def test_actions_stand_beside_the_utterance_before(store: Store, export: Exporting) -> None:
    out, _ = export("convokit", "photobook")
    for dialogue in store.corpus("photobook").dialogues():
        lines = [x for x in read_lines(out, "photobook") if dialogue.dialogue_id == key_of(x)]
        for line in lines:
            for action in line["meta"].get("actions", []):
                event = dialogue.events[action["event"]]
                assert action["name"] == event.name
                between = dialogue.events[line["meta"]["event"] + 1 : action["event"]]
                assert all(each.kind == "action" for each in between)
        meta = conversations(out, "photobook")[lines[0]["id"]]["meta"]
        kept = [a for x in (meta, *(x["meta"] for x in lines)) for a in listed(x)]
        assert len(kept) == len(list(dialogue.actions()))


def key_of(line: dict[str, Any]) -> str:
    return str(line["conversation_id"].rsplit("-", 1)[0])


def listed(meta: dict[str, Any]) -> list[dict[str, Any]]:
    return [*meta.get("actions_before", []), *meta.get("actions", [])]


def conversations(out: Path, corpus: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / corpus / "conversations.json").read_bytes())
    return found


def test_actions_as_utterances(store: Store, export: Exporting) -> None:
    out, report = export("convokit", "photobook", actions="utterances")
    lines = read_lines(out, "photobook")
    assert len(lines) == store.corpus("photobook").table("events").num_rows
    selection = next(x for x in lines if x["meta"].get("name") == "selection")
    assert selection["text"] == ""
    assert selection["meta"]["groundings"]
    assert {each.name for each in report.lost} <= {"entries", "native", "findings"}


def test_annotations_stand_in_the_meta(store: Store, export: Exporting) -> None:
    out, report = export("convokit", "frames")
    lines = read_lines(out, "frames")
    for table in ("acts", "states"):
        count = sum(len(x["meta"].get(table, [])) for x in lines)
        assert count == store.corpus("frames").table(table).num_rows
    assert {each.name for each in report.lost} <= {"entries", "native", "findings"}


def test_a_speaker_is_an_agent_where_one_is_known(store: Store, export: Exporting) -> None:
    out, _ = export("convokit", "frames", "taskmaster4")
    speakers = json.loads((out / "frames" / "speakers.json").read_bytes())
    agents = set(store.corpus("frames").table("speakers")["agent_id"].to_pylist())
    assert set(speakers) == agents
    others = json.loads((out / "taskmaster4" / "speakers.json").read_bytes())
    assert f"{store.corpus('taskmaster4').ids()[0]}/user" in others


def test_silent_dialogues_are_counted(store: Store, export: Exporting) -> None:
    rows = store.corpus("simmc").table("dialogues").to_pylist()
    silent = sum(row["n_utterances"] == 0 for row in rows)
    _, report = export("convokit", "simmc")
    found = {each.name: each.count for each in report.lost}
    assert found.get("dialogues without utterances", 0) == silent


@pytest.mark.parametrize(
    ("corpus", "kind"), [("frames", "epoch"), ("photobook", "epoch"), ("taskmaster4", "events")]
)
def test_timestamps_are_of_one_kind(
    corpus: str, kind: str, store: Store, export: Exporting
) -> None:
    assert find_clock(Selection(store, [corpus]), corpus)[0] == kind
    out, _ = export("convokit", corpus)
    by_dialogue: dict[str, list[float]] = {}
    for line in read_lines(out, corpus):
        by_dialogue.setdefault(line["conversation_id"], []).append(line["timestamp"])
    assert all(times == sorted(times) for times in by_dialogue.values())
    first = next(iter(by_dialogue.values()))[0]
    assert (first > 10**9) == (kind == "epoch")
