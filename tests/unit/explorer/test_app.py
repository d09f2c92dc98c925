from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from commonground.bench.evaluation.instances import write_scored
from commonground.errors import SourceError
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.results.files import ResultFile
from commonground.explorer.server.app import HEADERS, create_app
from commonground.explorer.web.addresses import decode_id, encode_id
from commonground.store.opening import open_store
from commonground.task import Scored

PAGES = {
    "/": "/index.json",
    "/photobook/": "/photobook/browse.json",
    "/photobook/?q=score:>1&sort=score-up": "/photobook/browse.json?q=score:>1&sort=score-up",
    "/photobook/?tab=events&q=the": "/photobook/browse.json?tab=events&q=the",
    "/photobook/?tab=objects": "/photobook/browse.json?tab=objects",
    "/frames/findings": "/frames/findings.json",
    "/search?q=the": "/search.json?q=the",
    "/figures": "/figures.json",
    "/photobook/d/3?q=the": "/photobook/d/3.json?q=the",
}


@pytest.mark.parametrize(("page", "twin"), PAGES.items())
def test_every_page_has_a_twin(client: TestClient, page: str, twin: str) -> None:
    answer = client.get(page)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]
    assert (
        f'href="{client.get(twin).request.url.raw_path.decode().partition("?")[0]}' in answer.text
    )
    data = client.get(twin)
    assert data.headers["content-type"] == "application/json"
    assert isinstance(data.json(), dict)


def test_corpora_are_compared_where_there_are_several_whole_ones(
    client: TestClient, corpora: OpenCorpora
) -> None:
    assert '<a href="/figures">' in client.get("/").text
    sizes = client.get("/figures.json").json()["figures"][0]
    assert [row[0] for row in sizes["rows"]] == sorted(corpora.names)
    assert "SELECT corpus" in client.get("/figures").text  # the query stands with the numbers
    alone = TestClient(create_app(OpenCorpora(corpora.store, names=["frames"])))
    assert "/figures" not in alone.get("/").text
    assert alone.get("/figures").status_code == 404
    assert "nothing to compare" in alone.get("/figures").text


def test_the_twin_of_a_list_says_what_the_list_shows(client: TestClient) -> None:
    data = client.get("/photobook/browse.json?q=the").json()
    text = client.get("/photobook/?q=the").text
    assert data["dialogues_found"] > 0
    for each in data["dialogues"]:
        assert f"/photobook/d/{each['card']['dialogue_id']}?q=the" in text
        assert (
            f"/photobook/d/{each['card']['dialogue_id']}?q=the#e{each['hits'][0]['event']}" in text
        )
    for facet in data["facets"]:
        assert facet["title"] in text


