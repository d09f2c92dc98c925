"""Files as several formats write them."""

from __future__ import annotations

from pathlib import Path

from commonground.exports.files import SplitFiles, ascii_json, name_split


def test_other_letters_are_escaped() -> None:
    assert ascii_json('{"a":"é𝄞\u2028"}'.encode()) == b'{"a": "\\u00e9\\ud834\\udd1e\\u2028"}'
    assert ascii_json(b'{"a":1}') == b'{"a":1}'


def test_lines_go_to_the_file_of_their_name(tmp_path: Path) -> None:
    with SplitFiles(tmp_path) as files:
        for name, line in (("a", b"1"), ("b", b"2"), ("a", b"3")):
            files.write_line(name, line)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "a": b"1\n3\n",
        "b": b"2\n",
    }


def test_splits_are_names_of_files() -> None:
    assert name_split("fold-1.a") == "fold-1.a"
    assert name_split("a/b c") == "a_b_c"
    assert name_split(None) == "unsplit"
