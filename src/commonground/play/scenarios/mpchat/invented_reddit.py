"""The invented Reddit: authors with their personas, and the threads that they write.

Everything is a function of the seed and a number, so any author or thread can be made at any time
and nothing has to be remembered.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from commonground.corpora.mpchat.native import (
    CANDIDATES,
    MAX_PERSONAS,
    NrpThread,
    Persona,
    image_file_name,
)
from commonground.play.invented_pictures import COLORS
from commonground.play.scenarios.mpchat.scenes import (
    Craft,
    Scene,
    invent_scene,
    load_phrases,
    say,
    say_grounded,
)

MIN_AUTHORS = CANDIDATES + 28
"""Enough for a hundred candidates, however few threads there are."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SPAN = 36**6  # six digits of base 36
_NEAR = 600
"""Others are sought among the authors next to one, so that few are made for a thread."""


class Author(msgspec.Struct, frozen=True):
    """A user with a persona: elements, and what the picture of each shows, side by side."""

    name: str
    personas: tuple[Persona, ...]
    scenes: tuple[Scene, ...]


class Invented(msgspec.Struct, frozen=True):
    """A thread as it is before anybody labelled it, and what its author had in mind.

    Attributes:
        thread: without labels and rankings.
        number: of the thread in its world, which is that of its main author.
        meant: for each response of the main author, the ids of the elements that it follows from.
        scene: what the image of the post shows; None where it has none.
    """

    thread: NrpThread
    number: int
    meant: dict[int, frozenset[str]]
    scene: Scene | None


class InventedReddit:
    """The authors and threads of an invented corpus.

    Args:
        seed: the same seed gives the same people, who say the same.
        size: number of authors; those of more threads come round again.
    """

    def __init__(self, seed: int, size: int = MIN_AUTHORS) -> None:
        self.seed = seed
        self.size = size
        # Around the method of this object: an `lru_cache` on the class would keep all worlds alive.
        self._made = lru_cache(2048)(self._author)

    def author(self, number: int) -> Author:
        """Returns an author; numbers go round."""
        return self._made(number % self.size)

    def near(self, rng: Random, number: int, count: int) -> list[Author]:
        """Draws different authors other than the one of a number."""
        steps = rng.sample(range(1, min(self.size, _NEAR)), count)
        return [self.author(number + step) for step in steps]

    def _author(self, number: int) -> Author:
        rng, names = Random(f"{self.seed}/author/{number}"), load_phrases().author
        name = f"{rng.choice(names['first'])}{rng.choice(names['second'])}_{number}"
        crafts = rng.sample(load_phrases().craft, 3)
        colors = rng.sample(list(COLORS), rng.randint(3, 7))
        scenes = tuple(
            invent_scene(rng, crafts[i % len(crafts)], color) for i, color in enumerate(colors)
        )
        personas = tuple(
            # Eight numbers for each author, who has seven elements at most.
            self._persona(rng, name, number * 8 + i, scene)
            for i, scene in enumerate(scenes)
        )
        return Author(name, personas, scenes)

    def _persona(self, rng: Random, author: str, number: int, scene: Scene) -> Persona:
        # Numbers of posts of personas, of threads and of comments leave 0, 1 and 2 when divided by
        # 3, so that no id is used twice.
        native_id = _reddit_id(self.seed, 3 * number)
        title, address = say(rng, load_phrases().say["title"], scene.craft, scene), _address(rng)
        subreddit = scene.craft.subreddit
        page = f"https://posts.example/gallery/{native_id}"
        words = re.findall(r"[a-z0-9]+", title.lower())
        return Persona(
            id=native_id,
            subreddit=subreddit,
            url=page if rng.random() < 0.15 else address,
            score=rng.randint(1, 900),
            author=author,
            created_utcs=float(rng.randrange(1_400_000_000, 1_420_000_000)),
            permalink=f"/r/{subreddit}/comments/{native_id}/{'_'.join(words[:8])}/",
            title=title,
            direct_url=address,
            file_name=image_file_name(native_id, address),
        )

    def thread(self, number: int) -> Invented:
        """Makes up a thread, whose main author is the one of the same number."""
        rng = Random(f"{self.seed}/thread/{number}")
        main = self.author(number)
        length = rng.randint(2, 7)
        plan = _plan_groundings(rng, main, length)
        used = list(dict.fromkeys(each for grounded in plan.values() for each in grounded))
        chosen = _pick(rng, MAX_PERSONAS, range(len(main.personas)), used)
        first = plan.get(1)
        craft = main.scenes[first[0]].craft if first else rng.choice(load_phrases().craft)
        scene = invent_scene(rng, craft) if rng.random() < 0.75 else None
        messages = [*self._messages(rng, number, plan, length, craft, scene)]
        if rng.random() < 0.3:
            text = say(rng, load_phrases().say["closing"], craft)
            last = messages[-1][3]
            messages.append(
                (self._message_id(number, len(messages)), messages[-2][1], text, last + 600)
            )
        personas = main.personas
        thread = NrpThread(
            subreddit=craft.subreddit,
            messages=[text for _, _, text, _ in messages],
            message_ids=[native_id for native_id, _, _, _ in messages],
            main_author=main.name,
            authors=[author for _, author, _, _ in messages],
            created_utcs=[created for _, _, _, created in messages],
            has_image=scene is not None,
            all_personas=list(personas),
            grounded_personas=[[] for _ in messages],
            ungrounded_personas=[[] for _ in messages],
            candidate_personas=[_with_whole_time(personas[each]) for each in chosen],
            **_image(rng, messages[0][0], scene),
        )
        meant = {
            event: frozenset(personas[each].id for each in plan.get(event, ()))
            for event in _replies(length)
        }
        return Invented(thread, number, meant, scene)

    def _messages(
        self,
        rng: Random,
        number: int,
        plan: dict[int, tuple[int, ...]],
        length: int,
        craft: Craft,
        scene: Scene | None,
    ) -> Iterator[Message]:
        """Yields the messages of a thread; the main author has the last one."""
        main, others = self.author(number), self.near(rng, number, 2)
        created = float(rng.randrange(1_430_000_000, 1_600_000_000))
        for place in range(length):
            is_main = (length - 1 - place) % 2 == 0  # every other one, from the last
            # One of two others: true is 1, and the post is always the first one's.
            name = main.name if is_main else others[rng.random() < 0.3 and place > 0].name
            if not is_main and place > 0 and rng.random() < 0.05:
                name = "[deleted]"
            text = _speak(rng, main, plan, place, craft, scene, is_main=is_main)
            yield self._message_id(number, place), name, text, created
            created += rng.randrange(60, 90_000)

    def _message_id(self, number: int, place: int) -> str:
        """Returns the id of a post (place 0) or comment."""
        if place == 0:
            return _reddit_id(self.seed, 3 * number + 1)
        # Seven messages and a closing one at most: eight numbers each, as for personas.
        return "g" + _reddit_id(self.seed, 3 * (number * 8 + place) + 2)


