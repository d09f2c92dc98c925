"""Two people play in real browsers; the pages work by keyboard, in any language, and small."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

COMMAND = "from commonground.cli import main; main()"
ANSWERS = {"common": "1", "chat": "2", "submit": "0"}
MARKS = {"red_cup": "common", "house_tree": "different", "boat": "common"}
ROOM = Path("src/commonground/corpora/photobook/scenario/room")
SHOTS = os.environ.get("COMMONGROUND_SHOTS")
"""A folder to keep pictures of the pages in, to be looked at."""


class Served:
    """A study that a process serves.

    Args:
        folder: to make it in.
        languages: of the pages.
    """

    def __init__(self, folder: Path, *languages: str) -> None:
        self.folder = folder / "pilot"
        words = [word for each in languages for word in ("--language", each)]
        self.run("new", str(self.folder), "--scenario", "photobook", *words)
        self.process: subprocess.Popen[str] | None = None
        self.port = "0"

    def run(self, *words: str) -> str:
        command = [sys.executable, "-c", COMMAND, "collect", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def start(self) -> None:
        command = [sys.executable, "-c", COMMAND, "collect", "serve", str(self.folder)]
        self.process = subprocess.Popen(
            [*command, "--port", self.port, "--monitor-port", "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        said = [self.process.stdout.readline().split()[-1] for _ in range(2)]
        self.address, self.monitor = said[0].rstrip("/"), said[1]
        self.port = self.address.rpartition(":")[2]

    def kill(self) -> None:
        if self.process is not None and self.process.stdout is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    """A study in English and German that is not served yet."""
    study = Served(tmp_path, "en", "de")
    yield study
    study.kill()


@pytest.fixture
def served(study: Served) -> Served:
    study.start()
    return study


def keep(page: Any, name: str, *, whole: bool = False) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=whole)


def check_accessible(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    serious = [v["id"] for v in found if v["impact"] in ("serious", "critical")]
    assert serious == [], [(v["id"], v["nodes"][0]["html"]) for v in found]


def check_fits(page: Any) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{wide} pixels too wide"


def consent(page: Any) -> None:
    page.locator("input[name=agree]").check()
    page.locator("button.main").click()


def pass_quiz(page: Any) -> None:
    for name, value in ANSWERS.items():
        page.locator(f"input[name={name}][value='{value}']").check()
    page.locator("button.main").click()


def practise(page: Any) -> None:
    for name, value in MARKS.items():
        page.locator(f"input[name={name}][value={value}]").check()
    page.locator("button.main").click()
    page.locator("form[action$='/ready'] button").click()


def enter(page: Any) -> None:
    """Leads somebody from the start page into the waiting room, or to the table."""
    page.locator("button.main").click()
    consent(page)
    pass_quiz(page)
    practise(page)


def at_the_table(page: Any) -> None:
    page.locator("#pb-grid .pb-card").first.wait_for()


def say(page: Any, text: str) -> None:
    page.locator("#text").fill(text)
    page.locator("#text").press("Enter")


def mark(page: Any, label: str = "common") -> None:
    for choice in page.locator(".pb-choice").all():
        choice.locator(f"input[value={label}]").check()


def play_pages(pages: list[Any], first: int = 1) -> None:
    for number in range(first, 6):
        for page in pages:
            page.locator(f"h1:has-text('{number}')").wait_for()
            mark(page)
            page.locator("#pb-submit").click()
        for page in pages:
            page.locator("#pb-score").wait_for()
            if number < 5:
                page.locator("#pb-next").click()


def answer_questions(page: Any) -> None:
    for name in ("col", "partner_u", "self_u"):
        page.locator(f"input[name={name}][value='5']").check()
    page.locator("#pb-questions button.main").click()


def test_two_people_play_a_whole_game(served: Served, open_page: Callable[..., Any]) -> None:
    views = (
        {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
        {"viewport": {"width": 820, "height": 1180}, "color_scheme": "dark"},
    )
    pages = [open_page(served.address, **view) for view in views]
    for page, name in zip(pages, "ab", strict=True):
        enter(page)
        keep(page, f"entered-{name}")
    for page in pages:
        at_the_table(page)
    a, b = pages
    say(a, "hello <b>you</b>")
    b.locator(".partner .text", has_text="hello <b>you</b>").wait_for()
    say(b, "hi! mine is a green triangle over a red cross")
    a.locator(".partner .text").wait_for()
    mark(a)
    mark(b, "different")
    for page, name in zip(pages, "ab", strict=True):
        check_accessible(page)
        check_fits(page)
        keep(page, f"play-{name}")
    watcher = open_page(served.monitor)
    watcher.locator("td", has_text="page 1").wait_for()
    assert watcher.locator("#no-out").inner_text() == "Nobody has left."
    assert not watcher.locator("#out-table").is_visible()
    check_accessible(watcher)
    keep(watcher, "monitor")
    watcher.locator("text=Watch").first.click()
    watcher.locator("text=hello").first.wait_for()
    check_accessible(watcher)
    keep(watcher, "watch")
    play_pages(pages)
    for page, name in zip(pages, "ab", strict=True):
        page.locator("#pb-questions").wait_for()
        check_accessible(page)
        keep(page, f"questions-{name}", whole=True)
        answer_questions(page)
    left = open_page(served.monitor)
    left.locator("#out tr").nth(1).wait_for()
    assert not left.locator("#no-out").is_visible()
    codes = [page.locator(".code-text").inner_text() for page in pages]
    assert codes[0] == codes[1] != ""
    check_accessible(a)
    keep(a, "exit-a")
    exported = served.folder.parent / "OUT"
    assert "1 complete session" in served.run("export", str(served.folder), str(exported))
    assert len(list((exported / "logs").glob("*.json"))) == 1


def test_browsers_go_on_after_the_server_was_killed(served: Served, chromium: Any) -> None:
    # Pages complain in the console while the line is cut, as they should.
    contexts = [chromium.new_context() for _ in range(2)]
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.goto(served.address)
        enter(page)
    for page in pages:
        at_the_table(page)
    say(pages[0], "before the fall")
    pages[1].locator(".partner .text").wait_for()
    pages[0].locator(".pb-choice input[value=common]").first.check()
    pages[0].locator(".sending").wait_for(state="detached")
    served.kill()
    pages[0].locator("#banner:visible").wait_for()
    say(pages[0], "in the dark")
    pages[0].locator(".sending").wait_for()
    served.start()
    # Waits of a second at most lie between two tries of a page.
    pages[1].locator(".partner .text", has_text="in the dark").wait_for(timeout=2_500)
    pages[0].locator(".sending").wait_for(state="detached")
    assert pages[0].locator(".pb-choice input[value=common]").first.is_checked()
    texts = pages[1].locator(".partner .text").all_inner_texts()
    assert texts == ["before the fall", "in the dark"]
    for context in contexts:
        context.close()


def test_small_screens_and_the_keyboard_alone(
    served: Served, open_page: Callable[..., Any]
) -> None:
    view = {"viewport": {"width": 360, "height": 740}}
    page = open_page(f"{served.address}/?lang=de", **view)
    check_accessible(page)
    check_fits(page)
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.tagName") != "BUTTON":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("input[name=agree]").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "consent-360", whole=True)
    page.locator("input[name=agree]").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#quiz").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "instructions-360", whole=True)
    pass_quiz(page)
    page.locator(".pb-practice").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "warm-up-360", whole=True)
    practise(page)
    page.locator(".waiting").wait_for()
    check_accessible(page)
    check_fits(page)
    keep(page, "waiting-360")
    other = open_page(served.address)
    enter(other)
    at_the_table(page)
    at_the_table(other)
    check_accessible(page)
    check_fits(page)
    # Marks and messages by keys only.
    first = page.locator(".pb-choice input").first
    first.focus()
    page.keyboard.press("Space")
    assert first.is_checked()
    page.keyboard.press("ArrowRight")
    assert page.locator(".pb-choice input").nth(1).is_checked()
    page.locator("#text").focus()
    page.keyboard.type("guten Tag")
    page.keyboard.press("Enter")
    other.locator(".partner .text", has_text="guten Tag").wait_for()
    keep(page, "chat-360", whole=True)


def test_no_text_is_untranslated(study: Served, open_page: Callable[..., Any]) -> None:
    """With a catalogue in which all texts are in brackets, all that is shown is in brackets."""
    _write_pseudo(study.folder / "texts")
    study.start()
    page = open_page(study.address)
    _check_brackets(page)
    page.locator("button.main").click()
    page.locator("input[name=agree]").wait_for()
    _check_brackets(page)
    consent(page)
    page.locator("#quiz").wait_for()
    _check_brackets(page)
    pass_quiz(page)
    page.locator(".pb-practice").wait_for()
    _check_brackets(page)
    practise(page)
    page.locator("#waited:not(:empty)").wait_for()
    _check_brackets(page)
    other = open_page(study.address)
    enter(other)
    at_the_table(page)
    at_the_table(other)
    say(other, "plain words")
    page.locator(".partner .text").wait_for()
    _check_brackets(page)
    play_pages([page, other])
    _check_brackets(page)
    page.locator("#leave-open").click()
    page.locator("#leave button.main").click()
    page.locator(".code-text").wait_for()
    other.locator(".code-text").wait_for()
    _check_brackets(page)
    _check_brackets(other)
    _check_brackets(open_page(f"{study.address}/?participant=somebody"))


def _write_pseudo(folder: Path) -> None:
    root = Path(__file__).parents[2]
    folder.mkdir()
    merged: dict[str, Any] = {}
    for path in (root / "src/commonground/rooms/texts/en.toml", root / ROOM / "en.toml"):
        _merge(merged, tomllib.loads(path.read_text(encoding="utf-8")))
    (folder / "en.toml").write_text("\n".join(_bracket(merged, "")), encoding="utf-8")


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _bracket(value: Any, name: str) -> Iterator[str]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in pairs:
        path = f"{name}.{key}" if name else str(key)
        if isinstance(each, str):
            yield f'{path} = "⟦{each}⟧"'
        else:
            yield from _bracket(each, path)


_SHOWN = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    const text = node.data.trim();
    if (text && !parent.closest("script, style, [data-own]")) found.push(text);
  }
  for (const each of document.querySelectorAll("[aria-label], [alt], [placeholder], [title]")) {
    for (const name of ["aria-label", "alt", "placeholder", "title"]) {
      const text = each.getAttribute(name);
      if (text && text.trim()) found.push(text.trim());
    }
  }
  return found;
}"""


def _check_brackets(page: Any) -> None:
    page.locator("h1").first.wait_for(state="attached")
    texts = page.evaluate(_SHOWN)
    assert texts
    plain = [text for text in texts if not re.fullmatch(r"⟦.*⟧|\d+", text, re.DOTALL)]
    assert plain == []
