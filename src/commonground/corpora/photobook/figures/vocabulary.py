"""The vocabulary that the authors' models of reference chains were trained with.

They count the words of the segments of the training split, in lower case, divided once more at
hyphens and slashes, and keep those that occur three times.

Source: dmg-photobook/photobook_dataset@cf01f08 segmentation/utils/Vocab.py,
segmentation/utils/UtteranceTokenizer.py.
"""

from __future__ import annotations

from collections import Counter

from commonground.corpora.photobook.figures.segmented import segment_games
from commonground.corpora.photobook.figures.words import penn_tokens
from commonground.figure import Data, Figure, FigureColumn, Row, published_measure

LEAST = 3
"""Occurrences of a word that is kept."""

_SOURCE = "dmg-photobook/photobook_dataset@cf01f08 segmentation/data/vocab.csv"

_TEXTS = f"""
    SELECT dialogue_id, event, {penn_tokens("lower(text)")}
    FROM events JOIN dialogues USING (corpus, dialogue_id)
    WHERE corpus = $corpus AND split = 'train' AND kind = 'utterance'
"""


def split_token(token: str) -> list[str]:
    """Divides a token at hyphens, else at slashes, and takes the star off a correction.

    A mark that begins the token does not divide it. What is left of ``a-`` are ``a`` and an empty
    word, which the authors count, too.
    """
    for mark in "-/":
        if mark in token[1:]:
            return token.split(mark)
    return [token.split("*")[1]] if token.startswith("*") else [token]


def count_words(data: Data) -> list[tuple[str, int]]:
    """Counts the words of the training split's segments, the most frequent first."""
    tokens = {(game, event): words for game, event, words in data.rows(_TEXTS)}
    counts: Counter[str] = Counter()
    for game in data.share(segment_games):
        for segment in game.segmentation.segments if game.split == "train" else ():
            for message in segment.messages:
                for token in tokens.get((game.dialogue_id, message), ()):
                    counts.update(split_token(token))
    kept = [(word, count) for word, count in counts.items() if count >= LEAST]
    return sorted(kept, key=lambda pair: (-pair[1], pair[0]))


def _measure(data: Data) -> list[Row]:
    words = data.share(count_words)
    return [
        ["words", len(words)],
        ["occurrences", sum(count for _, count in words)],
        ["occurrences of the most frequent", words[0][1] if words else None],
    ]


SEGMENT_VOCABULARY = Figure(
    name="segment-vocabulary",
    title="The vocabulary of segments",
    caption=(
        f"Words that occur {LEAST} times or more in the segments of the training split, in lower "
        "case, divided at hyphens and slashes, too."
    ),
    columns=(FigureColumn("measure", "what"), FigureColumn("number", "number")),
    compute=_measure,
    published=(
        published_measure("vocabulary of segments", "words", 3417, _SOURCE),
        published_measure(
            "occurrences of its words",
            "occurrences",
            638037,
            _SOURCE,
            why="All 3,417 words are the same, and 3,415 of the counts, which are NLTK 3.3's; ours "
            "are divided without its model of sentences, and two words occur once more.",
        ),
        published_measure(
            "occurrences of its most frequent word",
            "occurrences of the most frequent",
            29866,
            _SOURCE,
        ),
    ),
)

SEGMENT_WORDS = Figure(
    name="segment-words",
    title="Words of the vocabulary of segments",
    caption=f"Each word of segments that occurs {LEAST} times or more, and how often.",
    columns=(FigureColumn("word", "word"), FigureColumn("occurrences", "occurrences")),
    compute=lambda data: [list(pair) for pair in data.share(count_words)],
    wording=True,
)

VOCABULARY_FIGURES = (SEGMENT_VOCABULARY, SEGMENT_WORDS)
