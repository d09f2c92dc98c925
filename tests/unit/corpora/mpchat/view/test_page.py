"""The view of MPChat, on the threads of ``samples.py``."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from tests.unit.corpora.mpchat.samples import BOAT, LOAF, SHED, gpp_thread, nrp_thread, si_thread
from tests.unit.corpora.parsed_html import ParsedHtml

from commonground.corpora.mpchat.convert import Context, convert
from commonground.corpora.mpchat.native import GppThread, NrpThread, SiThread, Thread
from commonground.corpora.mpchat.view.page import Given, build_view
from commonground.explorer.dialogue import draw_dialogue, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.rendering.environment import Shell
from commonground.files.reading import Where
from commonground.model import Dialogue

HOSTILE = """<script>alert(1)</script><svg onload="x">"'><a href="javascript:x">\u202e"""


def read(value: dict[str, Any], of: type[Thread]) -> Dialogue:
    where = Where("mpchat.json", "$.val[0]", "nrp", "val")
    return convert(msgspec.convert(value, of), where, Context())


def nrp(**changed: Any) -> Dialogue:
    return read(nrp_thread() | changed, NrpThread)


def page_of(dialogue: Dialogue) -> str:
    drawn = draw_dialogue("mpchat", dialogue)
    assert msgspec.json.encode(drawn.view)
    return render_dialogue(drawn, Shell(links=Links(), corpus="mpchat"))


def test_the_stage_is_the_post_and_the_persona_all_along() -> None:
    stage = build_view(nrp()).stage
    assert (stage.first, stage.last, stage.author, stage.subreddit) == (0, 2, "rye_anna", "gardens")
    assert stage.post is not None
    assert stage.post.object_id == "post-ddd444"
    # The shed grounds message 2, the loaf was held against it in vain.
    assert [card.object.object_id for card in stage.cards] == ["bbb222", "aaa111"]


def test_links_have_the_votes_of_three_workers() -> None:
    grounded, ungrounded = build_view(nrp()).links[2]
    assert (grounded.object_id, grounded.grounded, grounded.label) == ("bbb222", True, "E")
    assert grounded.votes == ["yes", "no", "yes"]
    assert grounded.workers == ["W1", "W2", "W3"]
    assert (ungrounded.grounded, ungrounded.votes) == (False, ["no", "no", "no"])


def test_cards_say_what_the_model_is_given() -> None:
    shed, loaf = build_view(nrp()).stage.cards
    assert (shed.given, loaf.given) == ([Given(None, 0)], [])
    assert (shed.subreddit, shed.score, shed.added) == ("sheds", -1, False)


def test_in_gpp_the_model_is_given_elements_message_by_message() -> None:
    cards = {
        card.object.object_id: card
        for card in build_view(read(gpp_thread(), GppThread)).stage.cards
    }
    assert cards["aaa111"].given == [Given(2, 0)]
    assert [link.event for link in cards["bbb222"].links] == [2]


def test_an_element_beside_the_whole_persona_is_told_apart() -> None:
    dialogue = nrp(candidate_personas=[SHED, BOAT])
    cards = {card.object.object_id: card for card in build_view(dialogue).stage.cards}
    assert [cards[each].added for each in ("aaa111", "bbb222", "ccc333")] == [False, False, True]


def test_responses_are_ranked_with_the_right_one_marked() -> None:
    ranking = build_view(nrp()).rankings[2]
    assert (ranking.words, ranking.gold) == ("responses", 0)
    assert [option.text for option in ranking.options] == ["the same as on my shed", "no idea"]


def test_elements_and_authors_are_ranked_by_title() -> None:
    ranking = build_view(read(gpp_thread(), GppThread)).rankings[2]
    assert [option.elements[0].title for option in ranking.options] == [
        SHED["title"],
        BOAT["title"],
    ]
    first, second = build_view(read(si_thread(), SiThread)).rankings[2].options
    assert (first.gold, first.author, second.author) == (True, "rye_anna", "oar_ben")
    assert [each.title for each in first.elements] == [SHED["title"], LOAF["title"]]


def test_elements_that_only_their_set_describes_are_one() -> None:
    dialogue = read(si_thread(), SiThread)
    # As the store gives it back: nothing points at the elements of other authors.
    dialogue.objects = [each for each in dialogue.objects if each.object_id != "ccc333"]
    _, other = build_view(dialogue).rankings[2].options
    assert [(each.object_id, each.title) for each in other.elements] == [("set-ccc333", "my boat")]


def test_messages_with_links_are_the_outline() -> None:
    assert [(i.event, i.detail) for i in build_view(nrp()).outline] == [
        (2, "grounded in 1 element")
    ]
    assert build_view(read(si_thread(), SiThread)).outline == []


def test_a_thread_without_anything_has_a_page() -> None:
    html = page_of(Dialogue(dialogue_id="x"))
    assert "The post has no image." in html
    assert "There is none in the release." in html


def test_the_page_shows_votes_and_gold_in_words_too() -> None:
    html = page_of(nrp())
    assert html.count('<span class="vote yes"') == 4  # two, in the row and on the card
    assert '<span class="hidden">yes</span>' in html
    assert "2 responses to rank, no. 1 is right" in html
    assert "next response prediction" in html


def test_hostile_texts_are_shown_as_text() -> None:
    loaf = LOAF | {"title": HOSTILE, "url": f"javascript:{HOSTILE}", "subreddit": HOSTILE}
    votes = {"label_overall": HOSTILE, "label_per_worker": [[HOSTILE, 1]]}
    dialogue = nrp(
        messages=[HOSTILE] * 3,
        main_author=HOSTILE,
        all_personas=[loaf],
        grounded_personas=[[], [], [loaf | votes]],
        nrp_candidate_responses=[[], [], [HOSTILE]],
    )
    parsed = ParsedHtml(page_of(dialogue))
    assert parsed.text.count(HOSTILE) >= 8
    assert parsed.dangers() == []


def test_what_a_message_is_grounded_in_and_what_is_ranked_have_their_pictures() -> None:
    html = page_of(read(gpp_thread(), GppThread))
    for part in (r'<ul class="ties".*?</ul>', r'<details class="candidates".*?</details>'):
        found = re.search(part, html, re.DOTALL)
        assert found is not None
        assert "mark-little" in found.group(), part
