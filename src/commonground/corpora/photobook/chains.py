"""Reference chains of PhotoBook games: all segments of a game that are about the same image."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from commonground.corpora.photobook.segments import Segment


class Chain(msgspec.Struct, frozen=True, gc=False):
    """The segments about one image, in order.

    Attributes:
        image: path of the image.
        segments: positions in the list of the game's segments.
    """

    image: str
    segments: tuple[int, ...]


def build_chains(segments: Iterable[Segment]) -> list[Chain]:
    """Gathers the segments of one game by image, images in order of first mention.

    A segment about several images is in the chain of each.
    """
    of_image: dict[str, list[int]] = {}
    for number, segment in enumerate(segments):
        for image in segment.targets:
            of_image.setdefault(image, []).append(number)
    return [Chain(image, tuple(numbers)) for image, numbers in of_image.items()]
