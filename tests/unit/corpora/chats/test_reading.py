"""Tables of messages: found columns, odd rows, and what comes of each form of file."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import forks

import commonground as cg
from commonground.errors import CommongroundError, UsageError

PLAIN = [
    {"dialogue": "a", "speaker": "ann", "text": "hi"},
    {"dialogue": "b", "speaker": "bob", "text": "good day"},
    {"dialogue": "a", "speaker": "ben", "text": "hello, you"},
]

Import = Callable[..., cg.Corpus]


@pytest.fixture
def take(tmp_path: Path) -> Import:
    """Imports a file of some contents."""

    def run(contents: str | bytes, name: str = "mine.csv", **options: Any) -> cg.Corpus:
        data = contents if isinstance(contents, bytes) else contents.encode()
        (tmp_path / name).write_bytes(data)
        store = tmp_path / "store"
        return cg.import_files("chats", tmp_path / name, store=store, replace=True, **options)

    return run


def list_texts(corpus: cg.Corpus) -> dict[str, list[tuple[str, str]]]:
    return {
        each.dialogue_id: [(event.speaker, event.text or "") for event in each.events]
        for each in corpus.dialogues()
    }


def list_findings(corpus: cg.Corpus) -> list[tuple[str, ...]]:
    query = "select code, source_path, expected, found from findings order by source_path"
    return corpus.rows(query)


def write_csv(delimiter: str) -> bytes:
    lines = [list(PLAIN[0]), *(list(row.values()) for row in PLAIN)]
    quoted = [[f'"{cell}"' if delimiter in cell else cell for cell in line] for line in lines]
    return "\r\n".join(delimiter.join(line) for line in quoted).encode()


def write_parquet(rows: list[dict[str, Any]]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return bytes(sink.getvalue())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", write_csv(",")),
        ("a.csv", b"\xef\xbb\xbf" + write_csv(";")),
        ("A.TSV", write_csv("\t")),
        ("a.csv", write_csv("|")),
        ("a.jsonl", b"\n".join(map(msgspec.json.encode, PLAIN))),
        ("a.parquet", write_parquet(PLAIN)),
    ],
    ids=["commas", "semicolons, marked", "tabs", "bars", "lines", "parquet"],
)
def test_rows_are_gathered_by_dialogue(take: Import, name: str, data: bytes) -> None:
    corpus = take(data, name)
    assert list_texts(corpus) == {
        "a": [("ann", "hi"), ("ben", "hello, you")],
        "b": [("bob", "good day")],
    }
    assert list_findings(corpus) == []
    assert [json.loads(each)["rows"][1]["cells"] for each in corpus.native("a")] == [PLAIN[2]]


def test_everything_a_row_says_is_somewhere(take: Import) -> None:
    (dialogue,) = take(
        "Conversation ID,Author,Role,Message,Sent At,ID,reply_to,split,intent,image,room\n"
        "7,ann,customer,hi,2026-01-05T10:00:00Z,m1,,train,greet,,north\n"
        "7,bot,Agent,look,2026-01-05T12:00:02.5+02:00,m2,m1,train,,cups/1.png,\n"
    ).dialogues()
    first, second = dialogue.events
    assert dialogue.started_at == datetime(2026, 1, 5, 10)
    assert (dialogue.dialogue_id, dialogue.split) == ("7", "train")
    assert [(each.speaker, each.role) for each in dialogue.speakers] == [
        ("ann", "user"),
        ("bot", "assistant"),
    ]
    assert (first.at_s, first.native_id) == (0.0, "m1")
    assert (second.at_s, second.native_id) == (2.5, "m2")
    assert first.details == {"Role": "customer", "room": "north"}
    assert second.details == {"reply_to": "m1", "Role": "Agent"}
    assert [(each.event, each.layer, each.act) for each in dialogue.acts] == [
        (0, "intent", "greet")
    ]
    assert [(each.event, each.object_id) for each in dialogue.displays] == [(1, "cups/1.png")]
    assert [each.uri for each in dialogue.objects] == ["cups/1.png"]


def test_a_bad_row_costs_only_itself(take: Import) -> None:
    corpus = take(
        b"dialogue,speaker,text\n"
        b"a,ann,one\n"
        b"a,ann\n"
        b'a,ann,"never closed\n'
        b"a,,who?\n"
        b"a,ann,caf\xe9\n"
        b'a,ann,"two\n'
        b'lines, ""really"""\n'
        b"\n"
        b"a,ben,last\n"
    )
    assert list_texts(corpus) == {
        "a": [("ann", "one"), ("ann", 'two\nlines, "really"'), ("ben", "last")]
    }
    assert list_findings(corpus) == [
        ("CG-TABLE-001", "line 3", "3 cells", "a,ann"),
        ("CG-TABLE-001", "line 4", "quotes that are closed", 'a,ann,"never closed'),
        ("CG-TABLE-001", "line 5", "a speaker", "a,,who?"),
        ("CG-JSON-006", "line 6", "UTF-8", "a,ann,caf\\xe9"),
    ]


def test_a_bad_line_of_json_costs_only_itself(take: Import) -> None:
    good = json.dumps(PLAIN[0])
    corpus = take(f'{good}\n[1]\n{{"text": \n\n{good}\n{{"dialogue": "a"}}\n', "a.jsonl")
    assert list_texts(corpus) == {"a": [("ann", "hi")] * 2}
    places = [(path, expected) for _, path, expected, _ in list_findings(corpus)]
    assert places == [
        ("line 2", "an object"),
        ("line 3", "an object"),
        ("line 6", "a speaker"),
    ]


