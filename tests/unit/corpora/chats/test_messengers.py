"""Exports of Slack, Discord and WhatsApp, and JSON files of messages or dialogues."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import commonground as cg
from commonground.corpora import get_corpus
from commonground.files.roundtrip import roundtrip_document
from commonground.store.identify import identify_documents

SLACK = [
    {
        "type": "message",
        "ts": "1767607200.000100",
        "user": "U1",
        "text": "Who has the blue cup?",
        "user_profile": {"display_name": "ann", "real_name": "Ann Example"},
        "thread_ts": "1767607200.000100",
    },
    {
        "type": "message",
        "ts": "1767607260.000200",
        "user": "U2",
        "text": "",
        "user_profile": {"display_name": "", "real_name": "Ben Example"},
        "thread_ts": "1767607200.000100",
        "files": [
            {"name": "cup.png", "url_private": "https://example.org/cup.png"},
            {"name": "list.pdf", "url_private": "https://example.org/list.pdf"},
        ],
    },
]
DISCORD = {
    "guild": {"id": "1", "name": "Cups"},
    "channel": {"id": "2", "name": "general"},
    "messages": [
        {
            "id": "10",
            "timestamp": "2026-01-05T10:00:00.000+00:00",
            "content": "hello",
            "author": {"id": "5", "name": "ann", "nickname": "Ann"},
            "attachments": [{"url": "https://example.org/a.JPG", "fileName": "a.JPG"}],
        },
        {
            "id": "11",
            "timestamp": "2026-01-05T10:00:09.000+00:00",
            "content": "hi",
            "author": {"id": "6", "name": "ben", "nickname": None},
            "reference": {"messageId": "10"},
        },
    ],
    "messageCount": 2,
}
TURNS = [{"role": "user", "content": "Red?"}, {"role": "assistant", "content": "Yes."}]


def take(folder: Path, name: str, text: str) -> cg.Corpus:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, newline="")
    corpus = cg.import_files("chats", path, store=folder / "store")
    ((document, fmt),) = identify_documents(get_corpus("chats"), [path]).known
    assert roundtrip_document(document, fmt).difference is None
    return corpus


def test_slack_is_a_dialogue_for_a_day_of_a_channel(tmp_path: Path) -> None:
    days = tmp_path / "export" / "general"
    days.mkdir(parents=True)
    (days / "2026-01-05.json").write_text(json.dumps(SLACK))
    (days.parent / "users.json").write_text('[{"id": "U1"}]')
    corpus = cg.import_files("chats", tmp_path / "export", store=tmp_path / "store")
    (dialogue,) = corpus.dialogues()
    assert dialogue.dialogue_id == "general-2026-01-05"
    assert [(each.speaker, each.text) for each in dialogue.events] == [
        ("ann", "Who has the blue cup?"),
        ("Ben Example", ""),
    ]
    assert dialogue.events[1].at_s == pytest.approx(60.0001)
    assert (dialogue.events[1].details or {})["reply_to"] == "1767607200.000100"
    shown = [(each.event, each.object_id) for each in dialogue.displays]
    assert shown == [(1, "https://example.org/cup.png")]
    assert corpus.rows("select count(*) from findings where severity = 'error'") == [(0,)]


def test_slack_names_people_in_a_file_beside(tmp_path: Path) -> None:
    days = tmp_path / "export" / "general"
    days.mkdir(parents=True)
    said = [
        {"type": "message", "user": "U1", "ts": "1767607200.0001", "text": "hello <@U2>"},
        {"type": "message", "user": "U2", "ts": "1767607201.0001", "text": "hi"},
        {"type": "message", "user": "U3", "ts": "1767607202.0001", "text": "who am I?"},
        {"type": "message", "username": "bot", "user": "U1", "ts": "1767607203.0", "text": "beep"},
    ]
    users = [
        {"id": "U1", "name": "ann", "profile": {"display_name": "Ann", "real_name": "Ann A."}},
        {"id": "U2", "name": "ben", "profile": {"display_name": "", "real_name": "Ben B."}},
        {"id": 7},
        "no user",
    ]
    (days / "2026-01-05.json").write_text(json.dumps(said))
    (days.parent / "users.json").write_text(json.dumps(users))
    corpus = cg.import_files("chats", days.parent, store=tmp_path / "store")
    (dialogue,) = corpus
    assert [each.speaker for each in dialogue.events] == ["Ann", "Ben B.", "U3", "bot"]
    assert [each.speaker for each in dialogue.speakers] == ["Ann", "Ben B.", "U3", "bot"]
    assert dialogue.events[0].text == "hello <@U2>"
    assert corpus.rows("select count(*) from findings") == [(0,)]
    # What was released stays as it was.
    cg.export("native", tmp_path / "again", corpus="chats", store=tmp_path / "store")
    again = tmp_path / "again" / "chats"
    assert {path.name: json.loads(path.read_text()) for path in again.rglob("*.json")} == {
        "2026-01-05.json": said,
        "users.json": users,
    }


def test_a_list_of_users_that_is_none_keeps_nothing_back(tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "users.json").write_text('{"U1": {"name": "of ConvoKit"}}')
    (tmp_path / "export" / "2026-01-05.json").write_text(json.dumps(SLACK))
    corpus = cg.import_files("chats", tmp_path / "export", store=tmp_path / "store")
    assert len(corpus) == 1
    assert corpus.rows("select count(*) from findings where source_file like '%users.json'") == [
        (0,)
    ]


def test_discord_is_a_dialogue_for_a_file(tmp_path: Path) -> None:
    (dialogue,) = take(tmp_path, "Cups - general [2].json", json.dumps(DISCORD)).dialogues()
    assert dialogue.dialogue_id == "Cups - general [2]"
    assert (dialogue.attributes or {})["channel"] == {"id": "2", "name": "general"}
    assert [(each.speaker, each.text, each.at_s) for each in dialogue.events] == [
        ("Ann", "hello", 0.0),
        ("ben", "hi", 9.0),
    ]
    assert dialogue.events[1].native_id == "11"
    assert (dialogue.events[1].details or {})["reply_to"] == "10"
    assert [each.object_id for each in dialogue.displays] == ["https://example.org/a.JPG"]


def test_discord_may_be_a_table(tmp_path: Path) -> None:
    table = 'AuthorID,Author,Date,Content\n5,ann,2026-01-05T10:00:00+00:00,hello\n6,ben,,"a\nb"\n'
    (dialogue,) = take(tmp_path, "general.csv", table).dialogues()
    assert dialogue.dialogue_id == "general"
    assert [(each.speaker, each.text) for each in dialogue.events] == [
        ("ann", "hello"),
        ("ben", "a\nb"),
    ]


IPHONE = (
    "\u200e[31.01.26, 23:59:05] Ann: first\r\nsecond line\r\n"
    "[01.02.26, 00:00:09] Ben Example: \u200e<attached: 1-PHOTO.jpg>\r\n"
    "[01.02.26, 00:01:00] Ann: Time: noon\r\n"
)
ANDROID = (
    "1/31/26, 9:05\u202fPM - Messages and calls are end-to-end encrypted.\n"
    "1/31/26, 9:06\u202fPM - Ann: hello\n\n"
    "2/1/26, 12:30\u202fAM - Ben: IMG-1.jpg (file attached)\n"
)


def test_whatsapp_of_an_iphone(tmp_path: Path) -> None:
    (dialogue,) = take(tmp_path, "_chat.txt", IPHONE).dialogues()
    assert dialogue.dialogue_id == "_chat"
    assert dialogue.started_at == datetime(2026, 1, 31, 23, 59, 5)
    assert [(each.speaker, each.text, each.at_s) for each in dialogue.events] == [
        ("Ann", "first\r\nsecond line", 0.0),
        ("Ben Example", "\u200e<attached: 1-PHOTO.jpg>", 64.0),
        ("Ann", "Time: noon", 115.0),
    ]
    assert [(each.event, each.object_id) for each in dialogue.displays] == [(1, "1-PHOTO.jpg")]


def test_whatsapp_of_android(tmp_path: Path) -> None:
    (dialogue,) = take(tmp_path, "WhatsApp Chat with Ann.txt", ANDROID).dialogues()
    assert dialogue.started_at == datetime(2026, 1, 31, 21, 5)
    assert [(each.speaker, each.text) for each in dialogue.events] == [
        ("WhatsApp", "Messages and calls are end-to-end encrypted."),
        ("Ann", "hello\n"),
        ("Ben", "IMG-1.jpg (file attached)"),
    ]
    assert [each.at_s for each in dialogue.events] == [0.0, 60.0, 12_300.0]


@pytest.mark.parametrize(
    ("dates", "began"),
    [
        (("01/02/2026, 10:00", "02/01/2026, 10:00"), datetime(2026, 1, 2, 10)),
        (("01/02/2026, 10:00", "02/02/2026, 10:00"), datetime(2026, 2, 1, 10)),
        (("2026-01-02, 10:00", "2026-01-03, 10:00"), datetime(2026, 1, 2, 10)),
        (("1/2/26, 9:00 AM", "1/2/26, 9:01 AM"), datetime(2026, 1, 2, 9)),
    ],
)
def test_the_order_of_day_and_month_is_found(
    tmp_path: Path, dates: tuple[str, str], began: datetime
) -> None:
    text = "".join(f"{date} - Ann: hi\n" for date in dates)
    (dialogue,) = take(tmp_path, "_chat.txt", text).dialogues()
    assert dialogue.started_at == began


def test_a_text_of_another_kind_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "_chat.txt").write_text("dear diary\n\ntoday\n")
    checked = cg.check("chats", tmp_path / "_chat.txt")
    assert [(each.code, each.source_path) for each in checked.findings] == [
        ("CG-TABLE-001", "line 1")
    ]


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (TURNS, ["talk"]),
        ({"messages": TURNS}, ["talk"]),
        ({"id": "a7", "messages": TURNS}, ["a7"]),
        ([{"messages": TURNS}, {"id": "b", "messages": TURNS}], ["b", "talk-1"]),
        ([{"chat": 1, **TURNS[0]}, {"chat": 2, **TURNS[1]}, {"chat": 1, **TURNS[1]}], ["1", "2"]),
    ],
)
def test_json_has_messages_or_dialogues(tmp_path: Path, value: Any, ids: list[str]) -> None:
    corpus = take(tmp_path, "talk.json", json.dumps(value, indent=1))
    assert sorted(corpus.ids()) == ids
    assert {each.text for each in next(iter(corpus.dialogues())).events} == {"Red?", "Yes."}
    cg.export("native", tmp_path / "out", corpus="chats", store=tmp_path / "store")
    assert json.loads((tmp_path / "out" / "chats" / "talk.json").read_text()) == value


def test_a_broken_item_costs_itself(tmp_path: Path) -> None:
    items = [json.dumps({"messages": TURNS}), '{"messages": [tru]}', "7", json.dumps({})]
    (tmp_path / "talk.json").write_text(f"[{', '.join([*items, items[0]])}]")
    corpus = cg.import_files("chats", tmp_path / "talk.json", store=tmp_path / "store")
    assert sorted(corpus.ids()) == ["talk-1", "talk-5"]
    places = corpus.rows("select code, source_path from findings order by source_path")
    assert places == [("CG-TABLE-001", f"item {number}") for number in (2, 3, 4)]


def test_an_object_that_is_no_dialogue_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text('{"colour": "red"}')
    checked = cg.check("chats", tmp_path / "talk.json")
    assert [(each.code, each.source_path) for each in checked.findings] == [
        ("CG-TABLE-001", "item 1")
    ]
