"""PhotoBook on the demo site: the rules play in the browser as they play here, and people can."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest
from scripts import build_demo_site
from tests.sharing import build_once
from tests.thorough import thorough

from commonground.play.player import Moment, Move, Seat, Wait
from commonground.play.scenario import Refusal
from commonground.play.scenarios.photobook.material import PhotobookMaterial, invent_material
from commonground.play.scenarios.photobook.players.script import PLAYER
from commonground.play.scenarios.photobook.rules import SCENARIO
from commonground.store.access import import_files

sys.path.append(str(build_demo_site.SOURCES))
import solo  # type: ignore[import-not-found]

MATERIALS = invent_material(build_demo_site.GAMES, build_demo_site.SEED)
START_MS = 1_800_000_000_000.0
FEW, REPLAYS = 5, 100
PARTNER_MS = 600_000
"""More than the partner takes for a page, by the clock of the browser, which a test may advance."""

REPLAY = """
import hashlib, json, solo

def replay(materials, seed, calls):
    found = []
    for number, (name, words) in enumerate(calls):
        if number == 0:
            game = solo.begin(materials, seed, *words)
            continue
        said = getattr(game, name)(*words)
        found.append(hashlib.sha256(said.encode()).hexdigest()[:16])
    return found + [game.log().data.decode()]

json.dumps([replay(materials, seed, calls) for seed, calls in json.loads(games)])
"""
"""What the browser does with the calls of each game: it answers with a hash of what is said."""


class Course(NamedTuple):
    """A game that was played here.

    Attributes:
        seed: of the game.
        calls: what the page asked of it, with the words of each call.
        said: a hash of each answer, and the released log at the end.
    """

    seed: int
    calls: list[tuple[str, list[Any]]]
    said: list[str]


class Person:
    """A scripted player who sits at the page, and decides anew whenever something happened."""

    def __init__(self, material: PhotobookMaterial, seed: int) -> None:
        self._player = PLAYER.enter(Seat("A", material, seed))
        self._rng = Random(seed)
        self.plan: Move | Wait | None = None
        self.due_ms = math.inf

    def think(self, game: Any, now_ms: float, refusal: Refusal | None) -> None:
        view, allowed = SCENARIO.view(game.state, "A"), SCENARIO.allowed(game.state, "A")
        moment = Moment("A", view, allowed, round(now_ms * 1000), self.plan, refusal)
        plan = self._player.next_move(moment, self._rng)
        if plan is not self.plan:
            delay_s = plan.delay_s
            self.plan = plan
            self.due_ms = math.inf if delay_s is None else now_ms + delay_s * 1000


def play_game(seed: int) -> Course:
    """Plays a game as the page does, with a clock of its own."""
    now_ms, materials = START_MS, msgspec.json.encode(MATERIALS).decode()
    game = solo.begin(materials, seed, now_ms)
    person = Person(MATERIALS[seed % len(MATERIALS)], seed)
    course = Course(seed, [("begin", [now_ms])], [])

    def call(name: str, *words: Any) -> str:
        said = getattr(game, name)(*words)
        course.calls.append((name, list(words)))
        course.said.append(hashlib.sha256(said.encode()).hexdigest()[:16])
        return str(said)

    call("receive", '{"hello": {}}', now_ms)
    while not game.is_over():
        person.think(game, now_ms, None)
        rest_ms = game.rest_ms()
        wake_ms = math.inf if rest_ms is None else now_ms + rest_ms
        now_ms = min(person.due_ms, wake_ms)
        assert now_ms < math.inf, f"nobody acts any more in game {seed}"
        if wake_ms <= person.due_ms:
            call("wake", now_ms)
            continue
        plan, person.plan, person.due_ms = person.plan, None, math.inf
        if isinstance(plan, Move):
            act = {"client_msg_id": "1", "type": plan.type, "payload": plan.payload}
            round_nr = SCENARIO.view(game.state, "A")["round"]
            said = call("receive", json.dumps({"act": act | {"round": round_nr}}), now_ms)
            assert "ack" in said, said
    course.said.append(game.log().data.decode())
    return course


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Says nothing of requests."""


