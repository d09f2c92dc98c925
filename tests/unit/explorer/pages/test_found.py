"""What a query found, taken along: every form has the same dialogues, and the code gives them."""

from __future__ import annotations

import csv
import io
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from tests.thorough import one_in

import commonground as cg
from commonground.errors import UsageError
from commonground.explorer.corpora import MOST_HITS, OpenCorpora, OpenCorpus
from commonground.explorer.pages.found import MOST_SHOWN, show_code, write_code, write_found
from commonground.files.spreadsheets import MARK
from commonground.store.opening import open_store

QUERIES = [
    "",
    "the",
    "score:>=20",
    "events:>80",
    "-events:60..90",
    "events:<1",
    "split:train",
    "-split:train,val",
    'utterances:>10 "the"',
]


def found_ids(opened: OpenCorpus, query: str, sort: str = "") -> list[str]:
    return [opened.index.blocks.ids[each] for each in opened.select(query, sort).ordinals]


@pytest.mark.parametrize(
    ("query", "corpus"), one_in(4, product(QUERIES, ["photobook", "frames", "taskmaster3"]))
)
def test_the_code_gives_the_same_ids(
    corpora: OpenCorpora, monkeypatch: pytest.MonkeyPatch, corpus: str, query: str
) -> None:
    opened = corpora.get(corpus)
    if "score" in query and corpus != "photobook":
        query = "the"
    if "split" in query:
        query = _of_splits(opened, query)
    monkeypatch.setenv("COMMONGROUND_STORE", str(corpora.store.path))
    code = write_code(opened, query)
    names: dict[str, Any] = {}
    exec(code.python, names)  # noqa: S102 - the lines that readers run
    wanted = found_ids(opened, query)
    assert names["corpus"].ids() == wanted
    assert sorted(cg.sql(code.sql)["dialogue_id"].to_pylist()) == sorted(wanted)


def _of_splits(opened: OpenCorpus, query: str) -> str:
    """Names splits that the invented corpus has."""
    field = opened.index.postings.fields.get("split")
    values = list(field.values)[:2] if field else []
    return f"{query.partition(':')[0]}:{','.join(values)}" if values else ""


def test_conditions_stand_for_queries_that_say_no_more(photobook: OpenCorpus) -> None:
    assert "dialogue_id IN" not in write_code(photobook, "events:>80").sql
    assert "where=" in write_code(photobook, "events:>80").python
    assert "dialogue_id IN" in write_code(photobook, "the").sql


def test_long_code_is_downloaded_and_not_shown(
    photobook: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(photobook.select("the").ordinals) <= MOST_SHOWN
    assert show_code(photobook, "the") is not None
    monkeypatch.setattr("commonground.explorer.pages.found.MOST_SHOWN", 1)
    assert show_code(photobook, "the") is None
    assert show_code(photobook, "events:>1") is not None


@pytest.mark.parametrize("sort", ["", "events-down"])
def test_files_have_all_that_was_found_in_order(photobook: OpenCorpus, sort: str) -> None:
    wanted = found_ids(photobook, "the", sort)
    sheet = write_found(photobook, "the", sort, "csv").text.removeprefix(MARK)
    table = list(csv.DictReader(io.StringIO(sheet)))
    lines = write_found(photobook, "the", sort, "jsonl").text.splitlines()
    assert [each["dialogue_id"] for each in table] == wanted
    assert [json.loads(each)["dialogue_id"] for each in lines] == wanted
    assert write_found(photobook, "the", sort, "txt").text.splitlines() == wanted
    assert json.loads(lines[0])["score"] == float(table[0]["score"])


def test_the_most_hits_come_first(photobook: OpenCorpus) -> None:
    selection = photobook.select("the", MOST_HITS)
    events = photobook.searcher.hit_events(selection.found.terms)
    assert events is not None
    starts = photobook.index.postings.event_starts
    hits = np.diff(np.searchsorted(events, starts))[selection.ordinals].tolist()
    assert hits == sorted(hits, reverse=True)
    assert hits[0] > hits[-1]


def test_without_words_to_hit_the_order_is_the_released_one(photobook: OpenCorpus) -> None:
    released = photobook.select("split:train").ordinals.tolist()
    assert photobook.select("split:train", MOST_HITS).ordinals.tolist() == released


def test_nothing_found_is_a_table_without_rows(photobook: OpenCorpus) -> None:
    some = write_found(photobook, "the", "", "csv").text
    assert write_found(photobook, "events:<1", "", "csv").text == some[: some.index("\n") + 1]
    assert write_found(photobook, "events:<1", "", "txt").text == ""


def test_what_a_spreadsheet_would_run_is_a_text_in_the_table(tmp_path: Path) -> None:
    said = {
        "conversation_id": "=1+1",
        "vertical": "Movie Tickets",
        "scenario": "-",
        "instructions": "-",
    }
    turn = {"index": 0, "speaker": "user", "text": "Two tickets, please.", "segments": []}
    (tmp_path / "data_00.json").write_text(json.dumps([{**said, "utterances": [turn]}]))
    cg.import_files("taskmaster3", tmp_path / "data_00.json", store=tmp_path / "store")
    opened = OpenCorpora(open_store(tmp_path / "store")).get("taskmaster3")
    sheet = write_found(opened, "", "", "csv").text
    assert sheet.startswith(f"{MARK}dialogue_id,")
    assert sheet.splitlines()[1].startswith("'=1+1,")


def test_unknown_forms_list_close_names(photobook: OpenCorpus) -> None:
    with pytest.raises(UsageError, match="jsonl"):
        write_found(photobook, "", "", "json")


def test_a_page_offers_the_files_of_its_own_query(client: TestClient) -> None:
    text = client.get("/photobook/?q=the&sort=score-down").text
    address = "/photobook/found?form=csv&q=the&sort=score-down"
    assert address.replace("&", "&amp;") in text
    answer = client.get(address)
    assert answer.headers["content-disposition"] == 'attachment; filename="photobook-found.csv"'
    assert answer.headers["content-type"].startswith("text/csv")
    assert client.get("/photobook/found?form=nosuch").status_code == 400
    assert client.get("/photobook/found?q=%22").status_code == 400
