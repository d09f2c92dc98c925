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
from commonground.figure import Data, Row

LEAST = 3
"""Occurrences of a word that is kept."""

_TEXTS = f"""
    SELECT dialogue_id, event, array_to_string({penn_tokens("lower(text)")}, ' ')
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
    # No token has a blank in it; one string is fetched in a third of the time of a list of them.
    texts = {(game, event): words for game, event, words in data.rows(_TEXTS)}
    tokens: Counter[str] = Counter()
    for game in data.share(segment_games):
        for segment in game.segmentation.segments if game.split == "train" else ():
            for message in segment.messages:
                tokens.update(texts.get((game.dialogue_id, message), "").split())
    counts: Counter[str] = Counter()
    for token, number in tokens.items():
        for word in split_token(token):
            counts[word] += number
    kept = [(word, count) for word, count in counts.items() if count >= LEAST]
    return sorted(kept, key=lambda pair: (-pair[1], pair[0]))


def measure_vocabulary(data: Data) -> list[Row]:
    """Counts the words and their occurrences."""
    words = data.share(count_words)
    return [
        ["words", len(words)],
        ["occurrences", sum(count for _, count in words)],
        ["occurrences of the most frequent", words[0][1] if words else None],
    ]


def list_vocabulary(data: Data) -> list[Row]:
    """Lists the words with how often each occurs."""
    return [list(pair) for pair in data.share(count_words)]
