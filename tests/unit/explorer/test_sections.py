from __future__ import annotations

import re
from collections import Counter

import pytest
from starlette.testclient import TestClient

from commonground.explorer.sections import Section, find_sections

SECTIONS = {each.name: each for each in find_sections()}


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_the_navigation_leads_to_every_section(client: TestClient, section: Section) -> None:
    page = client.get(f"/photobook/{section.name}")
    assert page.status_code == 200
    link = rf'<a href="/photobook/{section.name}" aria-current="page">{section.title}</a>'
    assert re.search(link, page.text)
    assert client.get(f"/photobook/{section.name}.json").json()["corpus"] == "photobook"


def test_sections_stand_in_one_order() -> None:
    places = Counter(each.place for each in SECTIONS.values())
    assert max(places.values()) == 1
