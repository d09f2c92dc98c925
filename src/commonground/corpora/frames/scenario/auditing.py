"""What a simulated user of Frames says that its card does not: cities, money and people.

A value counts as named where the wizard wrote it before. The rules look for cities of the database
and for amounts of dollars anywhere, and for numbers of people and the place of departure in the
forms that English has for them; dates and all else are not decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commonground.corpora.frames.scenario.game.state import State
from commonground.corpora.frames.scenario.travel.cards import Card
from commonground.corpora.frames.scenario.travel.database import open_database
from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.games.auditing import Audit, Fault, Said

# "$1,700", "$ 900".
_MONEY = re.compile(r"\$\s?(\d[\d,]*)")
_COUNTED = {
    "n_adults": re.compile(r"\b(\d+)\s+adults?\b", re.IGNORECASE),
    "n_children": re.compile(r"\b(\d+)\s+(?:children|kids)\b", re.IGNORECASE),
}
# Right before the name of a city, so that the city is where a trip starts.
_FROM = re.compile(r"\b(?:from|leaving|live in)\s+$", re.IGNORECASE)


def find_faults(state: State, said: Sequence[Said]) -> Iterator[Fault]:
    """Yields what a user said beside its card or against it, and an end without any search."""
    card = state.setting.card
    cities = open_database(state.setting.material.packages).cities
    heard = ""
    for each in said:
        if each.speaker != "user":
            heard += f" {each.text}"
            continue
        yield from _compare(card, each.text, heard, cities)
    if state.closed and not state.searches:
        yield Fault("ended_early", "the wizard had not searched")


def _compare(card: Card, text: str, heard: str, cities: Sequence[str]) -> Iterator[Fault]:
    told = [*card.wishes.values(), *card.second.values(), *card.places]
    known = " ".join((card.text, *map(str, told), heard))
    home = card.wishes.get("or_city", DONT_CARE)
    for city in cities:
        for found in _find_name(city, text):
            if home not in (DONT_CARE, city) and _FROM.search(text[: found.start()]):
                yield Fault("contradiction", text)
            elif not any(_find_name(city, known)):
                yield Fault("unwanted", text)
    amounts = {_plain(each) for each in _MONEY.findall(known)}
    if any(_plain(each) not in amounts for each in _MONEY.findall(text)):
        has_budget = card.wishes.get("budget", DONT_CARE) != DONT_CARE
        yield Fault("contradiction" if has_budget else "unwanted", text)
    for slot, pattern in _COUNTED.items():
        wanted = card.wishes.get(slot)
        for number in pattern.findall(text):
            if wanted is None:
                yield Fault("unwanted", text)
            elif wanted not in (DONT_CARE, number):
                yield Fault("contradiction", text)


def _find_name(name: str, text: str) -> Iterator[re.Match[str]]:
    # Not `\b`, which behind a name that ends in a mark would want a letter.
    return re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)


def _plain(amount: str) -> str:
    return amount.replace(",", "")


AUDIT = Audit(
    speaker="user",
    find_faults=find_faults,
    decides=frozenset({"unwanted", "contradiction", "ended_early"}),
)
