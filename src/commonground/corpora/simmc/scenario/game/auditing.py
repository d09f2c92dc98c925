"""What a simulated shopper says or does that no shopper could or would.

A shopper may want anything, so no wish is wrong, and nothing is decided of contradictions. But what
a thing is called, and who made it, is in the assistant's catalogue only: a shopper who names it
before the assistant has done so was told by nobody. One who leaves before the assistant has shown,
told or sold anything has not let it do its part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from commonground.games.auditing import Audit, Fault, Said


def audit_shopper(
    list_names: Callable[[Any], Iterable[str]], has_served: Callable[[Any], bool]
) -> Audit:
    """Returns how the user of a shopping game is audited.

    Args:
        list_names: lists the names in the catalogue of a state that users do not see.
        has_served: says whether the assistant did anything but talk, by a state.
    """

    def find_faults(state: Any, said: Sequence[Said]) -> Iterator[Fault]:
        names, heard = sorted(set(list_names(state)) - {""}), ""
        for each in said:
            if each.speaker != "user":
                heard += f" {each.text}"
            elif any(_names(each.text, name) and not _names(heard, name) for name in names):
                yield Fault("unwanted", each.text)
        if state.talk.closed and not has_served(state):
            yield Fault("ended_early", "the assistant had not shown, told or sold anything")

    return Audit(
        speaker="user",
        find_faults=find_faults,
        decides=frozenset({"unwanted", "ended_early"}),
    )


def _names(text: str, name: str) -> bool:
    # Not `\b`, which behind a name that ends in a mark would want a letter.
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
