"""Lists of splits: their forms, and entries that cost themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.errors import FormatError
from commonground.files.split_lists import has_header, read_split_list

WANTED = {"1": "train", "2": "train", "a-3": "odd name"}
FORMS = {
    "mine.csv": 'id,split\n1,train\n2,"train"\na-3,odd name\n',
    "mine.tsv": "dialogue_id\tsplit\r\n1\ttrain\r\n2\ttrain\r\n\r\na-3\todd name",
    "more.csv": "\ufeffsplit,note,dialogue_id\ntrain,,1\ntrain,x,2\nodd name,,a-3\n",
    "lists.json": '{"train": [1, "2"], "odd name": ["a-3"], "dev": []}',
    "map.json": '{"1": "train", "2": "train", "a-3": "odd name"}',
}


Places = list[tuple[str | None, ...]]


def read(folder: Path, text: str | bytes, name: str = "mine.csv") -> tuple[dict[str, str], Places]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read_split_list(path)
    places: Places = [
        (each.code, each.source_file, each.source_path, each.found) for each in found.findings
    ]
    return found.split_of, places


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    assert read(tmp_path, FORMS[name], name) == (WANTED, [])
    assert has_header(tmp_path / name) is not name.endswith(".json")


BAD, TWO = "CG-SPLIT-001", "CG-SPLIT-002"
ODD: dict[str, tuple[str | bytes, str, str]] = {
    "too few": ("id,split\n1\n2,train\n", "line 2", "1"),
    "no id": ("id,split\n ,train\n2,train\n", "line 2", "nothing"),
    "no split": ("id,split\n1,\n2,train\n", "line 2", "nothing"),
    "all": ("id,split\n1,all\n2,train\n", "line 2", "all"),
    "bytes": (b"id,split\n2,train\ncaf\xe9,train\n", "line 3", r"b'caf\xe9,train'"),
    "number": ('{"train": ["2", 1.5]}', "$.train[1]", "1.5"),
    "truth": ('{"train": [true, 2]}', "$.train[0]", "true"),
    "null": ('{"train": [2], "dev": null}', "$.dev", "null"),
    "no list": ('{"train": [2], "dev": "1"}', "$.dev", '"1"'),
    "object": ('{"train": [2], "dev": {"1": 2}}', "$.dev", '{"1": 2}'),
    "half a character": ('{"2": "train", "1": "\\ud800"}', "$.1", '["1", "\\ud800"]'),
    "list": ('{"2": "train", "1": "dev", "3": ["dev"], "1": "dev"}', "$.3", '["dev"]'),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_entry_costs_itself(name: str, tmp_path: Path) -> None:
    text, path, found = ODD[name]
    ending = ".json" if text[:1] in ("{", b"{") else ".csv"
    split_of, places = read(tmp_path, text, f"odd{ending}")
    assert split_of["2"] == "train"
    assert places == [(BAD, f"odd{ending}", path, found)]


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("a.csv", "id,split\n1,train\n1,test\n2,test\n1,train\n", "line 3"),
        ("a.json", '{"train": [1, 1], "test": ["1", 2]}', "$.test[0]"),
        ("b.json", '{"1": "train", "1": "test", "2": "test"}', "$.1"),
    ],
)
def test_of_two_splits_the_first_counts(name: str, text: str, path: str, tmp_path: Path) -> None:
    split_of, places = read(tmp_path, text, name)
    assert split_of == {"1": "train", "2": "test"}
    assert places == [(TWO, name, path, "test")]


@pytest.mark.parametrize(
    "text",
    ["", "\n", "1,train\n", "id;split\n1;train\n", "{", "[1]", "{}", '{"train": []}', "id,split\n"],
)
def test_what_is_no_list_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="header names `id`"):
        read(tmp_path, text)


@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for text in (data, b"id,split\n" + data, b'{"a": ["b"], "c": ' + data + b"}"):
        try:
            split_of, _ = read(folder, text)
        except FormatError:
            continue
        assert split_of
        assert all(key and split and split != "all" for key, split in split_of.items())
