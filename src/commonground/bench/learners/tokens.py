"""A classifier of tokens in their windows: labelled stretches of a text, found again in others.

Each token begins a stretch (``B-label``), goes on with one (``I-label``) or is outside (``O``).
The likeliest run of tags in which every ``I`` follows its own ``B`` or ``I`` is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.linear import LinearModel, score_linear, train_linear

_TOKEN = re.compile(r"\w+|[^\w\s]")
_OUTSIDE = "O"
_WINDOW = 2  # tokens on either side that a token is judged by
_NEVER = -1e9  # finite, as infinities would make sums that are not a number


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word or a punctuation mark.

    Attributes:
        end: the code point after the last.
    """

    start: int
    end: int
    text: str


class Stretch(msgspec.Struct, frozen=True, gc=False):
    """A labelled stretch of a text.

    Attributes:
        end: the code point after the last.
        label: without ``B-`` or ``I-``.
    """

    start: int
    end: int
    label: str


class TokenModel(msgspec.Struct, frozen=True):
    """What a token classifier learned.

    Attributes:
        linear: gives the probability of each tag of a token.
        inner: for each tag that goes on with a stretch, the tags that it may follow.
    """

    linear: LinearModel
    inner: dict[str, list[str]]


def split_tokens(text: str) -> list[Token]:
    """Splits a text into words and punctuation marks."""
    return [Token(match.start(), match.end(), match[0]) for match in _TOKEN.finditer(text)]


def train_tokens(
    texts: Sequence[str], stretches: Sequence[Sequence[Stretch]], *, seed: int, least: int = 1
) -> TokenModel:
    """Learns from texts and their stretches.

    A stretch takes every token that it touches. Of stretches that share a token the longest
    counts, and of equally long ones the first.

    Args:
        least: tokens that a feature must be of to be learned from.

    Raises:
        NothingToLearnError: no text has a token.
    """
    examples: list[dict[str, float]] = []
    tags: list[str] = []
    for text, mine in zip(texts, stretches, strict=True):
        tokens = split_tokens(text)
        examples += _describe(tokens)
        tags += tag_tokens(tokens, mine)
    linear = train_linear(examples, tags, seed=seed, strength=10.0, least=least)
    inner = {tag: [f"B-{tag[2:]}", tag] for tag in linear.labels if tag[0] == "I"}
    return TokenModel(linear, inner)


def tag_tokens(tokens: Sequence[Token], stretches: Sequence[Stretch]) -> list[str]:
    """Returns the tag of each token."""
    tags = [_OUTSIDE] * len(tokens)
    # The longest first; sorting is stable, so equally long ones keep the order they came in.
    for each in sorted(stretches, key=lambda one: one.start - one.end):
        places = [i for i, t in enumerate(tokens) if t.start < each.end and each.start < t.end]
        if places and all(tags[place] == _OUTSIDE for place in places):
            tags[places[0]] = f"B-{each.label}"
            for place in places[1:]:
                tags[place] = f"I-{each.label}"
    return tags


def find_stretches(model: TokenModel, texts: Sequence[str]) -> list[list[Stretch]]:
    """Returns the likeliest stretches of each text, in order."""
    tokens = [split_tokens(text) for text in texts]
    examples = [each for mine in tokens for each in _describe(mine)]
    if not examples:
        return [[] for _text in texts]
    # The little keeps a probability of 0 from being minus infinity, which would bar whole paths.
    scores = np.log(score_linear(model.linear, examples) + 1e-12)
    barred = _bar(model)
    found, start = [], 0
    for mine in tokens:
        chosen = _decode(scores[start : start + len(mine)], *barred)
        found.append(join_tags(mine, [model.linear.labels[place] for place in chosen]))
        start += len(mine)
    return found


def _bar(model: TokenModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns what it costs a tag to be first, and to follow each other one."""
    labels = model.linear.labels
    first = np.array([_NEVER if tag in model.inner else 0.0 for tag in labels])
    follow = np.zeros((len(labels), len(labels)))
    for place, tag in enumerate(labels):
        if tag in model.inner:
            follow[:, place] = [0.0 if one in model.inner[tag] else _NEVER for one in labels]
    return first, follow


def _decode(
    scores: NDArray[np.float64], first: NDArray[np.float64], follow: NDArray[np.float64]
) -> list[int]:
    """Finds the best run of tags by Viterbi's algorithm."""
    if not len(scores):
        return []
    best, back = scores[0] + first, []
    for row in scores[1:]:
        # All tags before (down) with all tags here (across); the best way to each is kept.
        paths = best[:, None] + follow
        back.append(paths.argmax(axis=0))
        best = paths.max(axis=0) + row
    chosen = [int(best.argmax())]
    for pointers in reversed(back):
        chosen.append(int(pointers[chosen[-1]]))
    return chosen[::-1]


def join_tags(tokens: Sequence[Token], tags: Sequence[str]) -> list[Stretch]:
    """Joins tags to stretches, from the start of the first token to the end of the last."""
    found: list[Stretch] = []
    for token, tag in zip(tokens, tags, strict=True):
        if tag[0] == "B":
            found.append(Stretch(token.start, token.end, tag[2:]))
        elif tag[0] == "I":
            found[-1] = Stretch(found[-1].start, token.end, tag[2:])
    return found


def _describe(tokens: Sequence[Token]) -> list[dict[str, float]]:
    """Returns the features of each token: its form and its neighbours."""
    lower = [token.text.lower() for token in tokens]
    shapes = [_shape(token.text) for token in tokens]
    return [_describe_token(lower, shapes, place) for place in range(len(tokens))]


def _describe_token(lower: Sequence[str], shapes: Sequence[str], place: int) -> dict[str, float]:
    word = lower[place]
    names = [f"shape {shapes[place]}", f"ends {word[-3:]}", f"begins {word[:3]}"]
    for step in range(-_WINDOW, _WINDOW + 1):
        at = place + step
        inside = 0 <= at < len(lower)
        names.append(f"{step} {lower[at] if inside else ''}")
        names.append(f"{step} shape {shapes[at] if inside else ''}")
        if step in (0, 1):
            pair = [lower[i] if 0 <= i < len(lower) else "" for i in (at - 1, at)]
            names.append(f"pair {step} {' '.join(pair)}")
    return dict.fromkeys(names, 1.0)


def _shape(text: str) -> str:
    """Returns ``Aa`` for a capitalised word, ``A``, ``a``, ``0`` for digits, or the mark itself."""
    if text.isdigit():
        return "0"
    if not text[0].isalnum():
        return text
    if text.islower():
        return "a"
    return "A" if text.isupper() and len(text) > 1 else "Aa"
