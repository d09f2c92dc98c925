"""``commonground mcp``, asked by the client of the protocol's own SDK."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.faults.commands import COMMAND

import commonground as cg
from commonground.agent_tools import MOST_CHARACTERS, MOST_FOUND, MOST_PICTURES, AgentTools
from commonground.play.worlds import iterate_worlds
from commonground.store.opening import open_store

mcp = pytest.importorskip("mcp", reason="the package mcp, of the extra mcp, is not installed")

Call = Callable[..., Awaitable[Any]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with games and their pictures, and with trips."""
    folder = tmp_path_factory.mktemp("agents")
    games = cg.simulate("photobook", folder / "games", dialogues=60, seed=3)
    cg.import_files("photobook", games, images=games / "images", store=folder / "store")
    trips = cg.simulate("frames", folder / "trips", dialogues=8, seed=3, faults=2)
    cg.import_files("frames", trips, store=folder / "store")
    return folder / "store"


@pytest.fixture
def ask(store: Path) -> Callable[[Callable[[Call], Awaitable[None]]], None]:
    """Runs a course of calls with a client of a server that is a process of its own."""

    def run(course: Callable[[Call], Awaitable[None]]) -> None:
        async def connect() -> None:
            command, *words = COMMAND
            words += ["mcp", "--store", str(store)]
            for name in ("taskmaster4", "frames", "simmc-furniture"):
                words += ["--world", name]
            server = mcp.StdioServerParameters(command=command, args=words, env=dict(os.environ))
            async with mcp.Client(server) as client:

                async def call(name: str, **arguments: Any) -> Any:
                    return await client.call_tool(name, arguments)

                call.client = client  # type: ignore[attr-defined]
                await course(call)

        anyio.run(connect)

    return run


def read(result: Any) -> Any:
    assert not result.is_error, result.content[0].text
    return json.loads(result.content[0].text)


def test_a_client_lists_searches_shows_and_counts(ask: Any) -> None:
    async def course(call: Any) -> None:
        tools = (await call.client.list_tools()).tools
        names = {each.name for each in tools}
        own = {"list_corpora", "search", "show", "tables", "sql", "check", "stats"}
        assert own | {"frames_search", "taskmaster4_add_order_item"} <= names
        assert all(each.description and each.input_schema["type"] == "object" for each in tools)
        assert {each.annotations.destructive_hint for each in tools} == {False}

        listed = {each["corpus"]: each for each in read(await call("list_corpora"))}
        assert listed["photobook"]["dialogues"] == 60
        assert "research use" in listed["frames"]["licence"]

        found = read(await call("search", corpus="photobook", query=""))
        assert (found["found"], len(found["dialogues"])) == (60, MOST_FOUND)
        rest = read(await call("search", corpus="photobook", query="", first=MOST_FOUND))
        assert len(rest["dialogues"]) == 60 - MOST_FOUND

        first = found["dialogues"][0]["dialogue_id"]
        plain = await call("show", corpus="photobook", dialogue_id=first)
        assert [each.type for each in plain.content] == ["text"]
        assert plain.content[0].text.startswith(f"photobook {first} ")
        shown = await call("show", corpus="photobook", dialogue_id=first, pictures=True)
        pictures = [each for each in shown.content if each.type == "image"]
        assert len(pictures) == MOST_PICTURES
        assert {each.mime_type for each in pictures} == {"image/jpeg"}

        rows = read(await call("sql", query="select corpus, count(*) from dialogues group by all"))
        assert dict(rows["rows"]) == {name: listed[name]["dialogues"] for name in listed}
        assert "dialogues" in {each["table"] for each in read(await call("tables"))}
        counts = read(await call("check", corpus="frames"))
        assert sum(each["count"] for each in counts) > 0
        places = read(await call("check", corpus="frames", code=counts[0]["code"]))
        assert places["count"] == counts[0]["count"] == len(places["places"])
        figures = {each["figure"] for each in read(await call("stats", corpus="frames"))}
        lengths = read(await call("stats", corpus="frames", figure="lengths"))
        assert "lengths" in figures
        assert lengths["columns"] == ["turns", "dialogues"]

    ask(course)


def test_worlds_answer_and_remember_orders(ask: Any) -> None:
    async def course(call: Any) -> None:
        (drink,) = read(await call("taskmaster4_get_menu_items", query="latte"))["menu_items"]
        item = {"menu_item_id": drink["menu_item_id"], "quantity": "1"}
        order = read(await call("taskmaster4_add_order_item", **item))["order_id"]
        details = read(await call("taskmaster4_get_order_details", order_id=order))
        assert [each["menu_item_name"] for each in details["menu_items"]] == ["Latte"]
        assert len(read(await call("frames_search", NUM_ADULTS="2"))["packages"]) == 10
        row = read(await call("simmc-furniture_SearchFurniture", furnitureType="Sofas"))["carousel"]
        await call("simmc-furniture_FocusOnFurniture", position="left")
        bought = read(await call("simmc-furniture_AddToCart"))
        assert bought["cart"] == [row[0]["id"]]

    ask(course)