def test_the_bare_id_of_a_dialogue_leads_to_it(client: TestClient) -> None:
    def follow(path: str) -> tuple[int, str]:
        answer = client.get(path, follow_redirects=True)
        return answer.status_code, answer.url.path

    assert follow("/photobook/17") == (200, "/photobook/d/17")
    ticket = client.get("/taskmaster3/browse.json").json()["dialogues"][0]["card"]["dialogue_id"]
    assert follow(f"/taskmaster3/{ticket}") == (200, f"/taskmaster3/d/{encode_id(ticket)}")
    assert follow("/photobook/findings") == (200, "/photobook/findings")


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/photobook/nosuch", 404, "no dialogue"),
        ("/nosuch/17", 404, "no corpus"),
        ("/nosuch/", 404, "no corpus"),
        ("/photobok/", 404, "Did you mean photobook"),
        ("/photobook/d/nosuch", 404, "no dialogue"),
        ("/photobook/d/~FF", 404, "holds no id"),
        ("/photobook/d/~ED~A0~80", 404, "no dialogue"),
        ("/photobook/?q=scor:3", 400, "Did you mean score"),
        ("/photobook/?q=%22", 400, "never closed"),
        ("/photobook/?page=99", 400, "The last one is"),
        ("/photobook/?page=0", 400, "no page 0"),
        ("/photobook/?page=x", 400, "is not a page"),
        ("/photobook/?page=" + "9" * 5000, 400, "is not a page"),
        ("/photobook/?tab=nosuch", 400, "There are: dialogues, events, objects"),
        ("/photobook/?sort=nosuch", 400, "no order"),
        ("/photobook/?columns=scor", 400, "Did you mean score"),
        ("/photobook/?density=thick", 400, "There are: dense"),
        ("/photobook/found?form=nosuch", 400, "There are: csv"),
        ("/photobook/found?sort=nosuch", 400, "no order"),
        ("/photobook/findings?code=CG-X-1", 400, "CG-X-1"),
        ("/photobook/findings?page=2", 400, "no page 2"),
        ("/photobook/chain", 400, "Add ?object="),
        ("/photobook/chain?object=nosuch", 400, "no object"),
        ("/taskmaster3/chain?argument=name.film", 400, "Did you mean name."),
        ("/photobook/compare?dialogue=nosuch", 400, "no dialogue"),
        ("/photobook/figures/overview?columns=7", 400, "There are: 1, 2"),
        ("/photobook/figures/overview?font=comic", 400, "There are: sans, serif"),
        ("/photobook/figures/overview?title=perhaps", 400, "There are: no, yes"),
        ("/photobook/figures/overview?format=gif", 400, "There are: csv, pdf, png, svg"),
        ("/photobook/figures/nosuch", 404, "no figure"),
        ("/photobook/d/3?answers=nosuch", 400, "--results FILE"),
        ("/sql?chart=pie", 400, "There are: bar, line"),
        ("/search?q=nosuch:1", 400, "no field"),
        # Whatever else stands in the address: the path is of nothing.
        ("/nosuch/?q=%22", 404, "no corpus"),
        ("/photobook/d/nosuch?q=a&page=2", 404, "no dialogue"),
        ("/static/nosuch.css", 404, "no file"),
        ("/static/..%2Fapp.py", 404, "Not Found"),
        ("/photobook/picture/~2E~2E~2Fsecret", 404, "no such picture"),
        ("/a/b/c/d/e", 404, "Not Found"),
        ("/results", 404, "--results FILE"),
    ],
)
def test_errors_are_pages_that_say_what_to_do(
    client: TestClient, path: str, status: int, says: str
) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert "<h1>" in answer.text
    assert says in answer.text
    assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_errors_of_twins_have_one_shape(client: TestClient) -> None:
    for path in ("/nosuch/browse.json", "/photobook/browse.json?q=scor:3", "/x/y/z/u.json"):
        data = client.get(path).json()
        assert {"status", "error", "where", "advice"} <= data.keys()
        assert data["advice"]
    query = client.get("/photobook/browse.json?q=the+scor:3").json()
    assert query["where"] == "characters 5 to 8 of the query"


def test_only_reading_is_possible(client: TestClient) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, "/photobook/").status_code == 405


@pytest.mark.parametrize(
    "query",
    [
        "'; DROP TABLE events; --",
        "id:'",
        "split:'||read_text('/etc/passwd')||'",
        "\0",
        "\ud800",
        "🦆" * 400,
        "split:" + "," * 900,
        "-" * 900,
        "(" * 900,
        "id:" + "*" * 900,
        'a"b"c',
        ":::",
        "score:" + "9" * 400,
    ],
)
def test_no_query_breaks_the_server(client: TestClient, query: str) -> None:
    data = query.encode("utf-8", "surrogatepass")
    path = "".join(f"%{byte:02X}" for byte in data)
    assert client.get(f"/photobook/?q={path}").status_code in (200, 400)


def test_the_released_records_can_be_had(client: TestClient, corpora: OpenCorpora) -> None:
    answer = client.get("/photobook/d/3/native.json")
    assert answer.text == corpora.get("photobook").corpus.native("3")[0]
    assert "attachment" in answer.headers["content-disposition"]


def test_pictures_are_served(client: TestClient, corpora: OpenCorpora) -> None:
    opened = corpora.get("photobook")
    file = next(iter(opened.pictures.files.values()))
    path = client.get("/photobook/?tab=objects").text.partition('<img src="')[2].partition('"')[0]
    answer = client.get(path)
    assert answer.headers["content-type"] == file.media_type
    assert len(answer.content) > 100


def test_a_dialogue_knows_its_neighbours_in_a_list(client: TestClient) -> None:
    listed = client.get("/photobook/browse.json?q=the&sort=score-down").json()["dialogues"]
    ids = [each["card"]["dialogue_id"] for each in listed[:3]]
    near = client.get(f"/photobook/d/{ids[1]}.json?q=the&sort=score-down").json()["page"][
        "neighbours"
    ]
    assert (near["previous"], near["next"], near["position"]) == (ids[0], ids[2], 2)
    assert client.get(f"/photobook/d/{ids[1]}?q=%22").status_code == 200


