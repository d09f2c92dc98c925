from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.toy.native import Talk  # type: ignore[import-not-found]

from commonground.findings import Place, Ruleset

rules = Ruleset("CG-TOY-", "talk", known=0)


@rules.warning(1)
def empty_line(talk: Talk) -> Iterator[Place]:
    """A line is empty.

    Nobody says nothing.

    Leave the line out.
    """
    for index, line in enumerate(talk.lines):
        if not line.says:
            yield Place(f".lines[{index}].says", "words", "", index)
