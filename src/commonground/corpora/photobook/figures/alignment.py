"""How well texts fit the images they are about, by vectors of a model that takes in both.

Imai et al. 2025 call it content alignment, and ask for it twice: how well a text fits its image,
and whether it fits this image better than others. The score is CLIPScore (Hessel et al. 2021,
arXiv 2104.08718): the cosine of both vectors, no less than 0, times 2.5. What it is taken of is
ours: each text with a content word, and each image that it is about; the others are the images that
its writer sees on this page, but for those that it is about, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from commonground.corpora.photobook.figures.round_words import FUNCTION_WORDS
from commonground.corpora.photobook.figures.uptake import split_words
from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.segments import Segment, segment_game
from commonground.corpora.photobook.tasks.games import number_messages
from commonground.games.measuring import Compare, Items

WEIGHT = 2.5
"""Of CLIPScore, whose cosines are seldom above 0.4."""

ALIGNED = ("alignment", "contrast")


def list_alignments(
    game: Game, segments: Sequence[Segment], compare: Compare
) -> Iterator[tuple[str, int, float]]:
    """Yields how well each text fits each of its images: the measure, the page, and its value.

    Args:
        game: the game.
        segments: its texts about images.
        compare: gives the cosines of a text with images.
    """
    for page, text, targets, others in _list_texts(game, segments):
        scores = [WEIGHT * max(each, 0.0) for each in compare(text, (*targets, *others))]
        rest = scores[len(targets) :]
        for score in scores[: len(targets)]:
            yield "alignment", page, score
            if rest:
                yield "contrast", page, score - sum(rest) / len(rest)


def list_items(games: Iterable[Game]) -> Items:
    """Lists the texts and images of games that need vectors."""
    # As keys of a dictionary, they are in their order and once only.
    texts: dict[str, None] = {}
    images: dict[str, None] = {}
    for game in games:
        for _, text, targets, others in _list_texts(game, segment_game(game).segments):
            texts[text] = None
            images.update(dict.fromkeys((*targets, *others)))
    return Items(tuple(texts), tuple(sorted(images)))


def list_texts(game: Game) -> list[str]:
    """Lists the texts of a game that have vectors: those about images, in order."""
    found = _list_texts(game, segment_game(game).segments)
    return [text for _, text, *_ in found]


def _list_texts(
    game: Game, segments: Sequence[Segment]
) -> Iterator[tuple[int, str, tuple[str, ...], tuple[str, ...]]]:
    """Yields texts about images: page, text, its images, and others that its writer sees."""
    starts = [each.start for each in number_messages(game)]
    for segment in segments:
        each, start = game.rounds[segment.round_index], starts[segment.round_index]
        for number in segment.messages if segment.targets else ():
            text = each.messages[number - start]
            # A text such as "yes" says nothing that an image could fit, nor does one without words.
            if FUNCTION_WORDS.issuperset(split_words(text.message)):
                continue
            seen = each.images.A if text.speaker == "A" else each.images.B
            others = tuple(image for image in seen if image not in segment.targets)
            yield each.round_nr, text.message, segment.targets, others
