from __future__ import annotations

import csv
import io

from hypothesis import example, given
from hypothesis import strategies as st

from commonground.corpora.taskmaster.native.rows import (
    SplitRow,
    parse_cells,
    parse_split_ids,
    parse_split_rows,
    render_split_ids,
    render_split_rows,
)

TEXTS = st.text(st.sampled_from('ab"\t\r\n,é\u2028'), max_size=30)


def read(data: bytes) -> list[SplitRow]:
    return [each.record for each in parse_split_rows(data.decode())]


@given(TEXTS)
@example('"a""b"\tc"d\t"e\r\n\r\n\tx')
def test_any_file_is_written_as_it_was_read(text: str) -> None:
    assert render_split_rows(read(text.encode())) == text.encode()
    ids = [each.record for each in parse_split_ids(text)]
    assert render_split_ids(ids) == text.encode()


@given(st.lists(st.text(st.sampled_from('ab"\t é'), max_size=8), min_size=1, max_size=4))
def test_cells_are_what_the_csv_module_reads(cells: list[str]) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="").writerow(cells)
    assert parse_cells(out.getvalue()) == (cells, [True] * len(cells))


def test_a_row_has_context_target_and_id() -> None:
    row = read(b'"<U>say ""hi"""\t[A]Hi\tdlg-1\r\n')[0]
    assert (row.context, row.target, row.conversation_id) == ('<U>say "hi"', "[A]Hi", "dlg-1")
    assert (row.quoted, row.ending, row.more) == ([True, False, False], "\r\n", [])


def test_missing_and_further_cells_are_told_apart() -> None:
    short, long = read(b"<U>a\n<U>a\t[A]b\tdlg-1\tc\td")
    assert (short.target, short.conversation_id) == (None, None)
    assert long.more == ["c", "d"]


def test_a_quotation_mark_that_is_not_closed_is_text() -> None:
    assert parse_cells('"a\tb') == (['"a', "b"], [False, False])
    assert parse_cells('"a"b\tc') == (['"a"b', "c"], [False, False])


def test_lines_are_counted_from_one() -> None:
    assert [each.line for each in parse_split_rows("a\nb\n")] == [1, 2]


def test_an_id_stands_before_the_comma() -> None:
    (line,) = parse_split_ids("dlg-1,\n")
    assert (line.record.conversation_id, line.record.rest, line.text) == ("dlg-1", ",", "dlg-1,")