def test_results_stand_beside_the_gold(
    corpora: OpenCorpora, tmp_path: Path, site_store: Path
) -> None:
    scored = [
        Scored(
            instance_id="1", dialogue_id="3", counts={"f1": {"n": 1}}, gold=["a"], predicted=["b"]
        ),
        Scored(
            instance_id="2", dialogue_id="no", counts={"f1": {"n": 1}}, gold="<b>", predicted="<b>"
        ),
    ]
    write_scored(scored, tmp_path / "scored.parquet")
    opened = OpenCorpora.of(corpora)
    opened.results = (tmp_path / "scored.parquet",)
    client = TestClient(create_app(opened))
    rows = client.get("/results.json").json()["rows"]
    assert [(row["corpus"], row["right"]) for row in rows] == [("photobook", False), (None, True)]
    assert [
        row["instance_id"] for row in client.get("/results.json?only=wrong").json()["rows"]
    ] == ["1"]
    text = client.get("/results").text
    assert "/photobook/d/3" in text
    assert "&lt;b&gt;" in text
    assert client.get("/results.json?only=nosuch&page=1").status_code == 400


def test_findings_lead_to_their_place(client: TestClient) -> None:
    data = client.get("/photobook/findings.json").json()
    assert data["checked"]
    for rule in data["rules"]:
        place = client.get(f"/photobook/findings.json?code={rule['code']}").json()["chosen"]
        assert place["paging"]["total"] == rule["count"]


def test_the_first_page_describes_every_corpus(client: TestClient) -> None:
    cards = json.loads(client.get("/index.json").text)["corpora"]
    assert [card["corpus"] for card in cards] == ["frames", "photobook", "taskmaster3"]
    assert all(card["licence"] and card["terms"] for card in cards)
    images = cards[1]["images"]
    assert 0 < images["there"] <= images["named"]


def test_dialogues_of_any_id_are_reached(
    write_talks: Callable[..., Path], import_toy: Callable[..., object], tmp_path: Path
) -> None:
    ids = [
        "",
        "..",
        "a/b",
        "with space",
        "\u00fcn\u00ef\u6587",
        "Case",
        "case",
        "%2e?x#y",
        "d.json",
        "x" * 300,
    ]
    import_toy(write_talks({each: [f"talk {number}"] for number, each in enumerate(ids)}))
    client = TestClient(create_app(OpenCorpora(open_store(tmp_path / "store"))))
    listed = re.findall(r'href="(/toy/d/[^"#?]+)"', client.get("/toy/").text)
    pages = sorted(set(listed), key=listed.index)
    assert [decode_id(each.rpartition("/")[2]) for each in pages] == ids
    assert "(no id)" in client.get("/toy/").text
    assert "(no id)" in client.get("/toy/d/~").text
    for number, (path, dialogue_id) in enumerate(zip(pages, ids, strict=True)):
        assert f"talk {number}<" in client.get(path).text
        assert client.get(f"{path}.json").json()["page"]["dialogue_id"] == dialogue_id
        assert client.get(f"{path}/native.json").json()["talk_id"] == dialogue_id


@pytest.mark.parametrize("lines", [0, 1, 500])
def test_dialogues_of_any_length_have_a_page(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., object],
    tmp_path: Path,
    lines: int,
) -> None:
    import_toy(write_talks({"a": [f"line {number}" for number in range(lines)]}))
    client = TestClient(create_app(OpenCorpora(open_store(tmp_path / "store"))))
    text = client.get("/toy/d/a").text
    assert re.findall(r'<article class="event[^>]* id="e(\d+)"', text) == [
        str(number) for number in range(lines)
    ]
    assert len(client.get("/toy/d/a.json").json()["page"]["rows"]) == lines
    assert client.get("/toy/browse.json?q=events:>=0").json()["dialogues_found"] == 1


@pytest.mark.parametrize("text", [None, "no parquet"])
def test_a_file_of_results_that_cannot_be_read_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "scored.parquet"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SourceError, match=r"scored\.parquet") as error:
        ResultFile(path)
    assert "--per-instance" in (error.value.advice or "")
