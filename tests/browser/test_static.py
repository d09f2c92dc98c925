"""The static site, opened from disk: every tab, its search, and the way through a found list."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect
from tests.thorough import a_few, one_in
from tests.unit.explorer.hostile import write_hostile_store
from tests.unit.store.test_full_text import ODD, SCRIPTS

from commonground.bench.evaluation.instances import write_scored
from commonground.corpora import get_corpus
from commonground.errors import close_names
from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.links import FileLinks
from commonground.explorer.pages.browse import build_browse_page
from commonground.explorer.pages.found import write_found
from commonground.explorer.pages.results import ResultQuery, build_results_page
from commonground.explorer.rendering.sketches import SHAPES
from commonground.explorer.results.runs import ResultFiles
from commonground.explorer.search.language import QueryError
from commonground.explorer.static_site.writing import write_site
from commonground.store.index.full_text import fold_words
from commonground.store.opening import open_store
from commonground.task import Scored
from commonground.view import Sketch

OpenPage = Callable[..., Page]
DESKTOP = {"viewport": {"width": 1400, "height": 900}}
QUERIES = {
    "photobook": (
        "",
        "the",
        "speaker:A the",
        "-speaker:A the -kind:action",
        'th* score:>20 -"do you"',
        '"the b"*',
        "round:2,3 action:selection",
        "split:train -events:>90",
        "image:{object}",
        "-image:{object} grounding:common speaker:B",
        "speaker:A -speaker:B",
        "id:1,2",
        "figure:durations/* score:>20",
        "nosuchword",
    ),
    "frames": ("act:inform", "speaker:user act:inform -act:request", "slot:budget", "rating:>=3"),
    "simmc": ("act:DA*", "object:{object}", "domain:furniture the", "speaker:user -kind:action"),
}
WRONG = (
    *("scor:3", "zz:3", "score:many", "speaker:nobody", "action:feedbak", "id:none", "speaker:"),
    *('"open', "-", "the !"),
)
FIND = """async (query) => {
    const { open, find, findEvents, order, countFacets, countObjects } = commonground;
    const index = await open(), found = await find(index, query);
    return {
        dialogues: order(index, found.dialogues, ""),
        longest: order(index, found.dialogues, "events-down"),
        named: order(index, found.dialogues, "id-down"),
        densest: order(index, found.dialogues, "hits-down", found.events),
        hits: found.events && [...found.events],
        events: [...(await findEvents(index, found))],
        facets: (await countFacets(index, found, query)).filter((each) => each.values.length),
        objects: await countObjects(index, found.dialogues),
    };
}"""


@pytest.fixture(scope="module")
def corpora(demo_store: Path) -> OpenCorpora:
    return OpenCorpora(open_store(demo_store), names=list(QUERIES))


@pytest.fixture(scope="module")
def site(corpora: OpenCorpora, scored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("static") / "out"
    corpora.results = (scored,)
    write_site(corpora, out, packed=True, jobs=1)
    return out


def settle(page: Page, address: str) -> None:
    """Opens a page of the site and waits until its search has shown what it found."""
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-searched", "yes")


def as_server(opened: OpenCorpus, query: str) -> dict[str, Any]:
    """What the server finds, in the form of :data:`FIND`."""
    found, (_, events) = opened.select(query), opened.searcher.search_events(query)
    facets = [
        {
            "field": facet.field,
            "title": facet.title,
            "values": [
                {"label": v.label, "count": v.count, "chosen": v.chosen, "query": v.query}
                for v in facet.values
            ],
        }
        for facet in opened.count_facets(query)
        if facet.values
    ]
    hits = opened.searcher.hit_events(found.found.terms)
    return {
        "dialogues": found.ordinals.tolist(),
        "longest": opened.select(query, "events-down").ordinals.tolist(),
        "named": opened.select(query, "id-down").ordinals.tolist(),
        "densest": opened.select(query, "hits-down").ordinals.tolist(),
        "hits": None if hits is None else hits.tolist(),
        "events": events.tolist(),
        "facets": facets,
    }


@pytest.mark.parametrize("corpus", a_few(QUERIES, ["photobook"]))
def test_it_finds_and_counts_what_the_server_does(
    open_page: OpenPage, site: Path, corpora: OpenCorpora, corpus: str
) -> None:
    opened = corpora.get(corpus)
    page = open_page(f"{site.as_uri()}/{corpus}/index.html", **DESKTOP)
    for query in QUERIES[corpus]:
        asked = query.replace("{object}", opened.index.blocks.object_ids[0])
        found = page.evaluate(FIND, asked)
        objects = found.pop("objects")
        assert found == as_server(opened, asked), asked
        listed = build_browse_page(opened, query=asked, tab="objects").objects
        assert [(o["id"], o["shown"], o["pointed"]) for o in objects[: len(listed)]] == [
            (each.object_id, each.shown, each.pointed) for each in listed
        ]


@pytest.mark.parametrize("query", a_few(WRONG, ["scor:3", "speaker:nobody", '"open"']))
def test_a_wrong_query_is_explained(
    open_page: OpenPage, site: Path, corpora: OpenCorpora, query: str
) -> None:
    """It is explained as Python explains it, and taken back."""
    page = open_page("about:blank", **DESKTOP)
    with pytest.raises(QueryError) as error:
        corpora.get("photobook").select(query)
    settle(page, f"{site.as_uri()}/photobook/events.html?{urlencode({'q': query})}")
    expect(page.locator(".problem h2")).to_have_text(error.value.message)
    assert error.value.advice
    expect(page.locator(".problem h2 ~ p").first).to_have_text(error.value.advice)
    expect(page.locator(".problem mark")).to_have_text(query[error.value.start : error.value.end])
    expect(page.locator(".results li")).to_have_count(0)
    page.locator(".problem a").click()
    expect(page.locator(".results li")).to_have_count(50)


NAMES = ["color", "colour", "collar", "cool", "a", "aa", "", "Farbe", "couleur", "loc", "🙂c", "co"]


def test_names_are_as_close_as_python_says(open_page: OpenPage, site: Path) -> None:
    page = open_page(f"{site.as_uri()}/photobook/index.html", **DESKTOP)
    known = sorted(NAMES)
    for asked in ("colr", "colour", "a", "fabre", "c🙂", "zz", "", "oc"):
        advice = page.evaluate("([name, known]) => adviseName(name, known)", [asked, known])
        assert advice == close_names(asked, known), asked


def test_from_the_first_page_to_what_was_said(open_page: OpenPage, site: Path) -> None:
    page = open_page(f"{site.as_uri()}/index.html", **DESKTOP)
    page.get_by_role("link", name="PhotoBook", exact=True).click()
    page.get_by_role("searchbox").fill("the")
    page.keyboard.press("Enter")
    expect(page.locator("mark").first).to_have_text("the", ignore_case=True)
    expect(page).to_have_title(re.compile("^the ·"))
    page.locator(".hit").first.click()
    expect(page).to_have_url(re.compile(r"/d/[^/]*\.html\?q=the#e\d+$"))
    expect(page.locator(".event.current")).to_be_in_viewport()


def test_events_are_listed_page_by_page(
    open_page: OpenPage, site: Path, corpora: OpenCorpora
) -> None:
    opened = corpora.get("photobook")
    events = opened.searcher.n_events
    page = open_page(f"{site.as_uri()}/photobook/index.html", **DESKTOP)
    page.get_by_role("link", name="Utterances and actions").click()
    expect(page.locator(".results li")).to_have_count(50)
    expect(page.locator(".bar > .soft")).to_have_text(f"1 to 50 of {events}")
    page.locator('.pager [rel="next"]').click()
    expect(page.locator(".bar > .soft")).to_have_text(f"51 to 100 of {events}")
    second = build_browse_page(opened, tab="events", page=2).events
    places = [f"{each.dialogue_id} {each.hit.event}" for each in second]
    expect(page.locator(".results .id")).to_have_text(places)
    page.locator(".results .id").first.click()
    expect(page.locator(".event.current")).to_have_attribute("id", f"e{second[0].hit.event}")


def test_filters_hold_on_every_tab(open_page: OpenPage, site: Path, corpora: OpenCorpora) -> None:
    opened = corpora.get("photobook")
    page = open_page(f"{site.as_uri()}/photobook/events.html", **DESKTOP)
    page.locator('[data-field="action"] a', has_text="selection").click()
    found = opened.searcher.search_events("action:selection")[1]
    expect(page.locator(".bar > .soft")).to_have_text(f"1 to 50 of {len(found)}")
    expect(page.locator('[data-field="action"] [aria-current]')).to_contain_text("selection")
    page.get_by_role("link", name="Objects").click()
    expect(page).to_have_url(re.compile(r"/objects\.html\?q=action%3Aselection"))
    page.locator('[data-field="split"] a').first.click()
    expect(page.locator(".objects img").first).to_be_visible()
    page.locator(".objects a").first.click()
    expect(page).to_have_url(re.compile(r"/index\.html\?q=object%3A"))
    expect(page.locator(".result").first).to_be_visible()


@pytest.mark.parametrize("file", a_few(["objects.html", "index.html"], ["objects.html"]))
def test_items_without_a_picture_are_drawn_in_found_lists_as_in_whole_ones(
    open_page: OpenPage,
    demo_store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
) -> None:
    # Released items have up to four colours, invented ones have one.
    numbers = count()

    @cache
    def sketch(object_id: str) -> Sketch:
        n = next(numbers)
        colours, price = (
            ["red", "teal", "nosuch", "white", "gold"][: n % 6],
            f"${n}" if n % 2 else None,
        )
        return Sketch(shape=[*SHAPES, None][n % 4], colours=colours, price=price, facts=["soft"])

    sketches = "commonground.explorer.rendering.sketches._sketcher"
    monkeypatch.setattr(sketches, lambda _corpus: lambda shown: sketch(shown.object_id))
    site = tmp_path / "out"
    write_site(OpenCorpora(open_store(demo_store), names=["simmc"]), site, pictures=False, jobs=1)
    drawings = """() => Object.fromEntries([...document.querySelectorAll(".pic")]
        .map((each) => [each.dataset.object, each.outerHTML]))"""
    page = open_page(f"{site.as_uri()}/simmc/{file}", **DESKTOP)
    listed = page.evaluate(drawings)
    known = page.locator(".known-of").all_text_contents()
    settle(page, f"{site.as_uri()}/simmc/{file}?q=events:>0")
    found = page.evaluate(drawings)
    assert found == listed
    assert any(' class="sketch"' in each for each in found.values())
    assert any("<svg x=" in each for each in found.values()), "one of several colours"
    assert any("sketch-price" in each for each in found.values())
    assert sorted(page.locator(".known-of").all_text_contents()) == sorted(known)


def test_the_way_through_a_found_list(
    open_page: OpenPage, site: Path, corpora: OpenCorpora
) -> None:
    opened = corpora.get("photobook")
    ids = opened.index.blocks.ids
    found = [ids[o] for o in opened.select("split:train", "events-down").ordinals.tolist()]
    page = open_page("about:blank", **DESKTOP)
    settle(page, f"{site.as_uri()}/photobook/index.html?q=split:train&sort=events-down")
    expect(page.locator(".result .id bdi")).to_have_text(found)
    page.locator(".result .id").first.click()
    for place, dialogue_id in enumerate(found, 1):
        expect(page.locator("h1 bdi")).to_have_text(dialogue_id)
        expect(page.locator("html.js[data-searched=yes]")).to_be_attached()
        expect(page.locator(".neighbours .place")).to_have_text(f"{place} of {len(found)}")
        page.keyboard.press("j")
    expect(page.locator("html.js[data-searched=yes]")).to_be_attached()
    expect(page.locator('.neighbours [rel="next"]')).to_have_count(0)
    page.keyboard.press("k")
    expect(page.locator("h1 bdi")).to_have_text(found[-2])


def test_a_list_of_the_site_is_sorted_by_its_heads(
    open_page: OpenPage, site: Path, corpora: OpenCorpora
) -> None:
    opened = corpora.get("photobook")
    page = open_page(f"{site.as_uri()}/photobook/index.html", **DESKTOP)
    for sort, order in (("split-up", "ascending"), ("split-down", "descending")):
        page.locator('th[data-column="split"] a').click()
        page.wait_for_url(f"**?sort={sort}")
        expect(page.locator("[aria-sort]")).to_have_attribute("aria-sort", order)
        ids = [opened.index.blocks.ids[each] for each in opened.select("", sort).ordinals]
        expect(page.locator(".result .id bdi")).to_have_text(ids)
    page.locator('th[data-column="split"] a').click()
    expect(page.locator("[aria-sort]")).to_have_count(0)


@pytest.mark.parametrize("query", a_few(["", "the", "events:<1"], ["the"]))
def test_what_was_found_is_taken_along_as_from_the_server(
    open_page: OpenPage, site: Path, corpora: OpenCorpora, query: str
) -> None:
    opened = corpora.get("photobook")
    page = open_page(f"{site.as_uri()}/photobook/index.html", **DESKTOP)
    page.goto(f"{page.url}?{urlencode({'q': query, 'sort': 'score-down'})}")
    page.locator(".take > summary").click()
    texts = {}
    for title, form in [("CSV", "csv"), ("JSON Lines", "jsonl"), ("ids", "txt"), ("SQL", "sql")]:
        with page.expect_download() as taken:
            page.get_by_role("button", name=title, exact=True).click()
        assert taken.value.suggested_filename == f"photobook-found.{form}"
        texts[form] = Path(taken.value.path()).read_bytes().decode()
    server = {form: write_found(opened, query, "score-down", form).text for form in texts}
    assert texts["txt"] == server["txt"]
    assert texts["csv"].replace(".0", "") == server["csv"].replace(".0", "")
    lines = [[json.loads(line) for line in each["jsonl"].splitlines()] for each in (texts, server)]
    assert lines[0] == lines[1]
    ids = opened.corpus.rows(texts["sql"])
    assert sorted(each[0] for each in ids) == sorted(texts["txt"].splitlines())


def test_the_python_that_is_taken_along_gives_the_set(
    open_page: OpenPage, site: Path, corpora: OpenCorpora
) -> None:
    opened = corpora.get("photobook")
    page = open_page(f"{site.as_uri()}/photobook/index.html?q=the", **DESKTOP)
    page.locator(".take > summary").click()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Python").click()
    tree = ast.parse(Path(taken.value.path()).read_text("utf-8"))
    listed = next(each for each in ast.walk(tree) if isinstance(each, ast.List))
    ids = [opened.index.blocks.ids[each] for each in opened.select("the").ordinals.tolist()]
    assert ast.literal_eval(listed) == ids


def test_stars_and_notes_are_kept_without_a_server(
    open_page: OpenPage, site: Path, corpora: OpenCorpora
) -> None:
    dialogue = corpora.get("photobook").index.blocks.ids[0]
    page = open_page(f"{site.as_uri()}/photobook/d/{dialogue}.html#e2", **DESKTOP)
    expect(page.locator(".event.current")).to_have_id("e2")
    page.once("dialog", lambda dialog: dialog.accept("odd"))
    page.keyboard.press("s")
    page.keyboard.press("o")
    expect(page.locator(".event.current.starred .own-note")).to_have_text("odd")
    page.goto(f"{site.as_uri()}/index.html")
    page.get_by_role("link", name="Your stars and notes").click()
    expect(page.locator("#notes .own-note")).to_have_text("odd")
    page.locator("#notes .id").click()
    expect(page).to_have_url(f"{site.as_uri()}/photobook/d/{dialogue}.html#e2")
    expect(page.locator(".event.current.starred .own-note")).to_have_text("odd")


def test_results_are_there_beside_the_gold(open_page: OpenPage, site: Path) -> None:
    page = open_page(f"{site.as_uri()}/index.html", **DESKTOP)
    page.get_by_role("link", name="Results").click()
    expect(page.locator("tr.wrong, tr.right")).to_have_count(2)
    page.get_by_role("link", name="Different").click()
    expect(page.locator("tr.wrong")).to_have_count(1)
    expect(page.locator("tr.right")).to_have_count(0)
    page.get_by_role("link", name="All").click()
    kind = page.locator(".chosen-by a").first
    kind.click()
    expect(page.locator(".chosen-by a[aria-current]")).to_have_count(1)
    expect(page.locator("tr.wrong")).to_have_count(1)
    expect(page.locator("tr.right")).to_have_count(0)
    page.locator(".chosen-by a[aria-current]").click()
    expect(page.locator("tr.wrong, tr.right")).to_have_count(2)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scored instances of two pages, whose numbers are in no order; every seventh has none."""
    path = tmp_path_factory.mktemp("measured") / "measured.parquet"
    rows = [
        Scored(
            instance_id=f"<b>{number}</b>",
            dialogue_id="3",
            counts={"sums": {"hits": number * 37 % 11} | ({"fails": 1} if number % 7 != 3 else {})},
            gold=number % 3,
            predicted=0,
        )
        for number in range(70)
    ]
    write_scored(rows, path)
    return path


