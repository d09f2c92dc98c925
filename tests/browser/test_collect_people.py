"""The table of participants in the monitor: sorted, looked into, acted upon."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

from tests.browser.visiting import Served, began, check_both_schemes, check_fits, keep
from tests.unit.play.rooms.leaving import see_everybody_out

from commonground.play.collect.setup.study import open_study


def test_a_researcher_sorts_looks_excludes_and_writes(
    study: Served, open_page: Callable[..., Any]
) -> None:
    see_everybody_out(study.folder)
    study.start()
    page = open_page(study.monitor, viewport={"width": 1440, "height": 900})
    page.locator("#people").click()
    rows = page.locator("#rows tr")
    rows.first.wait_for()
    heads = page.locator("#heads button")
    heads.filter(has_text="Done").click()
    heads.filter(has_text="Done ↑").click()
    page.locator("[aria-sort=descending]").wait_for()
    assert rows.first.locator("td").nth(2).inner_text() == "1"
    number = rows.first.locator("td").first.inner_text()
    rows.first.locator("[data-act=look]").click()
    page.locator("#look-sessions a").first.wait_for()
    check_both_schemes(page)

    answers = ["answers at random", "Thank you!"]
    page.on("dialog", lambda dialog: dialog.accept(answers.pop(0) if answers else ""))
    rows.first.locator("[data-act=exclude]").click()
    excluded = rows.filter(has=page.locator(".badge.excluded"))
    excluded.wait_for()
    assert "answers at random" in excluded.inner_text()
    assert excluded.locator("td").first.inner_text() == number
    excluded.locator("[data-act=tell]").click()
    page.locator("#state", has_text="Done.").wait_for()
    for width, height in ((1440, 900), (768, 1024), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        check_fits(page)
        keep(page, f"people-{width}", whole=True)
    page.locator("#look-sessions a").first.click()
    page.locator("#talk-title").wait_for()
    page.locator(".orders").wait_for(state="hidden")

    data = page.request.get(f"{page.url.partition('/watch')[0]}/people.json?sort=state&down=1")
    (reader,) = (row["participant"] for row in data.json()["rows"] if row["state"] == "excluded")
    with closing(open_study(study.folder).open_identities()) as identities:
        token = identities.token(reader)
    told = open_page(f"{study.address}/p/{token}", storage_state=began(study, token))
    told.locator(".told", has_text="Thank you!").wait_for()
    check_both_schemes(told)
    keep(told, "people-told")