HOSTILE = {
    "copy (select 1) to '{folder}/out.csv'": "read-only: COPY is not allowed",
    "create table mine as select 1": "read-only: CREATE is not allowed",
    "attach '{folder}/other.db'": "read-only: ATTACH is not allowed",
    "install httpfs": "not allowed",
    "set memory_limit = '100GB'": "not allowed",
    "select * from read_text('{folder}/secret')": "may only read the tables of the store",
    "select * from '{folder}/secret'": "does not exist",
    "select 1; select 2": "",
}
"""Queries that are refused, and words of the refusal."""


def test_hostile_queries_are_answered_as_the_command_answers_them(
    store: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("hidden", encoding="utf-8")
    tools = AgentTools(open_store(store))
    for query, words in HOSTILE.items():
        said = query.format(folder=tmp_path)
        answer = tools.call("sql", {"query": said})
        done = subprocess.run(
            [*COMMAND, "sql", said, "--store", str(store)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.is_error
        assert words in answer.text
        # The command breaks advice to a line of its own.
        printed = " ".join(done.stderr.removeprefix("error: ").split())
        assert (done.returncode, " ".join(answer.text.split())) == (1, printed)
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]


def test_a_query_that_never_ends_is_stopped(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONGROUND_SQL_SECONDS", "0.2")
    endless = "select count(*) from range(100000000) a, range(100000000) b"
    answer = AgentTools(open_store(store)).call("sql", {"query": endless})
    assert answer.is_error
    assert answer.text.startswith("The query was stopped after 0.2 s, the limit.")


def _nest(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


LONG = "x" * 100_000
ODD: list[Any] = [
    *(None, True, -1, 10**400, 1e308, "", "\0", "nan", "-5", "٣", LONG, "9" * 6_000),
    *([], {}, [LONG], {LONG: 1}, _nest(100)),
]


def test_whatever_is_sent_the_answer_is_bounded_and_errors_say_what_to_do(store: Path) -> None:
    tools = AgentTools(open_store(store), [cg.open_world(each.name) for each in iterate_worlds()])
    for name, tool in tools.tools.items():
        fields = tool.parameters.get("properties", {})
        least = {
            field: fields[field].get("enum", ["1"])[0] for field in tool.parameters["required"]
        }
        sent: list[Any] = [{**least, field: value} for field in fields for value in ODD]
        sent += [{}, {**least, LONG: 1}, dict.fromkeys(map(str, range(5_000))), [1], LONG]
        for arguments in sent:
            answer = tools.call(name, arguments)
            assert len(answer.text) <= MOST_CHARACTERS
            if answer.is_error:
                assert answer.text[-1] in ".?", (name, answer.text[-100:])
                assert len(answer.text) < 5_000
    answer = tools.call(LONG, {})
    assert "There are: " in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "select range n from range(100000)",
        "select repeat('x', 10000000) as long",
        "select repeat('x', 900) as long, range n from range(200)",
    ],
)
def test_answers_are_bounded_and_still_json(store: Path, query: str) -> None:
    answer = AgentTools(open_store(store)).call("sql", {"query": query})
    assert not answer.is_error
    assert len(answer.text) <= MOST_CHARACTERS
    found = json.loads(answer.text)
    assert 1 <= len(found["rows"]) <= 200


def test_an_answer_says_how_many_of_its_cells_were_cut(store: Path) -> None:
    query = "select repeat('x', n) as a, repeat('y', 1001) as b from (values (1000), (1001)) t(n)"
    found = json.loads(AgentTools(open_store(store)).call("sql", {"query": query}).text)
    ends = [[cell[-17:] for cell in row] for row in found["rows"]]
    assert ends == [["x" * 17, "(1001 characters)"], ["(1001 characters)"] * 2]
    assert (found["cut_cells"], found["is_cut"]) == (3, False)
    short = AgentTools(open_store(store)).call("sql", {"query": "select 1 as n"})
    assert json.loads(short.text)["cut_cells"] == 0


def test_a_long_dialogue_comes_in_pieces(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonground.agent_tools.MOST_LINES", 5)
    tools = AgentTools(open_store(store))
    whole, at = [], 0
    while True:
        text = tools.call(
            "show", {"corpus": "photobook", "dialogue_id": "0", "first_line": at}
        ).text
        lines = text.split("\n")
        whole += lines[:5]
        at += 5
        if len(lines) <= 5:
            break
        assert lines[5].endswith(f"first_line {at}]")
    monkeypatch.undo()
    assert tools.call("show", {"corpus": "photobook", "dialogue_id": "0"}).text == "\n".join(whole)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("fly", {}, "There is no tool 'fly'."),
        ("search", {"corpus": "fames"}, "Did you mean frames?"),
        ("search", {"corpus": "frames", "query": '"'}, "quotation mark"),
        ("search", {"corpus": "frames", "first": -1}, "search: Expected `int` >= 0"),
        ("show", {"corpus": "frames"}, "show: Object missing required field `dialogue_id`"),
        ("show", {"corpus": "frames", "dialogue_id": "../x"}, "'../x'"),
        ("stats", {"corpus": "frames", "figure": "nothing"}, "nothing"),
        ("check", {"corpus": "frames", "code": "CG-X-001"}, "CG-X-001"),
        ("list_corpora", None, ""),
    ],
)
def test_what_is_wrong_with_a_call_is_an_answer(
    store: Path, name: str, arguments: Any, words: str
) -> None:
    answer = AgentTools(open_store(store)).call(name, arguments)
    assert answer.is_error == bool(words)
    assert words in answer.text
