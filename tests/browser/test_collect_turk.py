"""The pages within a page of Mechanical Turk, which is played here: nothing goes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from tests.browser.visiting import Served, consent
from tests.unit.play.rooms.platforms import Turk


def test_a_worker_previews_accepts_and_submits_in_a_frame(
    study: Served, new_context: Callable[..., Any]
) -> None:
    path = study.folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("mturk = false", "mturk = true"), encoding="utf-8")
    study.start()
    turk = Turk()
    shown = [turk.preview()]
    taken: list[str] = []

    def answer(route: Any) -> None:
        request = route.request
        if request.method == "POST":
            fields = {key: value[0] for key, value in parse_qs(request.post_data).items()}
            taken.append(turk.take_form("post", request.url, fields))
            route.fulfill(body="Submitted.", content_type="text/html")
        else:
            frame = f'<iframe src="{study.address}{shown[-1]}" width="900" height="700"></iframe>'
            route.fulfill(body=f"<!doctype html><h1>Task</h1>{frame}", content_type="text/html")

    context = new_context()
    # Browsers ask before a page of the web shows one of this machine; studies are on the web.
    context.grant_permissions(["local-network-access"])
    context.route(f"{Turk.HOST}/**", answer)
    page = context.new_page()
    page.goto(f"{Turk.HOST}/tasks/H1")
    task = page.frame_locator("iframe")
    task.locator("[role=status]", has_text="This is a preview").wait_for()
    assert task.locator("form").count() == 0
    shown.append(turk.accept("W1"))
    page.reload()
    task.locator("input[name=agree]").wait_for()
    consent(task)
    for _ in range(2):  # the questions are failed until there are no tries left
        task.locator("#quiz").wait_for()
        for question in task.locator("fieldset").all():
            question.locator("input").first.check()
        task.locator("button.main").click()
        task.locator("[role=alert]:visible, .code-text").first.wait_for()
    receipt = task.locator(".code-text").inner_text()
    task.locator("form[action*=externalSubmit] button").click()
    task.locator("text=Submitted.").wait_for()
    assert taken == [receipt]
