"""The two schedules that every released game follows."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations
from pathlib import Path

import msgspec

ROUNDS = 5
SLOTS = "abcdefghijkl"
"""The twelve images of a game, whatever they show."""

Use = tuple[str, str]
"""How A and B see one image on one page: ``-`` (not), ``o``, or ``X`` (highlighted)."""


class Schedule(msgspec.Struct, frozen=True):
    """Which images each player sees on each of five pages, six letters a page.

    Capital letters are highlighted. A game shows the five pages in an order of its own.
    """

    A: tuple[str, ...]
    B: tuple[str, ...]

    def shown(self, speaker: str) -> tuple[str, ...]:
        """Returns the letters of one player, by page."""
        return self.A if speaker == "A" else self.B


@cache
def load_schedules() -> dict[str, Schedule]:
    """Returns the schedules by name, ``I`` and ``II``."""
    text = Path(__file__).with_name("schedule.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Schedule])


def schedule_name(domain_id: int) -> str:
    """Returns the name of a domain's schedule: ``I`` for even ids, ``II`` for odd ones."""
    # 61 ids are 30 image sets in two schedules, two ids each; id 60 is a copy of id 0.
    return "II" if domain_id % 2 else "I"


def follows_schedule(pages: Sequence[Mapping[str, Use]], name: str) -> bool:
    """Says whether pages are those of a schedule, in any order and for any twelve images.

    Pages say of each image that is shown how it is used.
    """
    wanted = _schedule_pages(name)
    images = _image_uses(wanted)
    layouts = [_layout(page) for page in wanted]
    # All 120 orders of the pages occur in the released logs, so each has to be tried.
    return any(
        # The cheap test first: how often each use comes on a page, whatever the images. Only orders
        # that pass it are compared image by image.
        [layout for layout, _ in order] == layouts
        and _image_uses([page for _, page in order]) == images
        for order in permutations([(_layout(page), page) for page in pages])
    )


def _layout(page: Mapping[str, Use]) -> list[Use]:
    return sorted(use for use in page.values() if use != ("-", "-"))


@cache
def _schedule_pages(name: str) -> list[dict[str, Use]]:
    schedule = load_schedules()[name]
    return [
        {slot: (_use(slot, a), _use(slot, b)) for slot in SLOTS}
        for a, b in zip(schedule.A, schedule.B, strict=True)
    ]


def _use(slot: str, page: str) -> str:
    if slot.upper() in page:
        return "X"
    return "o" if slot in page else "-"


def _image_uses(pages: Sequence[Mapping[str, Use]]) -> list[tuple[Use, ...]]:
    images = {image for page in pages for image in page}
    return sorted(tuple(page.get(image, ("-", "-")) for page in pages) for image in images)
