"""Simulated threads: who says what, grounded on which element, and how the workers voted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from commonground.corpora.mpchat import wording
from commonground.corpora.mpchat.native import (
    CANDIDATES,
    LABELS,
    MAX_PERSONAS,
    LabelledPersona,
    Persona,
    Vote,
    image_file_name,
)
from commonground.corpora.mpchat.world import (
    CRAFTS,
    Author,
    Craft,
    Scene,
    World,
    invent_address,
    invent_scene,
    pick,
    reddit_id,
)

_WORKERS = tuple(f"ASIMWORKER{number:03}" for number in range(40))


class Turn(msgspec.Struct, frozen=True):
    """A message, and the numbers of its author's elements that were held against it."""

    native_id: str
    author: str
    text: str
    created: float
    grounded: tuple[int, ...] = ()
    ungrounded: tuple[int, ...] = ()


class Conversation(msgspec.Struct, frozen=True):
    """A thread before it is written for one of the tasks.

    Attributes:
        number: its number in the corpus.
        main: the main author.
        turns: the messages, the last one by the main author.
        craft: what the subreddit is about.
        scene: what the post's image shows; null where it has none.
        address: web address of that image; null where there is none.
        chosen: numbers of the main author's candidate elements, at most five.
    """

    number: int
    main: Author
    turns: list[Turn]
    craft: Craft
    scene: Scene | None
    address: str | None
    chosen: list[int]

    @property
    def file_name(self) -> str | None:
        """Name of the file of the post's image; null where it has none."""
        if self.address is None:
            return None
        return image_file_name(self.turns[0].native_id, self.address)


def invent_conversation(world: World, number: int) -> Conversation:
    """Makes up one thread."""
    rng = Random(f"{world.seed}/thread/{number}")
    main = world.author(number)
    length = rng.randint(2, 7)
    plan = _plan_groundings(rng, main, length)
    used = list(dict.fromkeys(each for grounded in plan.values() for each in grounded))
    chosen = pick(rng, MAX_PERSONAS, range(len(main.personas)), used)
    first = plan.get(1)
    craft = main.scenes[first[0]].craft if first else rng.choice(CRAFTS)
    scene = invent_scene(rng, craft) if rng.random() < 0.75 else None
    address = None if scene is None else invent_address(rng)
    turns = list(_invent_turns(rng, world, number, length, plan, (craft, scene), chosen))
    return Conversation(number, main, turns, craft, scene, address, chosen)


def _plan_groundings(rng: Random, main: Author, length: int) -> dict[int, tuple[int, ...]]:
    """Decides which replies of the main author are grounded, on one element or two."""
    replies = [i for i in range(1, length) if (length - 1 - i) % 2 == 0]
    planned = [i for i in replies if rng.random() < 0.6] or replies[-1:]
    elements = rng.sample(range(len(main.personas)), len(main.personas))
    plan: dict[int, tuple[int, ...]] = {}
    for i in planned:
        plan[i] = (elements[0], elements[1]) if rng.random() < 0.15 else (elements[0],)
        elements = elements[1:] + elements[:1]
    return plan


def _invent_turns(
    rng: Random,
    world: World,
    number: int,
    length: int,
    plan: dict[int, tuple[int, ...]],
    topic: tuple[Craft, Scene | None],
    chosen: Sequence[int],
) -> Iterator[Turn]:
    main, (craft, scene) = world.author(number), topic
    others = [world.author(number + rng.randrange(1, min(world.size, 600))) for _ in range(2)]
    created = float(rng.randrange(1_430_000_000, 1_600_000_000))
    for i in range(length):
        is_main = (length - 1 - i) % 2 == 0
        author = main.name if is_main else others[rng.random() < 0.3 and i > 0].name
        if not is_main and i > 0 and rng.random() < 0.05:
            author = "[deleted]"
        grounded = plan.get(i, ())
        if i == 0:
            text = wording.post(rng, craft, scene)
        elif grounded:
            text = wording.grounded(rng, [main.scenes[each] for each in grounded])
        elif is_main:
            text = wording.plain(rng, craft)
        elif i + 1 in plan:
            text = wording.asking(rng, main.scenes[plan[i + 1][0]].craft)
        else:
            text = wording.chatting(rng, craft, scene)
        rest = [each for each in chosen if each not in grounded] if is_main and i else []
        ungrounded = tuple(rng.sample(rest, min(len(rest), rng.randint(0, 2))))
        native_id = message_id(world.seed, number, i)
        yield Turn(native_id, author, text, created, grounded, ungrounded)
        created += rng.randrange(60, 90_000)


def message_id(seed: int, number: int, place: int) -> str:
    """Returns the id of a post (place 0) or comment."""
    if place == 0:
        return reddit_id(seed, 3 * number + 1)
    return "g" + reddit_id(seed, 3 * (number * 8 + place) + 2)


def label_persona(rng: Random, persona: Persona, *, entailed: bool) -> LabelledPersona:
    """Has three workers vote on an element; most of them, or all, find the truth."""
    agreeing = 3 if rng.random() < 0.7 else 2
    truths = [entailed] * agreeing + [not entailed] * (3 - agreeing)
    rng.shuffle(truths)
    votes: list[Vote] = [
        (worker, int(truth)) for worker, truth in zip(rng.sample(_WORKERS, 3), truths, strict=True)
    ]
    label = LABELS[sum(vote for _, vote in votes)]
    fields = msgspec.structs.asdict(with_whole_time(persona))
    return LabelledPersona(**fields, label_overall=label, label_per_worker=votes)


def with_whole_time(persona: Persona) -> Persona:
    """Writes the time of an element as elements that workers saw have it."""
    assert isinstance(persona.created_utcs, float)  # noqa: S101 - the world makes it so
    return msgspec.structs.replace(
        persona, created_utcs=msgspec.UNSET, created_utc=int(persona.created_utcs)
    )


def invent_responses(rng: Random, world: World, number: int, gold: str) -> list[str]:
    """Returns a response and 99 others, all different, each fitting some other author."""
    responses = {gold: None}
    while len(responses) < CANDIDATES:
        author = world.author(number + rng.randrange(1, min(world.size, 600)))
        responses[wording.grounded(rng, [rng.choice(author.scenes)])] = None
    return list(responses)


def sample_authors(rng: Random, world: World, number: int) -> list[Author]:
    """Returns 99 authors other than a thread's main author."""
    steps = rng.sample(range(1, min(world.size, 600)), CANDIDATES - 1)
    return [world.author(number + step) for step in steps]
