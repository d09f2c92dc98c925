"""How a simulated dialogue goes: search, offers, talk about them, a booking or a goodbye."""

from __future__ import annotations

from commonground.corpora.frames import moves
from commonground.corpora.frames.facts import relax_query, write_query
from commonground.corpora.frames.native import Annotation, Package, Search, Slot
from commonground.corpora.frames.session import Part, Session, do, refer
from commonground.corpora.frames.wishes import Wishes, open_dialogue
from commonground.corpora.frames.wording import say
from commonground.corpora.frames.world import World

_MOST_ROUNDS = 4


def play_dialogue(session: Session, world: World) -> bool:
    """Plays a dialogue to its end and says whether a trip was booked."""
    return _Play(session, world, open_dialogue(session)).run()


class _Play:
    """The state of a dialogue after its opening; between methods it is the wizard's turn."""

    def __init__(self, session: Session, world: World, wishes: Wishes) -> None:
        self._session = session
        self._rng = session.rng
        self._world = world
        self._wishes = wishes
        self._offers: moves.Offers = {}
        self._named: set[str] = set()
        self._unwanted_seat: str | None = None
        self._suggested: int | None = None
        self._open_hint: int | None = None

    def run(self) -> bool:
        rounds = self._rng.randrange(1, _MOST_ROUNDS)
        for number in range(rounds):
            last = number == rounds - 1
            new = self._answer_search()
            if new:
                self._discuss(new)
            if last:
                break
            self._ask_on(new)
        wanted = list(self._offers)
        if wanted and self._rng.random() < 0.85:
            self._take(self._rng.choice(wanted))
            return True
        self._give_up()
        return False

    def _answer_search(self) -> list[int]:
        """Plays a wizard turn: searches, and offers or the news that there is nothing."""
        searches = self._search()
        found = self._new_of(searches[-1][1])
        if not found:
            parts = self._nothing_new() if searches[-1][1] else self._nothing_found()
            self._session.wizard(*parts, *self._other_city(), searches=searches)
            return []
        parts = [Part(say(self._rng, "found"))] if self._rng.random() < 0.5 else []
        new = []
        for package in found[: self._rng.randrange(1, 4)]:
            frame, said = moves.offer(self._session, package)
            parts += said
            new.append(frame)
            self._offers[frame] = package
            self._named.add(package.hotel.name)
        parts += self._hint(new)
        self._session.wizard(*parts, searches=searches)
        return new

    def _hint(self, new: list[int]) -> list[Part]:
        chance = self._rng.random()
        self._open_hint = None
        if chance < 0.3:
            text = say(self._rng, "suggest_booking", book="book")
            return [do(text, "suggest", Slot(key="action", val="book"))]
        if chance < 0.5:
            self._open_hint = new[-1]
            reference = Slot(key="ref", val=[refer(new[-1])])
            return [do(say(self._rng, "hearmore"), "hearmore", reference)]
        return []

    def _new_of(self, found: list[Package]) -> list[Package]:
        """Returns the packages worth telling: one of each hotel not named before."""
        by_hotel: dict[str, Package] = {}
        for package in found:
            if package.trip.seat != self._unwanted_seat:
                by_hotel.setdefault(package.hotel.name, package)
        return [package for name, package in by_hotel.items() if name not in self._named]

    def _search(self) -> list[tuple[Search, list[Package]]]:
        book = self._session.book
        first, second = self._session.search_times(2)
        query = write_query(self._rng, book.held(book.active), first)
        searches = [(query, self._world.search(query))]
        if not self._new_of(searches[0][1]):
            wider = relax_query(query, second)
            searches.append((wider, self._world.search(wider)))
        return searches

    def _nothing_found(self) -> list[Part]:
        """Says that a search for a city came back empty."""
        rng, book = self._rng, self._session.book
        city = str(book.held(book.active)["dst_city"])
        book.put(book.active, "NO_RESULT", True)
        note = Annotation(key="dst_city", val=city)
        reference = Slot(key="ref", val=[refer(book.active, note)])
        parts = [do(say(rng, "no_result", dst_city=city), "no_result", reference)]
        if rng.random() < 0.5:
            parts.append(do(say(rng, "sorry"), "sorry"))
        return parts

    def _nothing_new(self) -> list[Part]:
        """Says that all there is has been told, or will not do."""
        reference = Slot(key="ref", val=[refer(self._session.book.active)])
        return [do(say(self._rng, "canthelp"), "canthelp", reference)]

    def _other_city(self) -> list[Part]:
        """Suggests another city, in a frame of its own, or asks for one."""
        rng, book = self._rng, self._session.book
        if not self._wishes.cities or rng.random() < 0.5:
            book.ask(book.active, "wizard", "dst_city")
            return [do(say(rng, "elsewhere"), "request", Slot(key="dst_city"))]
        city = self._wishes.cities.pop()
        self._suggested = book.offer(book.active, {"dst_city": city})
        args = Slot(key="dst_city", val=city), Slot(key="id", val=self._suggested)
        return [do(say(rng, "suggest_city", dst_city=city), "suggest", *args)]

    def _discuss(self, new: list[int]) -> None:
        """Plays pairs of turns about the offers: the user asks and the wizard answers."""
        session, offers, rng = self._session, self._offers, self._rng
        if self._open_hint is not None and rng.random() < 0.7:
            moves.tell_more(session, offers, self._open_hint)
        for _ in range(rng.randrange(3)):
            chance, frame = rng.random(), rng.choice(new)
            if chance < 0.4:
                moves.ask(session, offers, frame)
            elif chance < 0.7:
                moves.confirm(session, offers, frame)
            elif len(offers) > 1:
                moves.compare(session, offers, rng.sample(sorted(offers), 2))

    def _ask_on(self, new: list[int]) -> None:
        """Plays a user turn that calls for another search."""
        chance = self._rng.random()
        if self._suggested is not None:
            self._follow()
        elif new and chance < 0.3:
            moves.reject(self._session, self._offers, self._rng.choice(new))
        elif new and chance < 0.45 and self._unwanted_seat is None:
            self._rule_out_seat()
        else:
            self._change_city()

    def _follow(self) -> None:
        """The user takes up the city that the wizard suggested."""
        book, frame = self._session.book, self._suggested
        assert frame is not None  # noqa: S101 - the caller has looked
        city = str(book.held(frame)["dst_city"])
        self._suggested = None
        book.active = frame
        reference = refer(frame, Annotation(key="dst_city", val=city))
        text = say(self._rng, "change_city", dst_city=city)
        self._session.user(do(text, "switch_frame", Slot(key="ref", val=[reference])))

    def _rule_out_seat(self) -> None:
        """The user does not want one class of seats; the frame holds that, negated."""
        book, rng = self._session.book, self._rng
        seat = rng.choice(("economy", "business"))
        if book.held(book.active).get("seat") is not None:
            self._change_city()
            return
        self._unwanted_seat = seat.upper()
        book.put(book.active, "seat", seat, negated=True)
        reference = refer(book.active, Annotation(key="seat", val=seat))
        text = say(rng, "reject_seat", seat=seat)
        self._session.user(do(text, "negate", Slot(key="ref", val=[reference])))

    def _change_city(self) -> None:
        city = self._wishes.cities.pop()
        self._session.book.wish({"dst_city": city})
        text = say(self._rng, "change_city", dst_city=city)
        self._session.user(do(text, "inform", Slot(key="dst_city", val=city)))

    def _take(self, frame: int) -> None:
        """The user books an offer, and both part."""
        session, rng = self._session, self._rng
        parts = moves.switch(session, self._offers, frame)
        session.book.put(frame, "action", "book")
        booking = Slot(key="action", val="book")
        session.user(*parts, do(say(rng, "take", book="book"), "inform", booking))
        session.wizard(do(say(rng, "done"), "inform", booking))
        session.user(do(say(rng, "thanks"), "thankyou"), *self._goodbye())
        if rng.random() < 0.6:
            session.wizard(do(say(rng, "welcome"), "you_are_welcome"), *self._goodbye())

    def _give_up(self) -> None:
        session, rng = self._session, self._rng
        session.user(
            Part(say(rng, "give_up")), do(say(rng, "thanks"), "thankyou"), *self._goodbye()
        )
        if rng.random() < 0.6:
            session.wizard(do(say(rng, "thanks_back"), "thankyou"), *self._goodbye())

    def _goodbye(self) -> list[Part]:
        return [do(say(self._rng, "bye"), "goodbye")] if self._rng.random() < 0.5 else []
