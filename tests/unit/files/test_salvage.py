"""One flaw in a document costs the record that it is in, and a finding says which bytes it cost."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from commonground.files.dividing import decode_raw, divide_document
from commonground.files.formats import FileFormat
from commonground.findings import Finding
from commonground.records import Record
from tests.thorough import a_few

from .layouts import BOX, LIST, MAP, SPLITS


class Turn(Record):
    text: str


class Talk(Record):
    talk_id: str
    turns: list[Turn]


def of_talks(fmt: FileFormat) -> FileFormat:
    return FileFormat(
        name=fmt.name,
        title=fmt.title,
        pattern=fmt.pattern,
        record=Talk,
        layout=fmt.layout,
        items=fmt.items,
        envelope=fmt.envelope,
    )


def write_talk(name: str) -> str:
    # A text with all that could be taken for the end of something.
    odd = r"{\"é\": [1]}, {"
    return f'{{"talk_id": "{name}", "turns": [{{"text": "{odd}"}},\n {{"text": "bye"}}]}}'


A, B, C, D = map(write_talk, "ABCD")

FRAMES = {
    "array": (LIST, f"[{A},\n{B},\n{C},\n{D}]\n"),
    "envelope": (BOX, f'{{"version": 1.0, "all": [{A},\n{B},\n{C},\n{D}]}}'),
    "splits": (SPLITS, f'{{"train": [{A},\n{B}],\n"empty": [], "test": [{C},\n{D}]}}'),
    "map": (MAP, f'{{"a": {A},\n"b": {B},\n"c": {C},\n"d": {D}}}'),
}

FLAWS: dict[str, Callable[[str], str]] = {
    "tab": lambda text: text.replace("bye", "b\tye"),
    "newline": lambda text: text.replace("bye", "b\nye"),
    "escape": lambda text: text.replace("bye", r"b\x27ye"),
    "None": lambda text: text.replace('"bye"', "None"),
    "NaN": lambda text: text.replace('"bye"', "NaN"),
    "single quotes": lambda text: text.replace('"bye"', "'bye'"),
    "no comma": lambda text: text.replace(', "turns"', ' "turns"'),
    "two commas": lambda text: text.replace(', "turns"', ',, "turns"'),
    "no colon": lambda text: text.replace('"turns":', '"turns"'),
    "no opening quote": lambda text: text.replace('"bye', "bye"),
    "no closing quote": lambda text: text.replace('bye"', "bye"),
    "a quote more": lambda text: text.replace("bye", 'b"ye'),
    "quotes": lambda text: text.replace("bye", 'she said "bye", so'),
    "no bracket": lambda text: text.replace("]}", "}"),
    "no brace": lambda text: text.removesuffix("}"),
    "a bracket more": lambda text: text.replace("]}", "]]}"),
    "a bracket in an object": lambda text: text.replace('bye"', 'bye"]'),
    "a brace more": lambda text: text.replace('e"}]', 'e"}}]'),
    "cut in a text": lambda text: text[: text.index("bye") + 1],
    "cut in a key": lambda text: text[: text.index('urns"')],
    "cut in a list": lambda text: text[: text.index("\n")],
    "cut behind a brace": lambda text: text[: text.index('"text"')],
    "cut behind an escape": lambda text: text[: text.index('\\"') + 1],
}


def read(data: bytes, layout: FileFormat) -> tuple[list[tuple[str, str | None]], list[Finding]]:
    """Returns the ids of the talks that can be had, with their splits, and all errors."""
    fmt = of_talks(layout)
    division = divide_document("f", data, fmt)
    talks, findings = [], list(division.findings)
    for raw in division.records:
        done = decode_raw("f", raw, fmt)
        findings += done.findings
        if not raw.is_envelope and done.record is not None:
            talks.append((done.record.talk_id, raw.split))
    return talks, findings


@pytest.mark.parametrize("flaw", FLAWS)
@pytest.mark.parametrize("layout", FRAMES)
@pytest.mark.parametrize("record", [A, B, C, D], ids="ABCD")
def test_a_flaw_costs_its_record_alone(layout: str, flaw: str, record: str) -> None:
    fmt, text = FRAMES[layout]
    flawed = FLAWS[flaw](record)
    data = text.replace(record, flawed).encode()
    talks, findings = read(data, fmt)
    is_split = layout == "splits"
    split_of = dict(zip("ABCD", ("train", "train", "test", "test"), strict=True))
    left = [name for name in "ABCD" if write_talk(name) != record]
    kept = [(name, split) for name, split in talks if name in left]
    assert kept == [(name, split_of[name] if is_split else None) for name in left]
    # Some byte of the record is among those that are said to be left out.
    begin = data.index(flawed.encode()[:16])
    ranges = [
        range(int(found[1]), int(found[2]) + 1)
        for each in findings
        if (found := re.search(r"Left out: bytes (\d+) to (\d+)\.", each.message))
    ]
    assert kept != talks or any(begin in each for each in ranges)
    assert all(data.index(A.encode()) not in each for each in ranges if record != A)


@pytest.mark.parametrize("layout", FRAMES)
def test_records_are_found_behind_what_stands_between_them(layout: str) -> None:
    fmt, text = FRAMES[layout]
    for wrong in ("", ",,", ", None,", ' "lost": 1}},', " ... ,"):
        data = text.replace(f"{A},", A + wrong).encode()
        talks, findings = read(data, fmt)
        assert [name for name, _ in talks] == list("ABCD")
        assert "CG-JSON-001" in {each.code for each in findings}


def test_lists_in_which_records_are_no_objects_are_taken_up_again() -> None:
    texts = FileFormat(name="t", title="t", pattern="t", record=str, layout="map")
    data = b'{"a": "one",\n"b": "t\two",\n"c": None,\n"d": "four,\n"e": "five"}'
    division = divide_document("f", data, texts)
    read = [(raw.key, decode_raw("f", raw, texts).record) for raw in division.records]
    assert read == [("a", "one"), ("b", None), ("c", None), ("d", None), ("e", "five")]


def test_a_damaged_record_is_kept_as_it_stands_and_located() -> None:
    flawed = B.replace("bye", "b\tye")
    data = f"[{A},\n {flawed}, {C}]".encode()
    division = divide_document("f", data, of_talks(LIST))
    assert [raw.path for raw in division.records] == ["$[0]", "$[1]", "$[2]"]
    assert division.records[1].data == flawed.encode()
    (finding,) = decode_raw("f", division.records[1], of_talks(LIST)).findings
    begin = data.index(flawed.encode())
    assert (finding.code, finding.source_path) == ("CG-JSON-001", "$[1]")
    assert finding.message == (
        "The text is not valid JSON here: invalid character (line 4, column 13). "
        f"Left out: bytes {begin} to {begin + len(flawed.encode()) - 1}."
    )


def test_what_stands_around_a_list_stays_where_a_record_is_damaged() -> None:
    data = FRAMES["envelope"][1].replace("bye", "b\tye", 1).encode()
    head = divide_document("f", data, of_talks(BOX)).records[0]
    assert (head.is_envelope, head.data) == (True, b'{"version": 1.0, "all": []}')


def test_bytes_are_counted_from_the_beginning_of_the_file() -> None:
    (finding,) = divide_document("f", b"\xef\xbb\xbf[" + A.encode(), of_talks(LIST)).findings[1:]
    assert "(line 2, column 19)" in finding.message


@pytest.mark.parametrize("piece", [b"{", b"[", b'{"talk_id":[', b'"', b'{"', b"{x", b"\\", b',"{'])
@pytest.mark.parametrize("layout", a_few(FRAMES, ("splits",)))
def test_many_flaws_take_no_longer_than_many_records(layout: str, piece: bytes) -> None:
    fmt, text = FRAMES[layout]
    data = text.encode().replace(A.encode(), piece * 40_000)
    assert read(data, fmt)[1]
