"""Somebody plays with a language model in a real browser, and the researcher looks on."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from tests.browser.visiting import (
    Served,
    all_sent,
    answer_questions,
    at_the_table,
    check_accessible,
    check_fits,
    consent,
    keep,
    pass_quiz,
    play_pages,
    say,
)
from tests.forks import MODELS
from tests.thorough import thorough
from tests.unit.bench.inspect_tasks.stub import serve
from tests.unit.play.rooms.minds import (
    MODEL,
    WAIT,
    Call,
    answer_by,
    environment,
    play_photobook,
    settings_of,
)

pytest.importorskip("openai")

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
GREETING = "do you have a red one too?"


def wait_first() -> Callable[[dict[str, Any], dict[str, Any]], Call]:
    """Returns what a model does that waits twice, though nothing happens, before it speaks."""
    asked = count()

    def decide(view: dict[str, Any], tools: dict[str, Any]) -> Call:
        return (WAIT, {}) if next(asked) < 2 else play_photobook(view, tools)

    return decide


def look_at(page: Any, name: str) -> None:
    """Looks at a page on a wide screen and on a telephone."""
    for size in (NARROW, WIDE):
        page.set_viewport_size(size)
        keep(page, f"{name}-{size['width']}")
        check_fits(page)
    check_accessible(page)


def read_conditions(monitor: Any) -> dict[str, tuple[int, ...]]:
    """Returns how many sessions of each condition are complete and under way, by its name."""
    rows = [row.split("\t") for row in monitor.locator("#conditions tr").all_inner_texts()]
    return {name: tuple(map(int, counts)) for name, *counts in rows}


@thorough
def test_a_person_plays_a_whole_game_with_a_model_and_the_monitor_says_so(
    study: Served, open_page: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = study.folder / "study.toml"
    text = path.read_text("utf-8").replace("model_partners = false", "model_partners = true")
    text = text.replace("warm_up = true", "warm_up = false")
    # Anyone who comes meets a model, in one seat or the other.
    path.write_text(text + settings_of({"A": MODEL}, {"B": MODEL}), "utf-8")
    with serve(answer_by(wait_first())) as stub:
        for name, value in environment(stub).items():
            monkeypatch.setenv(name, value)
        study.start(MODELS)
        page = open_page(study.address, viewport=WIDE)
        page.locator("button.main").click()
        page.locator("input[name=agree]").wait_for()
        consented = page.locator("main").inner_text()
        assert "Your partner may be another participant or a computer program." in consented
        keep(page, "model-consent", whole=True)
        consent(page)
        pass_quiz(page)
        at_the_table(page)
        assert "language model" in page.locator("#with-model").inner_text()
        page.locator(".partner .text", has_text=GREETING).wait_for()
        say(page, "no, mine are all blue")
        all_sent(page)
        look_at(page, "model-partner")
        monitor = open_page(study.monitor, viewport=WIDE)
        monitor.locator("#sessions .player", has_text=MODEL).wait_for()
        assert "Cost of models" in monitor.locator("#figures").inner_text()
        assert sorted(read_conditions(monitor)) == [f"A={MODEL}", f"B={MODEL}"]
        assert sorted(read_conditions(monitor).values()) == [(0, 0), (0, 1)]
        look_at(monitor, "model-monitor")
        play_pages([page])
        answer_questions(page)
        page.locator(".code-text").wait_for()
        keep(page, "model-exit")
        monitor.reload()
        monitor.locator("#out tr").nth(0).wait_for()
        keep(monitor, "model-monitor-end", whole=True)
        assert sorted(read_conditions(monitor).values()) == [(0, 0), (1, 0)]
