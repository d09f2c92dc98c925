"""Which part of a long list a page shows."""

from __future__ import annotations

import msgspec

from commonground.errors import UsageError
from commonground.store.index.postings import Numbers


class Paging(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a list.

    Attributes:
        page: from 1.
        pages: at least 1.
        first: place of its first item in the list, from 1; 0 where the list is empty.
        last: place of its last item.
    """

    total: int
    page: int
    pages: int
    first: int
    last: int

    def take(self, numbers: Numbers) -> list[int]:
        """Returns the numbers of this part of a list of them."""
        # Of an empty list ``first`` is 0, and -1 would count from its end.
        taken: list[int] = numbers[max(0, self.first - 1) : self.last].tolist()
        return taken


def cut_page(total: int, page: int, size: int) -> Paging:
    """Cuts a list into pages.

    Args:
        page: the one asked for, from 1.

    Raises:
        UsageError: there is no page of that number.
    """
    # Rounded up; an empty list has one page that says so.
    pages = max(1, -(-total // size))
    if not 1 <= page <= pages:
        raise UsageError(f"There is no page {page}.", f"The last one is {pages}.")
    first = (page - 1) * size
    last = min(total, first + size)
    return Paging(total=total, page=page, pages=pages, first=min(first + 1, total), last=last)


def near_pages(paging: Paging | None) -> list[int]:
    """Lists the pages worth a link: the first, the last, and those about this one.

    Where a page shows no list (None), there are none.
    """
    if paging is None:
        return []
    near = {1, paging.pages, *range(paging.page - 2, paging.page + 3)}
    return sorted(number for number in near if 1 <= number <= paging.pages)
