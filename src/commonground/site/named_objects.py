"""The objects that a query names, by whole id or by a part of one."""

from __future__ import annotations

import re
from functools import cached_property

from commonground.site.search_language import QueryError, Term
from commonground.store.index import CorpusIndex

_PARTS = re.compile(r"[^0-9A-Za-z]+")


class NamedObjects:
    """Finds the objects of one corpus.

    Args:
        index: its index.
    """

    def __init__(self, index: CorpusIndex) -> None:
        self._index = index

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        """Ids by each of their parts: of ``a/b_0017.jpg`` those are a, b, 17, jpg."""
        parts: dict[str, list[str]] = {}
        for object_id in self._index.blocks.object_ids:
            for part in {each.lstrip("0") for each in _PARTS.split(object_id.casefold())}:
                parts.setdefault(part, []).append(object_id)
        return parts

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(self._index.blocks.object_ids)

    def find(self, term: Term) -> set[str]:
        """Returns the objects a term names, by whole id or by a part such as an image's number.

        Raises:
            QueryError: there is none.
        """
        found: set[str] = set()
        for value in term.values:
            if value in self._ids:
                found.add(value)
            elif term.prefix:
                found.update(each for each in self._ids if each.startswith(value))
            else:
                found.update(self._parts.get(value.casefold().lstrip("0"), ()))
        if not found:
            raise QueryError(
                f"No object is {','.join(term.values)!r}.",
                "Give its id, or a number in it; the objects tab lists them.",
                term.start,
                term.end,
            )
        return found
