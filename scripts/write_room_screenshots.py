"""Writes pictures of the pages that people work on, with invented data, to ``docs/images``.

Usage: ``python scripts/write_room_screenshots.py [SCENARIO ...]``. Needs playwright and the
system's Chromium. Each scenario has a scene below: what it is played with, and what is done until
the picture is taken. Where several people play, each has a page; the last one is seen.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from PIL import Image
from playwright.sync_api import sync_playwright

from commonground.corpora import get_corpus
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.rooms.players.rehearsing import serve_beside
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.frames.travel import database as travel
from commonground.play.scenarios.simmc.annotation import material as annotation
from commonground.play.scenarios.simmc.fashion import material as fashion
from commonground.play.scenarios.simmc.furniture import material as furniture
from commonground.play.scenarios.simmc.release import release_records
from commonground.play.simulating import simulate_corpus
from commonground.store.access import import_files

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
WIDTH = 1000
"""Pixels across of a picture in the docs."""


class Scene(NamedTuple):
    """What a picture shows.

    Attributes:
        prepare: writes what is played with into a folder.
        act: leads the page of each seat from the first look at the work to what the picture shows.
        height: pixels of the window.
        breadth: pixels across of the window.
    """

    prepare: Callable[[Path], None]
    act: Callable[..., None]
    height: int
    breadth: int = 1280


def write_talk(folder: Path) -> None:
    """Writes an invented talk in which things are compared, without pictures: they are drawn."""
    (talk, *_) = annotation.invent_material(2, 27)
    annotation.write_material([talk], folder, None)
    records = [each for each in (talk.dialogue, talk.calls, talk.task) if each is not None]
    for file in release_records(records):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)


def annotate(page: Any) -> None:
    """Goes on to the comparison, accepts some of its proposals and searches for its act."""
    page.locator("#sa-words:focus").wait_for()
    for number in range(2, 8):
        page.keyboard.press("Enter")
        page.locator(f"#sa-place:has-text('Utterance {number} of')").wait_for()
    page.keyboard.press("1")
    page.locator("#sa-words").focus()
    page.keyboard.press("a")
    page.locator("#sa-query").press_sequentially("sk comp p")
    page.locator("#sa-options [aria-selected=true]").wait_for()


def draw_clothes(folder: Path) -> None:
    """Writes an invented catalogue of clothes without pictures, so that they are drawn."""
    fashion.write_material(fashion.invent_material(5)[1:2], folder, None)
    (folder / "simmc_fashion" / "fashion_metadata.json").rename(folder / "fashion_metadata.json")


def sell_clothes(user: Any, assistant: Any) -> None:
    """Has something else shown and its price told."""
    say(user, assistant, "I like it. Do you have something with stripes, and what does it cost?")
    assistant.locator("#fa-database .fa-thumb").nth(1).click()
    assistant.locator("[data-attribute=price]").click()
    assistant.locator("[data-attribute=price][aria-pressed=true]").wait_for()
    assistant.locator("#text").fill("How about this one?")


def draw_furniture(folder: Path) -> None:
    """Writes an invented catalogue of furniture without pictures, so that it is drawn."""
    furniture.write_material(furniture.invent_material(3), folder, None)
    path = folder / "simmc_furniture" / "furniture_metadata.csv"
    path.rename(folder / path.name)


def sell_furniture(user: Any, assistant: Any) -> None:
    """Has three things shared, and searches for others."""
    say(user, assistant, "Hello, I need something to sit on.")
    find(assistant, "Dining Chairs")
    assistant.locator("#fu-share").click()
    user.locator("#fu-scene .fu-thing").nth(2).wait_for()
    say(assistant, user, "Like these?")
    say(user, assistant, "No, a sofa. Something simple.")
    find(assistant, "Sofas")


def find(assistant: Any, kind: str) -> None:
    """Searches for furniture of a type, and waits until it is there."""
    assistant.locator("[name=furnitureType]").select_option(kind)
    assistant.locator("#fu-find").click()
    assistant.locator(".fu-card figcaption", has_text=kind.lower()).first.wait_for()


def write_trips(folder: Path) -> None:
    """Writes the invented packages as a list of one's own."""
    database = travel.open_database(travel.Invention(1))
    packages = [database.package(number) for number in range(len(database.deals))]
    (folder / "packages.json").write_bytes(msgspec.json.encode(packages))