@pytest.fixture(scope="module")
def game_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page of the game."""

    def build(folder: Path) -> None:
        build_demo_site.write_front(folder)
        build_demo_site.write_game(folder / "play", build_demo_site.BUILD / "npm")

    try:
        folder = build_once(tmp_path_factory, "demo-site", build)
    except (OSError, SystemExit) as error:
        pytest.skip(f"Pyodide or its msgspec is not at hand: {error}")
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/play/index.html"
        server.shutdown()


def test_a_game_ends_and_its_log_is_imported(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "0_0_0_1.json").write_text(play_game(7).said[-1], encoding="utf-8")
    (game,) = import_files("photobook", logs, store=tmp_path / "store")
    assert {each.segment for each in game.utterances()} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("template", ["front_page.html", "game_page.html"])
def test_pages_name_nothing_on_the_root_of_a_host_or_elsewhere(template: str) -> None:
    text = build_demo_site.render(template)
    assert re.findall(r'(?:src|href|action)="(?:/|\w+:)[^"]*"', text) == []


@thorough
def test_many_games_in_the_browser_are_those_played_here(
    game_site: str, open_page: Callable[..., Any]
) -> None:
    check_replays(open_page(game_site), REPLAYS)


def check_replays(page: Any, number: int) -> None:
    """Plays games here and by the rules in the browser, which say the same."""
    chance = Random()
    courses = [play_game(chance.getrandbits(32)) for _ in range(number)]
    games = json.dumps([(each.seed, each.calls) for each in courses])
    found = page.evaluate(
        """async ([code, games]) => {
            const { python } = await import("./python.js");
            const loaded = await python;
            const materials = await (await fetch("material.json")).text();
            loaded.globals.set("games", games);
            loaded.globals.set("materials", materials);
            return loaded.runPython(code);
        }""",
        [REPLAY, games],
    )
    for course, said in zip(courses, json.loads(found), strict=True):
        assert said == course.said, f"game of seed {course.seed}"


def test_a_person_marks_and_writes_and_the_partner_answers(
    game_site: str, open_page: Callable[..., Any]
) -> None:
    page = open_page(f"{game_site}?seed=5")
    page.locator(".pb-choice input:not([disabled])").first.check()
    page.locator("#text").fill("hello, are you ready?")
    page.locator("#write button").click()
    page.locator("#message-list li.you").wait_for()
    page.locator("#message-list li.partner").first.wait_for()
    assert page.locator(".pb-choice input:checked").count() == 1
    assert page.locator("#refusal").is_hidden()
    check_replays(page, FEW)
    page.locator("#leave-open").click()
    page.locator("#leave button.main").click()
    page.wait_for_url("**/index.html")


@thorough
def test_a_game_is_played_to_its_end(game_site: str, open_page: Callable[..., Any]) -> None:
    page = open_page("about:blank")
    page.clock.install()
    page.goto(f"{game_site}?seed=5")
    for number in range(1, 6):
        page.get_by_role("heading", name=f"Page {number} of 5").wait_for()
        for choice in page.locator(".pb-choice").all():
            choice.locator("input:not([disabled])").first.check()
        page.locator("#pb-submit").click()
        page.clock.run_for(PARTNER_MS)
        if number < 5:
            page.locator("#pb-next").click()
            page.clock.run_for(PARTNER_MS)
    for name in ("col", "partner_u", "self_u"):
        page.locator(f"input[name={name}][value='4']").check()
    page.locator("#pb-questions button").click()
    page.clock.run_for(PARTNER_MS)
    page.locator("#demo-over[open]").wait_for()
    with page.expect_download() as download:
        page.locator("#demo-log").click()
    game = json.loads(download.value.path().read_bytes())
    assert len(game["rounds"]) == 5
    assert game["feedback"]["A"].startswith("col:4")
