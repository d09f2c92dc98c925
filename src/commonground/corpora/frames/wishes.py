"""What a simulated user wants, and how the opening of a dialogue finds it out."""

from __future__ import annotations

from collections.abc import Iterable

from commonground.corpora.frames.native import Slot
from commonground.corpora.frames.session import Part, Session, do, refer
from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.corpora.frames.wording import normalise, say, say_day
from commonground.corpora.frames.world import CITIES, NOWHERE

_MENTIONED = {
    "or_city": 0.75,
    "dst_city": 0.85,
    "n_adults": 0.5,
    "str_date": 0.4,
    "end_date": 0.3,
    "n_children": 0.2,
    "budget": 0.35,
    "max_duration": 0.2,
    "flex": 0.2,
}
"""How often each wish is in the opening turn."""


class Wishes:
    """What the user wants, whether said already or not.

    Attributes:
        values: the wishes by slot, as the user would type them.
        cities: places to ask for after the first.
    """

    def __init__(self, session: Session) -> None:
        rng = session.rng
        origin, *cities = rng.sample(sorted(CITIES), 6)
        self.cities: list[str] = cities
        kind = rng.random()
        first = rng.choice(NOWHERE) if kind < 0.2 else DONT_CARE if kind < 0.3 else cities.pop()
        self.values: dict[str, str | bool] = {
            "or_city": origin,
            "dst_city": first,
            "n_adults": str(rng.randrange(2, 9)),
            "str_date": say_day("August", rng.randrange(20, 32)),
            "end_date": say_day("September", rng.randrange(20, 31)),
            "n_children": str(rng.randrange(2, 5)),
            "budget": DONT_CARE if rng.random() < 0.3 else f"${rng.randrange(12, 60) * 100}",
            "max_duration": f"{rng.randrange(6, 14)} days",
            "flex": True,
        }

    def part(self, session: Session, slot: str) -> Part:
        """Says one wish; ``-1`` stands for any."""
        value = self.values[slot]
        if value == DONT_CARE:
            phrase = "anywhere" if slot == "dst_city" else "any_budget"
            return do(say(session.rng, phrase), "inform", Slot(key=slot, val=value))
        text = say(session.rng, slot, **{slot: str(value)})
        return do(text, "inform", Slot(key=slot, val=value))

    def enter(self, session: Session, said: Iterable[str]) -> None:
        """Writes wishes that were said into the frames."""
        wishes: dict[str, str | bool] = {}
        for slot in said:
            value = self.values[slot]
            wishes[slot] = normalise(slot, value) if isinstance(value, str) else value
        session.book.wish(wishes)


def open_dialogue(session: Session) -> Wishes:
    """Plays the opening: the user's first turn, and questions until a search is possible."""
    wishes, rng = Wishes(session), session.rng
    said = [slot for slot, chance in _MENTIONED.items() if rng.random() < chance]
    parts = [
        do(say(rng, "book", book="book"), "inform", Slot(key="intent", val="book")),
        *(wishes.part(session, slot) for slot in said),
    ]
    if rng.random() < 0.4:
        parts.insert(0, do(say(rng, "hello"), "greeting"))
    session.book.wish({"intent": "book"})
    wishes.enter(session, said)
    session.user(*parts)
    _ask_missing(session, wishes, said)
    if rng.random() < 0.25:
        _check(session, wishes)
    return wishes


_QUESTIONS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("ask_or_city", ("or_city",), 1),
    ("ask_dst_city", ("dst_city",), 1),
    ("ask_n_adults", ("n_adults",), 0.5),
    ("ask_dates", ("str_date", "end_date"), 0.4),
    ("ask_budget", ("budget",), 0.3),
)


def _ask_missing(session: Session, wishes: Wishes, said: list[str]) -> None:
    for phrase, slots, chance in _QUESTIONS:
        if any(slot in said for slot in slots) or session.rng.random() >= chance:
            continue
        question = say(session.rng, phrase)
        parts = [do(question, "request", *(Slot(key=slot) for slot in slots))]
        if len(session.turns) == 1 and session.rng.random() < 0.5:
            parts.insert(0, do(say(session.rng, "hello_back"), "greeting"))
        for slot in slots:
            session.book.ask(session.book.active, "wizard", slot)
        session.wizard(*parts)
        wishes.enter(session, slots)
        session.user(*(wishes.part(session, slot) for slot in slots))


def _check(session: Session, wishes: Wishes) -> None:
    """Has the wizard repeat two wishes and the user affirm them."""
    book = session.book
    held = {slot: wishes.values[slot] for slot in ("n_adults", "or_city")}
    if any(book.held(book.active).get(slot) != value for slot, value in held.items()):
        return
    for slot, value in held.items():
        book.ask_whether(book.active, "wizard", slot, value)
    text = say(session.rng, "check", **{slot: str(value) for slot, value in held.items()})
    asked = [Slot(key=slot, val=value) for slot, value in held.items()]
    session.wizard(do(text, "confirm", *asked))
    reference = Slot(key="ref", val=[refer(book.active)])
    session.user(do(say(session.rng, "yes"), "affirm", reference))
