from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.toy.native import Talk  # type: ignore[import-not-found]

from commonground.findings import Examined, Place, rule


@rule(
    "CG-TOY-001",
    "warning",
    "A line is empty.",
    why="Nobody says nothing.",
    advice="Leave the line out.",
    format="talk",
    known=0,
)
def empty_line(talk: Talk, examined: Examined) -> Iterator[Place]:
    for index, line in enumerate(talk.lines):
        if not line.says:
            yield Place(f".lines[{index}].says", "words", "", index)