def offer_a_trip(user: Any, wizard: Any) -> None:
    """Notes what the user wants, searches, and begins an offer."""
    wish = "Hello! We are 4 adults from Cusco and want to see Lisbon, not before August 22nd."
    say(user, wizard, wish)
    wizard.locator("#fr-all").click()
    wizard.locator("#fr-heard .fr-note").nth(1).wait_for()
    wizard.locator("[name=DESTINATION_CITY]").press("Enter")
    wizard.locator("#fr-rows button").nth(1).click()
    wizard.locator("#fr-draft li").wait_for()
    wizard.locator("#text").focus()


def say(author: Any, reader: Any, text: str) -> None:
    """Writes a text, and waits until the other one has it."""
    author.locator("#write button:enabled").wait_for()
    author.locator("#text").fill(text)
    author.locator("#text").press("Enter")
    reader.locator(".partner .text", has_text=text).wait_for()


TICKETS = """*THE SCENE: a ticket desk.* All films and times are made up.
{{LIST Use *your own words*, Be friendly and brief, Say what the hint asks for and no more}}

{{HIDE film name.movie Night Train}}
{{HIDE time_1 time.showing 6:30pm}}
{{HIDE time_2 time.showing 9:10pm}}
{{ENTER people num.tickets Who comes along?}}
{{CONVERSATION
force assistant Hello! Which film would you like to see?
hint user (Ask for ‘var_film’.)
force assistant var_film is on at var_time_1 and var_time_2.
hint user (Choose ‘var_time_2’, for ‘var_people’.)
}}
{{CHECK flow One turn follows from the other.}}
{{CHECK kind Nothing in it could hurt anybody.}}
"""
DRINKS = """*THE SCENE: a counter where one orders drinks.*
{{ENTER drink drink Which drink would you like?}}
{{CONVERSATION
force assistant Hi! What can I get you?
hint user (Order a ‘var_drink’.)
hint assistant (Repeat the order and ask whether it is right.)
hint user (Confirm.)
}}
"""


def write_script(text: str) -> Callable[[Path], None]:
    """Returns what writes a script of one's own."""

    def write(folder: Path) -> None:
        (folder / "Scene.script").write_text(text, encoding="utf-8")

    return write


def look_over_tickets(page: Any) -> None:
    """Writes a dialogue to its end, and opens one of the stretches that are marked."""
    page.locator("#tm-forms-page input").fill("my sister and me")
    page.locator("#tm-enter").click()
    for turn, text in {
        1: "Hi, is Night Train on tonight?",
        3: "9:10pm, please, for my sister and me.",
    }.items():
        page.locator(f"#tm-text-{turn}").fill(text)
        page.locator(f"#tm-text-{turn}").press("Enter")
        page.locator(f"[data-turn='{turn}'] .tm-said").wait_for()
    page.locator("[data-turn='3'] .tm-mark").first.click()
    page.locator("#tm-how").scroll_into_view_if_needed()


def order_drink(page: Any) -> None:
    """Fills in the form of a drink and is about to order it."""
    page.locator("#tm-forms-page input").fill("flat white")
    page.locator("#tm-enter").click()
    page.locator("#tm-text-1").fill("Morning! Could I have a ")
    page.locator("#tm-text-1").focus()


QUESTIONS = """
layer = "named"
corpus = "photobook"
question = "Does the message name this picture?"
store = "store"
query = '''
    SELECT dialogue_id, events.event, object_id AS candidate
    FROM events JOIN displays USING (corpus, dialogue_id, segment)
    WHERE kind = 'utterance' AND viewer = speaker AND events.event = 7 AND position < 4
    ORDER BY position
'''
"""


def write_threads(folder: Path) -> None:
    """Writes invented threads, with their pictures."""
    simulate_corpus(get_corpus("mpchat"), folder, dialogues=30, seed=4)


