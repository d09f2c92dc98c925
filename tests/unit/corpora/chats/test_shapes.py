"""Files for training and ConvoKit's utterances are known by what is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import commonground as cg
from commonground.corpora import get_corpus
from commonground.files.roundtrip import roundtrip_document
from commonground.store.identify import identify_documents

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "find", "arguments": '{"cup": "blue"}'},
}
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/cup.png"}}
OPENAI: list[dict[str, Any]] = [
    {
        "messages": [
            {"role": "system", "content": "You sell cups."},
            {"role": "user", "content": [{"type": "text", "text": "Like this?"}, PICTURE]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"found": 2}'},
            {"role": "assistant", "content": "Two of them."},
        ],
        "tools": [],
        "source": "shop",
    },
    {"id": 7, "split": "test", "messages": [{"role": "user", "name": "ann", "content": "hi"}]},
]
SHAREGPT = [
    {
        "id": "s1",
        "conversations": [
            {"from": "system", "value": "Be brief."},
            {"from": "human", "value": "hi"},
            {"from": "gpt", "value": "hello", "weight": 1},
        ],
    }
]
CONVOKIT: list[dict[str, Any]] = [
    {
        "id": f"u{n}",
        "conversation_id": "u0",
        "speaker": speaker,
        "text": text,
        "reply_to": reply,
        "timestamp": at,
        "meta": {"score": n},
        "vectors": [],
    }
    for n, (speaker, text, reply, at) in enumerate(
        [("ann", "who is there?", None, 1_767_607_200), ("ben", "me", "u0", 1_767_607_205)]
    )
]


def take(tmp_path: Path, rows: list[Any], name: str = "train.jsonl") -> cg.Corpus:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in rows]
    (tmp_path / name).write_text("\n".join(lines))
    return cg.import_files("chats", tmp_path / name, store=tmp_path / "store")


def test_openai_messages_are_a_dialogue_a_line(tmp_path: Path) -> None:
    first, second = take(tmp_path, OPENAI).dialogues()
    assert (first.dialogue_id, second.dialogue_id, second.split) == ("train-1", "7", "test")
    assert first.attributes == {"system": "You sell cups.", "source": "shop", "tools": []}
    said, done, told = first.events
    assert (said.speaker, said.text) == ("user", "Like this?")
    assert (done.name, done.arguments, done.result) == ("find", {"cup": "blue"}, {"found": 2})
    assert told.text == "Two of them."
    assert first.roles == {"user": "user", "assistant": "assistant"}
    assert [(each.event, each.object_id) for each in first.displays] == [
        (0, "https://example.org/cup.png")
    ]
    assert second.roles == {"ann": "user"}


def test_sharegpt_is_a_dialogue_a_line(tmp_path: Path) -> None:
    (dialogue,) = take(tmp_path, SHAREGPT).dialogues()
    assert dialogue.dialogue_id == "s1"
    assert dialogue.attributes == {"system": "Be brief."}
    assert [(each.speaker, each.text) for each in dialogue.events] == [
        ("human", "hi"),
        ("gpt", "hello"),
    ]
    assert dialogue.roles == {"human": "user", "gpt": "assistant"}
    assert dialogue.events[1].details == {"weight": 1}


def test_an_instruction_that_nothing_follows_is_all_there_is(tmp_path: Path) -> None:
    (dialogue,) = take(tmp_path, [{"messages": OPENAI[0]["messages"][:1]}]).dialogues()
    assert [(each.speaker, each.text) for each in dialogue.events] == [("system", "You sell cups.")]
    assert dialogue.attributes is None


def test_somebody_called_system_is_heard_among_rows(tmp_path: Path) -> None:
    rows = [dict(CONVOKIT[0], speaker="system"), CONVOKIT[1]]
    (dialogue,) = take(tmp_path, rows, "utterances.jsonl").dialogues()
    assert [each.speaker for each in dialogue.events] == ["system", "ben"]


def test_utterances_of_convokit_are_rows(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for name in ("speakers.json", "conversations.json", "index.json"):
        (tmp_path / "corpus" / name).write_text("{}")
    (dialogue,) = take(tmp_path, CONVOKIT, "corpus/utterances.jsonl").dialogues()
    assert dialogue.dialogue_id == "u0"
    assert [each.at_s for each in dialogue.events] == [0.0, 5.0]
    assert dialogue.events[1].native_id == "u1"
    assert dialogue.events[1].details == {"reply_to": "u0", "meta": {"score": 1}, "vectors": []}
    corpus = cg.import_files("chats", tmp_path / "corpus", store=tmp_path / "other")
    assert len(corpus) == 1


def test_a_bad_line_costs_one_dialogue(tmp_path: Path) -> None:
    bad = [{"messages": [{"content": "who?"}]}, {"messages": []}, "{", PICTURE]
    corpus = take(tmp_path, [OPENAI[1], *bad, OPENAI[0]])
    assert sorted(corpus.ids()) == ["7", "train-6"]
    places = corpus.rows("select code, source_path from findings order by source_path")
    assert places == [("CG-TABLE-001", f"line {number}") for number in (2, 3, 4, 5)]


@pytest.mark.parametrize("rows", [OPENAI, SHAREGPT, CONVOKIT])
def test_lines_come_back(tmp_path: Path, rows: list[Any]) -> None:
    take(tmp_path, rows)
    ((document, fmt),) = identify_documents(get_corpus("chats"), [tmp_path / "train.jsonl"]).known
    assert roundtrip_document(document, fmt).difference is None
    cg.export("native", tmp_path / "out", corpus="chats", store=tmp_path / "store")
    lines = (tmp_path / "out" / "chats" / "train.jsonl").read_text().splitlines()
    assert [json.loads(each) for each in lines] == rows