Message = tuple[str, str, str, float]
"""Id, author, text and time of a message."""


def _replies(length: int) -> list[int]:
    """Lists the messages that are responses of the main author: every other one from the last."""
    return [place for place in range(1, length) if (length - 1 - place) % 2 == 0]


def _plan_groundings(rng: Random, main: Author, length: int) -> dict[int, tuple[int, ...]]:
    """Decides which responses of the main author are grounded, on one element or two."""
    replies = _replies(length)
    planned = [i for i in replies if rng.random() < 0.6] or replies[-1:]
    elements = rng.sample(range(len(main.personas)), len(main.personas))
    plan: dict[int, tuple[int, ...]] = {}
    for i in planned:
        plan[i] = (elements[0], elements[1]) if rng.random() < 0.15 else (elements[0],)
        # Round and round, so that responses are grounded on different elements.
        elements = elements[1:] + elements[:1]
    return plan


def _speak(
    rng: Random,
    main: Author,
    plan: dict[int, tuple[int, ...]],
    place: int,
    craft: Craft,
    scene: Scene | None,
    *,
    is_main: bool,
) -> str:
    """Says what fits a place of a thread; others ask for what the main author answers next."""
    words = load_phrases().say
    if place == 0:
        return say(rng, words["question"] if scene is None else words["post"], craft, scene)
    if place in plan:
        return say_grounded(rng, [main.scenes[each] for each in plan[place]])
    if is_main:
        return say(rng, words["plain"], craft)
    if place + 1 in plan:
        return say(rng, words["asking"], main.scenes[plan[place + 1][0]].craft)
    return say(rng, words["chatting"] if scene is None else words["reacting"], craft, scene)


def _pick(rng: Random, count: int, among: Sequence[int], first: Sequence[int]) -> list[int]:
    """Picks up to ``count`` numbers, those of ``first`` always among them, in random order."""
    rest = [each for each in among if each not in first]
    chosen = [*first, *rng.sample(rest, min(len(rest), max(0, count - len(first))))]
    rng.shuffle(chosen)
    return chosen


def _image(rng: Random, post_id: str, scene: Scene | None) -> dict[str, Any]:
    """Returns the fields of a post's image, which are null or absent where it has none."""
    if scene is None:
        return {"direct_url": None, "file_name": None} if rng.random() < 0.5 else {}
    address = _address(rng)
    return {"direct_url": address, "file_name": image_file_name(post_id, address)}


def _with_whole_time(persona: Persona) -> Persona:
    """Writes the time of an element as the elements that workers see have it."""
    assert isinstance(persona.created_utcs, float)  # noqa: S101 - the world makes it so
    return msgspec.structs.replace(
        persona, created_utcs=msgspec.UNSET, created_utc=int(persona.created_utcs)
    )


def _reddit_id(seed: int, number: int) -> str:
    """Writes a number as six base-36 digits that look random; two numbers never look the same."""
    # Multiplying by a number that shares no factor with the span permutes the ids.
    # `hash` of a text differs from process to process; a checksum gives the same ids every time.
    mixed = (number * 1_000_000_007 + zlib.crc32(str(seed).encode())) % _SPAN
    digits = []
    for _ in range(6):
        mixed, digit = divmod(mixed, 36)
        digits.append(_DIGITS[digit])
    return "".join(digits)


def _address(rng: Random) -> str:
    name = "".join(rng.choices(_DIGITS, k=13))
    return f"https://images.example/{name}.{rng.choice(('jpg', 'jpg', 'jpg', 'png'))}"
