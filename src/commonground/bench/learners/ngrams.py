"""Words and runs of words as features."""

from __future__ import annotations

import re

# Words, and each mark by itself: "Go, now!" is Go , now !
_WORD = re.compile(r"\w+|[^\w\s]")


def split_words(text: str) -> list[str]:
    """Splits a text into lower-case words and punctuation marks."""
    return _WORD.findall(text.lower())


def count_ngrams(text: str, prefix: str = "", longest: int = 2) -> dict[str, float]:
    """Returns every run of words of a text as a feature of value 1.

    Args:
        text: any text; case does not matter.
        longest: words of the longest run.
    """
    words = split_words(text)
    return {
        prefix + " ".join(words[start : start + size]): 1.0
        for size in range(1, longest + 1)
        for start in range(len(words) - size + 1)
    }