@pytest.fixture(scope="module")
def results(corpora: OpenCorpora, measured: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first page of results of a site with little else."""
    out = tmp_path_factory.mktemp("results") / "out"
    only = OpenCorpora.of([corpora.get("photobook")])
    only.results = (measured,)
    write_site(only, out, dialogues="id:3", pictures=False, twins=False, packed=True, jobs=1)
    return out / "results.html"


@pytest.mark.parametrize(
    "asked",
    one_in(
        2,
        [
            {"sort": "sums:hits-down"},
            {"sort": "sums:fails-up", "page": 2},
            {"measure": "sums:hits", "low": "3", "high": "7.5"},
            {"measure": "sums:hits", "high": "4", "sort": "sums:hits-up", "only": "wrong"},
        ],
        first=1,
    ),
)
def test_results_are_in_the_order_of_the_server(
    open_page: OpenPage, corpora: OpenCorpora, results: Path, measured: Path, asked: dict[str, Any]
) -> None:
    query = ResultQuery(**asked)
    server = build_results_page(corpora, ResultFiles.open([measured]), query)
    page = open_page(results.as_uri(), **DESKTOP)
    file = FileLinks(0).page("results", **asked)
    settle(page, (results.parent / "x").as_uri()[:-1] + file)
    expect(page.locator(".result .id")).to_have_text([row.instance_id for row in server.rows])
    place = server.paging
    expect(page.locator(".bar > .soft")).to_have_text(
        f"{place.first} to {place.last} of {place.total}"
    )
    for each in server.errors if "only" not in asked else []:
        expect(page.locator(f'[data-name="{each.name}"] .count')).to_have_text(str(each.count))


def test_results_are_sorted_and_filtered_where_they_stand(
    open_page: OpenPage, results: Path
) -> None:
    page = open_page(results.as_uri(), **DESKTOP)
    head = page.locator("th[data-column]", has_text="hits")
    head.locator("a").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(page.locator(".result td.number").first).to_have_text("0")
    head.locator("a").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(page.locator(".result td.number").first).to_have_text("10")
    page.get_by_label("Only where").select_option("hits")
    page.get_by_label("to", exact=True).fill("9")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".result td.number").first).to_have_text("9")
    page.get_by_role("link", name="Different").click()
    expect(page).to_have_url(re.compile(r"results-wrong\.html\?measure=.*high=9.*sort="))
    expect(page.locator("tr.right")).to_have_count(0)
    expect(page.locator(".result td.number").first).to_have_text("9")
    page.get_by_label("to", exact=True).fill("many")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".problem h2")).to_contain_text("“many” is not a number.")
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("tr.wrong")).not_to_have_count(0)


def test_hostile_texts_do_nothing(open_page: OpenPage, tmp_path: Path) -> None:
    store = write_hostile_store(get_corpus("photobook"), tmp_path / "work")
    write_site(OpenCorpora(open_store(store)), tmp_path / "out", packed=True, jobs=1)
    page = open_page("about:blank", **DESKTOP)
    for file in ("index", "events", "objects"):
        settle(page, f"{(tmp_path / 'out').as_uri()}/photobook/{file}.html?q=alert")
        expect(page.locator(".results > *, .objects li").first).to_contain_text("<script id=evil>")
        expect(page.locator("#evil")).to_have_count(0)
        expect(page.locator('a[href^="javascript"]')).to_have_count(0)


def test_the_released_record_is_shown_from_disk(
    open_page: OpenPage, site: Path, corpora: OpenCorpora
) -> None:
    opened = corpora.get("photobook")
    dialogue_id = opened.index.blocks.ids[0]
    page = open_page(f"{site.as_uri()}/photobook/d/{dialogue_id}.html", **DESKTOP)
    page.locator("#more > summary").click()
    page.get_by_role("button", name="Raw JSON").click()
    expect(page.locator(".native pre")).to_be_visible()
    expect(page.locator(".native pre")).to_contain_text('"game_id"')


def test_results_are_sorted_on_a_phone(open_page: OpenPage, results: Path) -> None:
    page = open_page(results.as_uri(), viewport={"width": 390, "height": 844})
    head = page.locator("thead th a").first
    expect(head).to_be_in_viewport()
    head.click()
    expect(page).to_have_url(re.compile("sort="))


def test_words_are_cut_in_the_browser_as_in_the_index(
    site: Path, open_page: Callable[..., Any]
) -> None:
    page = open_page((site / "photobook" / "index.html").as_uri())
    for text in (*SCRIPTS, *SCRIPTS.values(), *ODD, "\u037a a", "\U0001f1eb\U0001f1f7 one"):
        cut = page.evaluate("(text) => window.splitWords(text).map((each) => each.folded)", text)
        assert cut == fold_words(text), text
