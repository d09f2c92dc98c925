from __future__ import annotations

from commonground.figure import Data, Row


def count_words(data: Data) -> int:
    texts = data.rows("SELECT text FROM events WHERE corpus = $corpus")
    return sum(len(text.split()) for (text,) in texts)


def compute_words(data: Data) -> list[Row]:
    return [["toy", data.share(count_words)]]