def import_game(folder: Path) -> None:
    """Imports an invented game, and asks which pictures a message names."""
    files = folder / "files"
    simulate_corpus(get_corpus("photobook"), files, dialogues=1, seed=4)
    import_files("photobook", files, images=files / "images", store=folder / "store")
    (folder / "labelling.toml").write_text(QUESTIONS, encoding="utf-8")


def label(page: Any) -> None:
    """Goes on to a unit that has a talk and four candidates, and answers two of these."""
    candidates = page.locator("#lb-candidates > li")
    candidates.first.wait_for()
    place = page.locator("#lb-place")
    while candidates.count() < 4 or page.locator("#lb-lines li").count() < 3:
        before = place.inner_text()
        while page.locator("#lb-submit").is_disabled():
            page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "(before) => document.getElementById('lb-place').textContent !== before", arg=before
        )
    page.keyboard.press("1")
    page.keyboard.press("2")


SCENES = {
    "frames": Scene(write_trips, offer_a_trip, 800),
    "labelling": Scene(import_game, label, 700),
    "mpchat": Scene(write_threads, label, 700),
    "simmc-annotation": Scene(write_talk, annotate, 800),
    "simmc-fashion": Scene(draw_clothes, sell_clothes, 860),
    "simmc-furniture": Scene(draw_furniture, sell_furniture, 800),
    "taskmaster3": Scene(write_script(TICKETS), look_over_tickets, 1320),
    "taskmaster4": Scene(write_script(DRINKS), order_drink, 780, 390),
}


def enter(page: Any, scenario: str) -> None:
    """Leads somebody from the start page to the waiting room, or to the work."""
    plan = tomllib.loads((get_scenario(scenario).room / "room.toml").read_text(encoding="utf-8"))
    page.locator("button.main").click()
    page.locator("input[name=agree]").check()
    page.locator("button.main").click()
    page.locator("form[action*='/quiz']").wait_for()
    for question in plan.get("quiz", ()):
        page.locator(f"input[name={question['name']}][value='{question['right']}']").check()
    page.locator("form[action*='/quiz'] button").click()
    for field in plan.get("practice", ()):
        page.locator(f"input[name={field['name']}][value='{field['right']}']").check()
    if plan.get("practice"):
        page.locator("form[action$='/practice'] button").click()
        page.locator("form[action$='/ready'] button").click()


def take_picture(browser: Any, scenario: str, folder: Path) -> bytes:
    """Plays a scene and returns its last look, as WebP."""
    scene, material = SCENES[scenario], folder / "material"
    material.mkdir()
    scene.prepare(material)
    prepare_study(folder / "study", scenario, material=material, languages=("en",))
    with serve_beside(folder / "study") as address:
        window = {"width": scene.breadth, "height": scene.height}
        roles = get_scenario(scenario).rules.roles
        pages = [browser.new_page(viewport=window, reduced_motion="reduce") for _ in roles]
        for page, role in zip(pages, roles, strict=True):
            page.goto(address if len(roles) == 1 else f"{address}/?role={role}")
            enter(page, scenario)
        for page in pages:
            page.locator("#ready:visible, .table").first.wait_for()
        for page in pages:
            if page.locator("#ready").is_visible():
                page.locator("#ready").click()
        for page in pages:
            page.locator(".table").wait_for()
        scene.act(*pages)
        seen = Image.open(io.BytesIO(pages[-1].screenshot()))
        for page in pages:
            page.close()
    width = min(WIDTH, seen.width)
    small = seen.convert("RGB").resize((width, width * seen.height // seen.width))
    data = io.BytesIO()
    small.save(data, "WEBP", quality=82)
    return data.getvalue()


def main() -> None:
    """Writes a picture for each scenario named, or for all."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        for scenario in sys.argv[1:] or SCENES:
            with tempfile.TemporaryDirectory() as folder:
                data = take_picture(browser, scenario, Path(folder))
            name = f"collect-{scenario}.webp"
            (IMAGES / name).write_bytes(data)
            sys.stdout.write(f"docs/images/{name}: {len(data):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
