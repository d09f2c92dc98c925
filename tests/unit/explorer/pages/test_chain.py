from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from commonground.errors import UsageError
from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.pages.chain import (
    DIALOGUES,
    build_argument_chain,
    build_object_chain,
)
from commonground.model import Action


def some_image(photobook: OpenCorpus) -> str:
    return photobook.index.blocks.dialogue(0).displays[0].object_id


def test_an_image_is_followed_through_every_game_that_shows_it(photobook: OpenCorpus) -> None:
    image = some_image(photobook)
    page = build_object_chain(photobook, image)
    blocks = photobook.index.blocks
    having = [
        game
        for ordinal, game in enumerate(blocks.ids)
        if any(each.object_id == image for each in blocks.dialogue(ordinal).displays)
    ]
    assert page.paging.total == len(having)
    assert [each.dialogue_id for each in page.dialogues] == having[:DIALOGUES]
    assert page.object is not None
    assert page.object.object_id == image


def test_a_description_has_the_texts_of_its_segment_and_its_round(photobook: OpenCorpus) -> None:
    page = build_object_chain(photobook, some_image(photobook))
    first = next(each for each in page.dialogues if each.descriptions)
    game = photobook.index.blocks.dialogue(photobook.ordinal(first.dialogue_id))
    for each in first.descriptions:
        for line in each.lines:
            event = game.events[line.hit.event]
            assert each.part in (None, f"Round {event.segment}")
            assert line.hit.speaker == event.speaker


def test_a_package_is_followed_through_searches_and_offers(frames: OpenCorpus) -> None:
    dialogue = next(
        each
        for each in map(frames.index.blocks.dialogue, range(30))
        if any(one.object_id for one in each.groundings)
    )
    package = dialogue.groundings[0].object_id
    page = build_object_chain(frames, package)
    found = next(each for each in page.dialogues if each.dialogue_id == dialogue.dialogue_id)
    events = {line.hit.event for one in found.descriptions for line in one.lines}
    expected: set[int | None] = {
        each.event for each in dialogue.groundings if each.object_id == package
    }
    expected |= {each.event for each in dialogue.displays if each.object_id == package}
    assert events == expected


def given(corpora: OpenCorpora) -> tuple[OpenCorpus, str, str]:
    """A text that some call of the corpus was given, with its argument."""
    opened = corpora.get("taskmaster3")
    for ordinal in range(opened.searcher.n_dialogues):
        for event in opened.index.blocks.dialogue(ordinal).events:
            if isinstance(event, Action) and isinstance(event.arguments, dict):
                for name, value in event.arguments.items():
                    if isinstance(value, str):
                        return opened, name, value
    raise AssertionError("no call has an argument")


def test_a_value_is_followed_through_calls_and_what_is_marked(corpora: OpenCorpora) -> None:
    opened, argument, value = given(corpora)
    page = build_argument_chain(opened, argument, value.upper())
    assert page.paging.total == len(page.dialogues) > 0
    for each in page.dialogues:
        dialogue = opened.index.blocks.dialogue(opened.ordinal(each.dialogue_id))
        calls = [
            number
            for number, event in enumerate(dialogue.events)
            if isinstance(event, Action)
            and str((event.arguments or {}).get(argument, "")).casefold() == value.casefold()
        ]
        events = [line.hit.event for one in each.descriptions for line in one.lines]
        assert calls
        assert set(calls) <= set(events)
        assert events == sorted(events)


def test_utterances_that_say_a_value_are_part_of_its_chain(corpora: OpenCorpora) -> None:
    opened = next(each for each in corpora if each.name == "taskmaster3")
    values = build_argument_chain(opened, "name.movie").values
    lines = [
        (line.hit, line.notes)
        for value in values
        for each in build_argument_chain(opened, "name.movie", value.value).dialogues
        for one in each.descriptions
        for line in one.lines
    ]
    said = [hit.text for hit, notes in lines if hit.text is not None and not notes]
    # They have the value marked, and no label.
    assert said
    assert all(each.marks for each in said)


def test_all_values_of_an_argument_are_counted(corpora: OpenCorpora) -> None:
    opened, argument, value = given(corpora)
    page = build_argument_chain(opened, argument)
    counts = [each.dialogues for each in page.values]
    assert counts == sorted(counts, reverse=True)
    one = next(each for each in page.values if each.value.casefold() == value.casefold())
    assert one.dialogues == build_argument_chain(opened, argument, value).paging.total
    assert not page.dialogues


def test_what_is_nowhere_is_said(photobook: OpenCorpus, corpora: OpenCorpora) -> None:
    with pytest.raises(UsageError, match="no object 'nothing'"):
        build_object_chain(photobook, "nothing")
    opened, argument, _ = given(corpora)
    with pytest.raises(UsageError, match="No call"):
        build_argument_chain(opened, argument, "no such value")
    with pytest.raises(UsageError, match="No call"):
        build_argument_chain(opened, "no/such~argument")


def test_the_page_leads_to_dialogues_and_to_two_beside_each_other(
    client: TestClient, photobook: OpenCorpus
) -> None:
    answer = client.get("/photobook/chain", params={"object": some_image(photobook)})
    assert answer.status_code == 200
    first = photobook.index.blocks.ids[0]
    assert f'href="/photobook/d/{first}"' in answer.text
    assert f'name="dialogue" value="{first}"' in answer.text
    assert client.get("/photobook/chain").status_code == 400


def test_what_one_meets_leads_to_its_chain(client: TestClient, corpora: OpenCorpora) -> None:
    assert 'data-everywhere="/photobook/chain"' in client.get("/photobook/").text
    assert "/photobook/chain?object=" in client.get("/photobook/?tab=objects").text
    opened, argument, _ = given(corpora)
    pages = (client.get(f"/taskmaster3/d/{each}").text for each in opened.index.blocks.ids)
    assert any(f"/taskmaster3/chain?argument={argument}" in page for page in pages)
