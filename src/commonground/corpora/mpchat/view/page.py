"""An MPChat thread as its page shows it: the post, the persona, links and votes, rankings."""

from __future__ import annotations

from typing import Literal

import msgspec

from commonground.model import Candidate, Dialogue, Grounding, Object
from commonground.view import OutlineItem, Stage, View, get_fact

Vote = Literal["yes", "no"]
_RANKED = {
    "mpchat/nrp": "responses",
    "mpchat/gpp": "persona elements",
    "mpchat/si": "authors",
}
"""What each task ranks, in words."""


class Link(msgspec.Struct, kw_only=True):
    """An element of the persona held against a message.

    Attributes:
        label: what the workers said together; None where the release does not say.
        votes: whether each worker found that the message follows from the element.
        workers: ids of the workers, in the same order.
    """

    event: int
    object_id: str
    title: str | None
    grounded: bool
    label: str | None
    votes: list[Vote]
    workers: list[str]


class Given(msgspec.Struct, frozen=True, gc=False):
    """That an element is given to the model: for one message, or for the thread (None)."""

    event: int | None
    place: int | None


class PersonaCard(msgspec.Struct, kw_only=True):
    """An element of the main author's persona; what the release does not say is None.

    Attributes:
        address: web address of the post.
        links: the messages it was held against, those grounded in it first.
        given: where it is one of the model's candidates.
        added: whether the thread speaks of it and the list of the whole persona does not.
    """

    object: Object
    subreddit: str | None
    score: int | None
    address: str | None
    links: list[Link]
    given: list[Given]
    added: bool


class ThreadStage(Stage, kw_only=True):
    """The post and the persona of the main author, beside the whole thread.

    Attributes:
        post: the image of the post; None where the thread has none.
        author: the main author.
        cards: their persona, the elements with links first.
    """

    post: Object | None
    subreddit: str | None
    author: str | None
    cards: list[PersonaCard]


class Element(msgspec.Struct, frozen=True, gc=False):
    """A persona element as an option, or in one."""

    object_id: str
    title: str


class RankedOption(msgspec.Struct, kw_only=True, gc=False):
    """An option of a ranking: a response as ``text``, or persona elements.

    Attributes:
        gold: whether it is the right one; None where the release does not say.
        author: whose persona it is; None where not said.
    """

    gold: bool | None
    text: str | None = None
    author: str | None = None
    elements: list[Element] = []


class Ranking(msgspec.Struct, kw_only=True):
    """The options for a message.

    Attributes:
        words: what is ranked.
        gold: place of the right option, from 0; None where the release does not say.
        options: in released order.
    """

    words: str
    gold: int | None
    options: list[RankedOption]


class MpchatView(View, kw_only=True):
    """What the page of an MPChat thread shows.

    Attributes:
        task: the file that the thread is in: ``nrp``, ``gpp`` or ``si``.
        links, rankings: of each message, by event.
    """

    stage: ThreadStage
    task: str | None
    links: dict[int, list[Link]]
    rankings: dict[int, Ranking]


def build_view(dialogue: Dialogue) -> MpchatView:
    """Turns a thread of any of the three files into what its page shows."""
    facts = dialogue.attributes
    objects = {each.object_id: each for each in dialogue.objects}
    links = [_link(each, objects) for each in dialogue.groundings]
    by_event: dict[int, list[Link]] = {}
    for each in sorted(links, key=lambda link: not link.grounded):
        by_event.setdefault(each.event, []).append(each)
    task = get_fact(facts, "task", str)
    stage = ThreadStage(
        first=0,
        last=max(0, len(dialogue.events) - 1),
        title="Post and persona",
        post=next((each for each in dialogue.objects if each.kind == "post_image"), None),
        subreddit=dialogue.domain,
        author=get_fact(facts, "main_author", str),
        cards=_cards(dialogue, objects, links, by_turn=task == "gpp"),
    )
    rankings = make_rankings(dialogue, objects)
    return MpchatView(
        outline=_outline(by_event),
        stage=stage,
        task=task,
        links=by_event,
        rankings=rankings,
    )


