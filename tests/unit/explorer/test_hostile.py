from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.thorough import a_few
from tests.unit.explorer.hostile import MARK, PAYLOAD, Inspector, write_hostile_store

from commonground.corpora import get_corpus, iterate_corpora
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.search.language import write_term
from commonground.explorer.server.app import create_app
from commonground.explorer.static_site.writing import write_site
from commonground.explorer.web.addresses import encode_id
from commonground.store.opening import open_store

LOOK_ALIKE = {"taskmaster1", "taskmaster2", "taskmaster4"}
"""Corpora whose pages the code of another one makes, which is looked at."""

NAMES = [entry.name for entry in iterate_corpora() if entry.name not in LOOK_ALIKE]


@pytest.fixture(scope="module", params=NAMES)
def hostile(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, OpenCorpora]:
    name: str = request.param
    store = write_hostile_store(get_corpus(name), tmp_path_factory.mktemp(name))
    return name, OpenCorpora(open_store(store))


def test_on_every_page_texts_stay_texts(hostile: tuple[str, OpenCorpora]) -> None:
    name, corpora = hostile
    client = TestClient(create_app(corpora))
    blocks = corpora.get(name).index.blocks
    pages = ["/", f"/{name}/", f"/{name}/?tab=events", f"/{name}/findings"]
    pages += [f"/{name}/findings?code={code}" for code in _codes(corpora, name)]
    pages += [f"/{name}/d/{encode_id(each)}?q=alert" for each in blocks.ids]
    if blocks.object_ids:
        pages.append(f"/{name}/?tab=objects")
    for path in pages:
        answer = client.get(path)
        assert answer.status_code == 200, path
        page = Inspector(answer.text)
        assert page.faults == [], path
        assert path == "/" or MARK in page.text, path
        assert client.get(_twin(path)).headers["content-type"] == "application/json"


def _twin(path: str) -> str:
    where, _, query = path.partition("?")
    if where == "/":
        return "/index.json"
    return (f"{where}browse.json" if where.endswith("/") else f"{where}.json") + f"?{query}"


def _codes(corpora: OpenCorpora, name: str) -> list[str]:
    rows = corpora.get(name).corpus.rows("SELECT DISTINCT code FROM findings WHERE code LIKE '%9'")
    return [row[0] for row in rows]


def test_every_text_of_a_dialogue_is_shown_whole(hostile: tuple[str, OpenCorpora]) -> None:
    name, corpora = hostile
    client = TestClient(create_app(corpora))
    opened = corpora.get(name)
    dialogue = opened.index.blocks.dialogue(0)
    text = _squeeze(Inspector(client.get(_path(name, dialogue.dialogue_id)).text).text)
    for event in dialogue.events:
        if event.text is not None and not dialogue.spans:
            assert _squeeze(event.text) in text


def _path(name: str, dialogue_id: str) -> str:
    return f"/{name}/d/{encode_id(dialogue_id)}"


def _squeeze(text: str) -> str:
    # HTML knows no null character; browsers and parsers replace or drop it.
    return re.sub(r"[\x00\ufffd\s]+", " ", text)


def test_searching_for_hostile_values_is_safe(hostile: tuple[str, OpenCorpora]) -> None:
    name, corpora = hostile
    client = TestClient(create_app(corpora))
    for query in (PAYLOAD, write_term("speaker", PAYLOAD), f"id:{PAYLOAD}", f'"{PAYLOAD}', "alert"):
        for path in (f"/{name}/", f"/{name}/browse.json"):
            answer = client.get(path, params={"q": query})
            assert answer.status_code in (200, 400)
            if not path.endswith("json"):
                assert Inspector(answer.text).faults == []


@pytest.mark.parametrize("hostile", a_few(NAMES, ["simmc2"]), indirect=True)
def test_the_static_site_is_as_safe(hostile: tuple[str, OpenCorpora], tmp_path: Path) -> None:
    _name, corpora = hostile
    write_site(corpora, tmp_path / "site", jobs=1)
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 5
    for path in pages:
        assert Inspector(path.read_text(encoding="utf-8")).faults == [], path


@pytest.mark.parametrize("hostile", a_few(NAMES, ["simmc2"]), indirect=True)
def test_charts_of_hostile_values_are_drawn(hostile: tuple[str, OpenCorpora]) -> None:
    name, corpora = hostile
    client = TestClient(create_app(corpora))
    if not client.get(f"/{name}/figures.json").json()["figures"]:
        return
    answer = client.get(f"/{name}/figures")
    assert answer.status_code == 200
    assert Inspector(answer.text).faults == []
