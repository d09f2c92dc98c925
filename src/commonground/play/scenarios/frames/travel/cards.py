"""Task cards: what a user is to look for, sampled so that the database can or cannot give it."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from random import Random
from typing import Any

import msgspec

from commonground.corpora.frames.native import Search
from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.frames.travel.database import (
    EPOCH,
    Deal,
    TravelDatabase,
    count_party,
    fill_form,
    load_places,
)
from commonground.play.scenarios.frames.travel.values import Value, say_day

_UNKNOWN, _ANYWHERE, _TOO_CHEAP = 0.2, 0.3, 0.45
"""Shares of cards, each from the one before: a place unknown, any place, too little money."""

_PLACES = 5


class TaskCard(msgspec.Struct, frozen=True):
    """What a user is to look for.

    Attributes:
        template: by which it is written: a kind of task and an occasion, such as
            ``strict-wedding``.
        wishes: the constraints by slot, as people would type them; ``-1`` for any.
        second: what to change where nothing fits; empty for nothing.
        places: cities that the user may ask about besides.
        solvable: whether the database has a package that fits the wishes, or fits them with the
            second best. Neither player knows.
    """

    id: str
    template: str
    text: str
    wishes: dict[str, Value]
    second: dict[str, Value] = {}
    places: tuple[str, ...] = ()
    solvable: bool = True


def is_solvable(card: TaskCard, database: TravelDatabase) -> bool:
    """Says whether the database has a package that fits a card."""
    chances = [card.wishes, {**card.wishes, **card.second}]
    forms = (fill_form(each, database.year) for each in chances)
    return any(database.search(msgspec.convert({"timestamp": 0, **each}, Search)) for each in forms)


def sample_card(database: TravelDatabase, seed: int, number: int) -> TaskCard:
    """Samples a card around one of the packages, and makes some cards impossible.

    Args:
        database: that it is for; not empty.
        seed: the same seed gives the same cards.
    """
    rng = Random(f"{seed}:card:{number}")
    deal = rng.choice(database.deals)
    wishes = _sample_wishes(rng, database, deal)
    others = [city for city in database.cities if city not in (deal.or_city, wishes["dst_city"])]
    places = tuple(rng.sample(others, min(_PLACES, len(others))))
    second = _sample_second(rng, wishes, places)
    template = rng.choice(list_templates())
    text = _write_card(template, wishes, second, places)
    card = TaskCard(f"{seed}-{number}", template, text, wishes, second, places)
    return msgspec.structs.replace(card, solvable=is_solvable(card, database))


def _sample_wishes(rng: Random, database: TravelDatabase, deal: Deal) -> dict[str, Value]:
    kind = rng.random()
    place = database.hotels[deal.hotel].dst_city
    if kind < _UNKNOWN:
        place = rng.choice(load_places().names["nowhere"])
    elif kind < _ANYWHERE:
        place = DONT_CARE
    # From two on, since the sentences of the card are in the plural.
    party = {"n_adults": str(rng.randrange(2, 9))}
    if rng.random() < 0.4:
        party["n_children"] = str(rng.randrange(2, 5))
    form = msgspec.convert({"timestamp": 0, **fill_form(party, database.year)}, Search)
    hundreds = int(deal.price * count_party(form) // 100) + rng.randrange(1, 8)
    if _ANYWHERE <= kind < _TOO_CHEAP:
        hundreds = max(1, hundreds // 3)
    leaves, returns = _day(deal.leaves_min), _day(deal.returns_min)
    wishes: dict[str, Value] = {
        "or_city": deal.or_city,
        "dst_city": place,
        **party,
        "str_date": _say(leaves - timedelta(days=rng.randrange(6))),
        "end_date": _say(returns + timedelta(days=rng.randrange(1, 9))),
        "budget": DONT_CARE if rng.random() < 0.3 else f"${hundreds * 100}",
    }
    if rng.random() < 0.4:
        wishes["max_duration"] = f"{rng.randrange(6, 14)} days"
    if rng.random() < 0.4:
        wishes["flex"] = True
    return wishes


def _sample_second(
    rng: Random, wishes: dict[str, Value], places: tuple[str, ...]
) -> dict[str, Value]:
    """Samples the second best: another place, more money, or nothing."""
    chance, budget = rng.random(), wishes["budget"]
    if chance < 0.4 and places:
        return {"dst_city": places[-1]}
    if chance < 0.7 and budget != DONT_CARE:
        return {"budget": f"${2 * int(str(budget)[1:])}"}
    return {}


def _day(at_min: int) -> datetime:
    return EPOCH + timedelta(minutes=at_min)


def _say(at: datetime) -> str:
    return say_day(at.strftime("%B"), at.day)


@cache
def _load_sentences() -> dict[str, Any]:
    return load_beside(__file__, "cards.toml", dict[str, Any])


@cache
def list_templates() -> tuple[str, ...]:
    """Returns the names of the templates of cards: each kind of task with each of its occasions."""
    occasions = _load_sentences()["occasions"]
    return tuple(f"{kind}-{name}" for kind, names in occasions.items() for name in names)


def _write_card(
    template: str, wishes: dict[str, Value], second: dict[str, Value], places: tuple[str, ...]
) -> str:
    sentences = _load_sentences()
    kind, _, occasion = template.partition("-")
    asked = sentences["kinds"][kind]
    text = [sentences["occasions"][kind][occasion]]
    for slot, sentence in {**sentences["who"], **asked}.items():
        if wishes.get(slot) == DONT_CARE:
            text.append(asked[f"any_{slot}"])
        elif slot in wishes:
            text.append(sentence.format(**wishes))
    if second:
        changes = [sentences["change"][slot].format(**second) for slot in second]
        text.append(asked["second"].format(second=" and ".join(changes)))
    text.append(asked["otherwise"])
    if places:
        text.append(sentences["places"]["also"].format(places=", ".join(places)))
    return " ".join(text)