def test_rows_are_in_the_order_of_their_times(take: Import) -> None:
    head = "dialogue,speaker,text,time\n"
    by_time = take(f"{head}a,x,2,9\na,x,1,3.5\na,x,3,10\n")
    assert [(each.text, each.at_s) for each in by_time[0].events] == [
        ("1", 3.5),
        ("2", 9.0),
        ("3", 10.0),
    ]
    in_file = take(f"{head}a,x,2,9\na,x,1,soon\na,x,3,1\n")
    assert [(each.text, each.at_s) for each in in_file[0].events] == [
        ("2", 9.0),
        ("1", None),
        ("3", 1.0),
    ]
    assert list_findings(in_file) == [("CG-CHATS-101", "line 2[line 3].time", "a time", "soon")]
    assert in_file[0].events[1].details == {"time": "soon"}


@pytest.mark.parametrize(
    ("times", "found"),
    [
        (["1767607200", "1767607201.5"], [0.0, 1.5]),
        (["1767607200000", "1767607201500"], [0.0, 1.5]),
        (["23:59:58", "00:00:01"], [0.0, -86397.0]),
        (["2026-01-05", "2026-01-06"], [0.0, 86400.0]),
        (["2026-01-05", "7"], [None, None]),
        (["", "2026-01-05"], [None, None]),
        (["nan", "-1"], [None, None]),
    ],
)
def test_times_have_many_forms(take: Import, times: list[str], found: list[float | None]) -> None:
    rows = "".join(f"a,x,hi,{each}\n" for each in times)
    corpus = take(f"dialogue,speaker,text,time\n{rows}")
    assert [event.at_s for event in corpus[0].events] == found


def test_columns_are_named(take: Import, tmp_path: Path) -> None:
    table = "no,text,who says,mood,tone\n1,x,ann,glad,loud\n1,y,ben,sad,\n"
    columns = {"dialogue": "no", "speaker": "who says", "label": ["mood", "tone"]}
    corpus = take(table, columns=columns)
    (dialogue,) = corpus.dialogues()
    assert [(each.layer, each.act) for each in dialogue.acts] == [
        ("mood", "glad"),
        ("tone", "loud"),
        ("mood", "sad"),
    ]
    # The same file with other columns is other data.
    swapped = take(table, columns={**columns, "text": "mood", "label": "text"})
    assert swapped[0].events[0].text == "glad"
    checked = cg.check("chats", tmp_path / "mine.csv", columns=columns)
    assert checked.errors == 0


def test_columns_that_are_not_there_are_refused_with_those_that_are(take: Import) -> None:
    table = "no,says,who\n1,x,ann\n"
    with pytest.raises(
        CommongroundError,
        match=r"no column for dialogue or text\. The columns are: no, says, who\.",
    ):
        take(table)
    with pytest.raises(
        CommongroundError, match=r"no column for text called txt\. The columns are: no"
    ):
        take(table, columns={"text": "txt", "dialogue": "no"})
    with pytest.raises(UsageError, match="no field 'texts'"):
        take(table, columns={"texts": "says"})


def test_other_corpora_have_no_columns_to_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(UsageError, match="The columns of frames cannot be named"):
        cg.import_files("frames", tmp_path, store=tmp_path / "s", columns={"text": "a"})


def test_what_contradicts_itself_is_found(take: Import) -> None:
    corpus = take(
        "dialogue,speaker,text,split,id,reply_to\n"
        "a,ann,hi,train,1,\na,ann, ,test,2,7\nb,ann,hi,,1,\n"
    )
    assert [(code, path) for code, path, _, _ in list_findings(corpus)] == [
        ("CG-CHATS-104", "line 2[line 3].reply_to"),
        ("CG-CHATS-102", "line 2[line 3].split"),
        ("CG-CHATS-103", "line 2[line 3].text"),
    ]
    assert [each.split for each in corpus.dialogues()] == [None, None]
    assert corpus[0].events[1].details == {"reply_to": "7", "split": "test"}


@pytest.mark.parametrize("data", [b"", b"\n\n", b"PAR1", b"\xff\xfe\x00"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_file_that_is_no_table_is_refused(take: Import, name: str, data: bytes) -> None:
    with pytest.raises(CommongroundError, match="No dialogue of chats could be read"):
        take(data, name)


def test_parquet_has_dates_and_gaps(take: Import) -> None:
    at = datetime(2026, 1, 5, 10)
    rows: list[dict[str, Any]] = [
        {"dialogue": 1, "speaker": "a", "text": "x", "time": at, "score": float("nan")},
        {"dialogue": 1, "speaker": "a", "text": None, "time": None, "score": None},
    ]
    corpus = take(write_parquet(rows), "a.parquet")
    (dialogue,) = corpus.dialogues()
    assert (dialogue.dialogue_id, dialogue.started_at) == ("1", at)
    assert [(path, expected) for _, path, expected, _ in list_findings(corpus)] == [
        ("row 2", "a text")
    ]


def test_the_command_line_names_columns(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("no,who,says\n1,ann,hi\n")
    words = ("import", "chats", "mine.csv", "--column", "dialogue=no")
    refused = forks.run(*words, cwd=tmp_path)
    assert refused.returncode != 0
    assert "no column for text. The columns are: no, who, says." in " ".join(refused.stderr.split())
    odd = forks.run(*words, "--column", "says", cwd=tmp_path)
    assert "'says' is not like text=message." in odd.stderr
    taken = forks.run(*words, "--column", "text=says", cwd=tmp_path)
    assert taken.returncode == 0, taken.stderr
    shown = forks.run("show", "chats", "1", cwd=tmp_path)
    assert "ann" in shown.stdout
    checked = forks.run("check", *words[1:], "--column", "text=says", cwd=tmp_path)
    assert checked.stdout.strip() == "Nothing found."