def _link(grounding: Grounding, objects: dict[str, Object]) -> Link:
    known = objects.get(grounding.object_id)
    votes = grounding.votes if isinstance(grounding.votes, list) else []
    pairs = [each for each in votes if isinstance(each, list | tuple) and len(each) == 2]
    return Link(
        event=grounding.event,
        object_id=grounding.object_id,
        title=known.title if known else None,
        grounded=grounding.relation == "grounded",
        label=grounding.label,
        votes=["yes" if vote else "no" for _, vote in pairs],
        workers=[str(worker) for worker, _ in pairs],
    )


def _cards(
    dialogue: Dialogue, objects: dict[str, Object], links: list[Link], *, by_turn: bool
) -> list[PersonaCard]:
    shown = [each for each in dialogue.displays if each.viewer is not None]
    listed = {each.object_id for each in shown if each.position is not None}
    # Own elements by place, then others, then those only linked.
    placed = sorted(shown, key=lambda each: (each.position is None, each.position or 0))
    ids = dict.fromkeys(each.object_id for each in placed)
    ids |= dict.fromkeys(link.object_id for link in links)
    cards = []
    for object_id in ids:
        known = objects.get(object_id) or Object(object_id, "persona")
        mine = [link for link in links if link.object_id == object_id]
        chosen = [each for each in shown if each.object_id == object_id and each.highlighted]
        card = PersonaCard(
            object=known,
            subreddit=get_fact(known.attributes, "subreddit", str),
            score=get_fact(known.attributes, "score", int),
            address=get_fact(known.attributes, "url", str),
            links=sorted(mine, key=lambda link: not link.grounded),
            given=[
                Given(
                    each.event if by_turn else None,
                    get_fact(each.attributes, "candidate", int),
                )
                for each in chosen
            ],
            added=object_id not in listed,
        )
        cards.append(card)
    return sorted(
        # Grounded 2, only compared 1, neither 0: the sort is stable, so equals keep their order.
        cards,
        key=lambda card: -max((1 + link.grounded for link in card.links), default=0),
    )


def _outline(links: dict[int, list[Link]]) -> list[OutlineItem]:
    """Lists the messages that are grounded in the persona."""
    items = []
    for event, each in sorted(links.items()):
        grounded = sum(link.grounded for link in each)
        if grounded:
            word = "element" if grounded == 1 else "elements"
            detail = f"grounded in {grounded} {word}"
            items.append(OutlineItem(label=f"Message {event}", event=event, detail=detail))
    return items


def make_rankings(dialogue: Dialogue, objects: dict[str, Object]) -> dict[int, Ranking]:
    """Returns the ranking of each message that has one, by event."""
    rankings: dict[int, Ranking] = {}
    for each in dialogue.candidates:
        if each.event is None:
            continue
        ranking = rankings.get(each.event)
        if ranking is None:
            words = _RANKED.get(each.task, each.task)
            ranking = rankings[each.event] = Ranking(words=words, gold=None, options=[])
        if each.gold and ranking.gold is None:
            ranking.gold = len(ranking.options)
        ranking.options.append(_option(each, objects))
    return rankings


def _option(candidate: Candidate, objects: dict[str, Object]) -> RankedOption:
    object_id = candidate.object_id
    if object_id is None:
        return RankedOption(gold=candidate.gold, text=candidate.text or "")
    known = objects.get(object_id)
    facts = known.attributes if known else None
    members = get_fact(facts, "personas", list)
    ids = [object_id] if members is None else [str(each) for each in members]
    if not all(each in objects for each in ids):
        # Elements of other authors are described nowhere but in the title of their set.
        ids = [object_id]
    return RankedOption(
        gold=candidate.gold,
        author=get_fact(facts, "author", str),
        elements=[
            Element(each, (objects[each].title if each in objects else None) or each)
            for each in ids
        ],
    )
