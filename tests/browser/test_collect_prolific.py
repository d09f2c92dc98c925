"""The monitor of a study at Prolific: looked up, approved and paid with a word of consent each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.browser.visiting import Served, check_both_schemes, keep
from tests.unit.play.collect.prolific.fake import (
    TOKEN,
    FakeProlific,
    hand_in_all,
    run_prolific,
    tell_prolific,
)
from tests.unit.play.rooms.leaving import see_everybody_out
from tests.unit.play.rooms.platforms import Prolific

from commonground.play.collect.prolific.api import ADDRESS, open_api
from commonground.play.collect.prolific.drafts import create_draft
from commonground.play.collect.setup.study import open_study


def test_the_monitor_approves_and_pays_once(
    study: Served, open_page: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_prolific(study.folder)
    tokens = see_everybody_out(study.folder, Prolific.identify)
    with run_prolific() as fake:
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        monkeypatch.setenv(ADDRESS, fake.address)
        create_draft(open_study(study.folder), open_api())
        people = hand_in_all(study.folder, fake, tokens)
        fake.hand_in("stranger", "nobody", "")
        study.start()
        pay(open_page(study.monitor), fake, len(people))


def test_the_monitor_makes_the_draft_once(
    study: Served, open_page: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_prolific(study.folder)
    with run_prolific() as fake:
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        monkeypatch.setenv(ADDRESS, fake.address)
        study.start()
        page = open_page(study.monitor)
        check_both_schemes(page)
        with page.expect_navigation():  # no button does anything before the page is loaded
            page.locator("#prolific-create").click()
        page.locator("#prolific-look").click()
        page.locator("#prolific-state", has_text="UNPUBLISHED").wait_for()
        assert len(fake.studies) == 1
        page.locator("#prolific-create").wait_for(state="detached")


def pay(page: Any, fake: FakeProlific, count: int) -> None:
    answers: list[str] = []
    asked: list[str] = []

    def answer(dialog: Any) -> None:
        asked.append(dialog.message)
        said = answers.pop(0)
        if said == "no":
            dialog.dismiss()
        else:
            dialog.accept(said)

    page.on("dialog", answer)
    page.locator("#prolific-look").click()
    rows = page.locator("#prolific tr")
    rows.nth(count).wait_for()
    assert rows.filter(has_text="nobody in the study belongs to it").locator("button").count() == 0
    check_both_schemes(page)
    keep(page, "monitor-prolific", whole=True)
    done = rows.filter(has=page.locator("td:nth-child(2)", has_text="completed")).first
    answers[:] = ["no"]
    done.locator("button").first.click()
    assert "Prolific pays the reward: 4.50 EUR." in asked[-1]
    answers[:] = [""]
    done.locator("button").first.click()
    done.locator("td", has_text="APPROVED").wait_for()
    assert [e["status"] for e in fake.submissions.values()].count("APPROVED") == 1
    for _ in range(2):
        answers[:] = ["1,50", "bonus", ""]
        done.locator("button").last.click()
        done.locator("td", has_text="1.50").wait_for()
    page.locator("#state", has_text="nothing was paid now").wait_for()
    assert "1.50 EUR" in asked[-1]
    assert [cents for _, cents in fake.paid] == [150]
    answers[:] = [""]
    page.locator("#prolific-all").click()
    page.locator("#prolific-all").wait_for(state="hidden")
    assert "4.50 EUR each" in asked[-1]
    assert fake.submissions["stranger"]["status"] == "AWAITING REVIEW"
