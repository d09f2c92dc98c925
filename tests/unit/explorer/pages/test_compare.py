from __future__ import annotations

import re

from starlette.testclient import TestClient

from commonground.explorer.pages.compare import build_compare_page
from commonground.explorer.pages.dialogue import build_dialogue_page
from commonground.model import Dialogue, Object, Outcome, Speaker, Utterance
from commonground.view import View


def talk(name: str, *texts: str, score: float = 1, objects: tuple[str, ...] = ()) -> Dialogue:
    return Dialogue(
        dialogue_id=name,
        split="train",
        speakers=[Speaker("A", "peer", f"worker {name}")],
        events=[Utterance("A", text) for text in texts],
        objects=[Object(each, "image") for each in objects],
        outcomes=[Outcome("score", score, segment=1), Outcome("score", 2, segment=2)],
    )


def compared(*dialogues: Dialogue) -> dict[str, list[str | None]]:
    pages = [build_dialogue_page(each, View(), corpus="toy") for each in dialogues]
    page = build_compare_page("toy", "Toy", "game", pages)
    return {fact.name: fact.values for fact in page.facts}


def test_facts_stand_beside_each_other_and_parts_are_added_up() -> None:
    facts = compared(talk("one", "a b", "c"), talk("two", "d", score=3))
    assert facts["split"] == ["train", "train"]
    assert facts["utterances"] == ["2", "1"]
    assert facts["words"] == ["3", "1"]
    assert facts["A"] == ["no. worker one", "no. worker two"]
    assert facts["score"] == ["3", "5"]  # 1 + 2 and 3 + 2


def test_objects_of_both_are_listed() -> None:
    left, right = talk("1", objects=("x", "y")), talk("2", objects=("y", "z"))
    pages = [build_dialogue_page(each, View(), corpus="toy") for each in (left, right)]
    page = build_compare_page("toy", "Toy", "game", pages)
    assert [each.object_id for each in page.shared] == ["y"]
    assert page.n_shared == 1
    assert not build_compare_page("toy", "Toy", "game", pages[:1]).shared


def test_both_talks_are_there_and_no_id_comes_twice(client: TestClient) -> None:
    text = client.get("/photobook/compare?dialogue=1&dialogue=3").text
    assert text.count('class="transcript"') == 2
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert 'href="/photobook/d/3#e0"' in text
    assert 'href="#e' not in text


def test_before_two_are_chosen_there_is_a_form(client: TestClient) -> None:
    assert client.get("/photobook/compare").text.count('name="dialogue"') == 2
    assert 'value="3"' in client.get("/photobook/compare?dialogue=3").text
    assert client.get("/photobook/compare?dialogue=nosuch").status_code == 400
    data = client.get("/photobook/compare.json?dialogue=1&dialogue=3").json()
    assert data["dialogues"] == ["1", "3"]
