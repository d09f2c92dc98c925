from __future__ import annotations

import base64
import gzip
import json
import os
import re
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient
from tests.faults.tracing import run
from tests.thorough import a_few, thorough

from commonground.bench.evaluation.instances import write_scored
from commonground.errors import UsageError
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.search.language import QueryError
from commonground.explorer.static_site.writing import write_site
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store
from commonground.task import Scored


class Addresses(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.found += [value or "" for name, value in attrs if name in ("href", "src", "action")]


@pytest.fixture(scope="module")
def site(corpora: OpenCorpora, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("static") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "commonground.explorer.static_site.dialogues.BATCH", 16
        )  # worth two processes
        summary = write_site(corpora, out, jobs=2)
    assert summary.dialogues == 90  # 30 of each corpus
    assert summary.pictures > 0
    return out


def test_every_address_leads_to_a_file_of_the_site(site: Path) -> None:
    checked = set()
    for page in site.rglob("*.html"):
        named = {re.split(r"[?#]", each)[0] for each in Addresses(page.read_text("utf-8")).found}
        for address in named - {""}:
            if address.startswith("https:"):
                continue
            target = os.path.normpath(page.parent / unquote(address))
            if target not in checked:
                assert target.startswith(f"{site}{os.sep}"), f"{page}: {address}"
                assert Path(target).is_file(), f"{page}: {address}"
                checked.add(target)
    assert len(checked) > 150


def test_events_that_links_name_are_there(site: Path, corpora: OpenCorpora) -> None:
    findings = (site / "photobook" / "findings.html").read_text(encoding="utf-8")
    found = re.findall(r'href="\.\./photobook/(d/[^"]+\.html)#(e\d+)"', findings)
    for file, anchor in found:
        text = (site / "photobook" / file).read_text(encoding="utf-8")
        assert f'id="{anchor}"' in text


def test_every_page_has_a_twin_beside_it(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 90
    for page in pages:
        twin = page.with_suffix(".json")
        found = re.search(
            r'<link rel="alternate" type="application/json" href="([^"]+)"', page.read_text("utf-8")
        )
        assert found is not None, page
        assert (page.parent / found[1]) == twin
        assert json.loads(twin.read_bytes())


def test_the_twin_of_a_dialogue_is_that_of_the_server(site: Path, client: TestClient) -> None:
    served = client.get("/photobook/d/3.json").json()
    written = json.loads((site / "photobook" / "d" / "3.json").read_bytes())
    assert written == served
    released = json.loads((site / "photobook" / "d" / "3.native.json").read_bytes())
    assert released == client.get("/photobook/d/3/native.json").json()


def test_twins_may_be_left_out(corpora: OpenCorpora, tmp_path: Path) -> None:
    only = OpenCorpora.of([corpora.get("taskmaster3")])
    write_site(only, tmp_path / "out", dialogues="2", twins=False, jobs=1)
    names = {path.name for path in (tmp_path / "out/taskmaster3").rglob("*.json")}
    assert len(names) == 2
    assert all(name.endswith(".native.json") for name in names)
    for page in (tmp_path / "out").rglob("*.html"):
        assert "application/json" not in page.read_text(encoding="utf-8")


def test_pages_carry_the_policy(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert "Content-Security-Policy" in page.read_text(encoding="utf-8")


def test_words_are_found_in_the_shard_that_the_listing_names(
    site: Path, corpora: OpenCorpora
) -> None:
    data = site / "frames" / "data"
    index = read_script(data / "index.js")
    opened = corpora.get("frames")
    assert index["shards"]
    for number, word in enumerate(index["shards"]):
        (first, places), *_ = read_script(data / f"words-{number}.js")
        events = list(accumulate(places[::2]))
        assert first == word
        assert sorted(set(events)) == opened.searcher.search_events(word)[1].tolist()


def test_fields_list_the_events_that_the_server_finds(site: Path, corpora: OpenCorpora) -> None:
    searcher = corpora.get("frames").searcher
    acts = read_script(site / "frames" / "data" / "field-act.js")
    assert len(acts) > 3
    for act, steps in acts:
        assert list(accumulate(steps)) == searcher.search_events(f"act:{act}")[1].tolist()


def test_every_tab_has_its_page(site: Path, corpora: OpenCorpora) -> None:
    for corpus in ("photobook", "frames", "taskmaster3"):
        folder = site / corpus
        tabs = json.loads((folder / "index.json").read_bytes())["tabs"]
        events = json.loads((folder / "events.json").read_bytes())
        # The first 50 of them; the others are shown by the search.
        assert len(events["events"]) == min(50, corpora.get(corpus).searcher.n_events)
        assert "events" in tabs
        assert ("objects" in tabs) == (folder / "objects.html").is_file()
        assert not list(folder.glob("events-*.html"))


def test_what_is_no_name_in_a_script_is_text(
    write_talks: Callable[..., Path], import_toy: Callable[..., object], tmp_path: Path
) -> None:
    import_toy(write_talks({"__proto__": ["constructor </script>"]}))
    write_site(OpenCorpora(open_store(tmp_path / "store")), tmp_path / "out", jobs=1)
    data = tmp_path / "out" / "toy" / "data"
    assert read_script(data / "index.js")["ids"] == ["__proto__"]
    assert [word for word, _ in read_script(data / "words-0.js")] == ["constructor", "script"]


def read_script(path: Path) -> Any:
    name, _, value = path.read_text(encoding="utf-8").removeprefix("commonground(").partition(",")
    assert json.loads(name) == path.stem
    return json.loads(value.removesuffix(");\n"))


@pytest.mark.parametrize(
    ("dialogues", "expected"),
    a_few(
        [("2", ["0", "1"]), ("id:3,17", ["3", "17"]), ("id:1*", None)], [("id:3,17", ["3", "17"])]
    ),
)
def test_some_dialogues_are_as_if_there_were_no_others(
    corpora: OpenCorpora, tmp_path: Path, dialogues: str, expected: list[str] | None
) -> None:
    only = OpenCorpora.of([corpora.get("photobook")])
    write_site(only, tmp_path / "out", dialogues=dialogues, pictures=False, jobs=1)
    ids = read_script(tmp_path / "out" / "photobook" / "data" / "index.js")["ids"]
    known = corpora.get("photobook").index.blocks.ids
    want = expected if expected is not None else [each for each in known if each[0] == "1"]
    assert ids == [each for each in known if each in want] or ids == known[:2]
    assert len(list((tmp_path / "out" / "photobook" / "d").glob("*.html"))) == len(ids)
    card = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert f"<dt>games</dt><dd>{len(ids)}</dd>" in card
    assert "left out of this site" in (tmp_path / "out" / "photobook" / "objects.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("dialogues", "listed", "says"),
    [
        ("id:0,1", ["0", "1"], "1 more is of dialogues that are not in this site"),
        pytest.param(
            *("id:9", [], "None of the run&#39;s instances is of a dialogue in this site"),
            marks=thorough,
        ),
        pytest.param("", ["0", "1", "7"], "", marks=thorough),
    ],
)
def test_results_are_those_of_the_dialogues_that_are_there(
    corpora: OpenCorpora, tmp_path: Path, dialogues: str, listed: list[str], says: str
) -> None:
    scored = [
        Scored(
            instance_id=f"{each}:x", dialogue_id=each, counts={"f": {"n": 1}}, gold=1, predicted=2
        )
        for each in ("0", "1", "7")
    ]
    write_scored(scored, tmp_path / "scored.parquet")
    only = OpenCorpora.of([corpora.get("photobook")])
    only.results = (tmp_path / "scored.parquet",)
    write_site(only, tmp_path / "out", dialogues=dialogues, pictures=False, jobs=1, packed=False)
    page = (tmp_path / "out" / "results.html").read_text(encoding="utf-8")
    found = [each for each in Addresses(page).found if "/d/" in each]
    assert [re.split(r"/d/(\w+)\.html", each)[1] for each in found] == listed
    assert all(
        (tmp_path / "out" / each.partition("#")[0].partition("?")[0]).is_file() for each in found
    )
    assert says in page
    assert says or "not in this site" not in page


def test_a_folder_with_something_else_is_left_alone(corpora: OpenCorpora, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="no site written by commonground"):
        write_site(corpora, tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_site_is_written_over_one_of_before(corpora: OpenCorpora, tmp_path: Path) -> None:
    only = OpenCorpora.of([corpora.get("taskmaster3")])
    write_site(only, tmp_path / "out", dialogues="3", jobs=1)
    pages = {path.name for path in (tmp_path / "out/taskmaster3/d").iterdir()}
    (tmp_path / "out/CNAME").write_text("talks.example")
    write_site(only, tmp_path / "out", dialogues="2", jobs=1)
    assert {path.name for path in (tmp_path / "out/taskmaster3/d").iterdir()} < pages
    assert (tmp_path / "out/CNAME").read_text() == "talks.example"


def test_a_wrong_query_is_an_error(corpora: OpenCorpora, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="no field"):
        write_site(corpora, tmp_path / "out", dialogues="scor:3", jobs=1)


def test_dialogues_of_any_id_have_files_of_their_own(
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
        "d.json",
        "x" * 300,
    ]
    import_toy(write_talks({each: ["talk"] for each in ids}))
    write_site(OpenCorpora(open_store(tmp_path / "store")), tmp_path / "out", jobs=1)
    twins = [
        each
        for each in (tmp_path / "out" / "toy" / "d").glob("*.json")
        if not each.name.endswith(".native.json")
    ]
    shown = [json.loads(each.read_bytes())["page"]["dialogue_id"] for each in twins]
    assert sorted(shown) == sorted(ids)
    assert len({each.name.casefold() for each in twins}) == len(ids)


def test_a_query_that_finds_nothing_gives_an_empty_site(
    corpora: OpenCorpora, tmp_path: Path
) -> None:
    only = OpenCorpora.of([corpora.get("frames")])
    assert write_site(only, tmp_path / "out", dialogues="nosuchword", jobs=1).dialogues == 0
    assert not list((tmp_path / "out" / "frames" / "d").iterdir())
    index = (tmp_path / "out" / "frames" / "index.html").read_text(encoding="utf-8")
    assert "There is nothing here." in index


def test_the_command_says_what_it_does_and_nothing_else(
    write_talks: Callable[..., Path], import_toy: Callable[..., ImportSummary], tmp_path: Path
) -> None:
    """Processes that end complain of what libraries hold, unless they are told not to."""
    import_toy(write_talks({name: ["hello"] * 3 for name in "abcdef"}))
    done = run("site", "out", "--store", "store", "--jobs", "2", cwd=tmp_path)
    said = [line.split(" ")[0] for line in done.output.splitlines()]
    # On a busy machine it says how far it is.
    said = [word for word in said if word != "Writing"]
    assert (done.status, said) == (0, ["6", "Licence"])


def test_some_games_bring_their_pictures_and_no_others(
    corpora: OpenCorpora, tmp_path: Path
) -> None:
    photobook = corpora.get("photobook")
    only = OpenCorpora.of([photobook])
    written = write_site(only, tmp_path / "one", dialogues="1", twins=False, jobs=1)
    part = photobook.corpus[:1]
    shown = part.rows("SELECT count(DISTINCT object_id) FROM displays")[0][0]
    named = part.rows("SELECT count(DISTINCT uri) FROM objects")[0][0]
    assert written.pictures == shown < named
    pages = "".join(page.read_text("utf-8") for page in (tmp_path / "one").rglob("*.html"))
    assert set(re.findall(r"pictures/([^\"']+\.jpg)", pages)) == {
        path.name for path in (tmp_path / "one" / "photobook" / "pictures").iterdir()
    }


def test_a_packed_site_says_the_same(corpora: OpenCorpora, tmp_path: Path) -> None:
    only = OpenCorpora.of([corpora.get("photobook")])
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    for out in (plain, packed):
        write_site(only, out, dialogues="3", pictures=False, packed=out is packed, jobs=1)
    pages = sorted(path.relative_to(plain) for path in plain.rglob("*.html"))
    # Stars, notes and what is taken along need scripts, which plain pages do without.
    further = sorted([*pages, Path("notes.html")])
    assert further == sorted(path.relative_to(packed) for path in packed.rglob("*.html"))
    for page in pages:
        twin = gzip.decompress((packed / page).with_suffix(".json.gz").read_bytes())
        assert twin == (plain / page).with_suffix(".json").read_bytes()
        (opened,) = re.findall("<body[^>]*>", (plain / page).read_text())
        assert opened in (packed / page).read_text()  # with the hue of the corpus
        assert not re.search("take.js|notes.html|data-turn=.star", (plain / page).read_text())
        unpacked = unpack_page(packed / page).replace(".json.gz", ".json")
        # Of dialogues the plain one has its released records beside it.
        if page.parent.name != "d" and not re.search("take.js|notes.html", unpacked):
            assert unpacked in (plain / page).read_text()
    listed = (packed / "photobook" / "data" / "lines-0.js").read_text()
    assert listed.startswith('commonground("lines-0",JSON.parse(unpack("')
    value = json.loads(inflate(listed.split('"')[3]))
    assert value == read_script(plain / "photobook" / "data" / "lines-0.js")
    assert not list(packed.rglob("*.native.json"))
    assert size_of(packed / "photobook" / "d") < size_of(plain / "photobook" / "d") / 4


def unpack_page(path: Path) -> str:
    found = re.search(r'id="packed">([^<]+)<', path.read_text(encoding="utf-8"))
    assert found is not None
    return inflate(found[1])


def inflate(text: str) -> str:
    return zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS).decode()


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())
