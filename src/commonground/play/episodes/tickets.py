"""Episodes of Taskmaster-3: somebody buys tickets for a film."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.taskmaster.native.dialogues import TicketDialogue
from commonground.errors import CommongroundError
from commonground.model import Json
from commonground.play.episode import EpisodeSource, Held, Line, fold, fold_values
from commonground.play.world import World, name_call
from commonground.play.worlds.tickets import EMPTY, WORLD, CinemaFacts, TicketState

ROLE = """\
You sell tickets for cinemas. You see what the customer says, one turn at a time, and act by calling
functions.

Find full names with the functions that begin with resolve_, where only part of a name is said. Find
films, theaters and showtimes with the functions that begin with find_, and what is known of a film
with get_movie_attribute. Before you book, say which film, theater, day, time and number of tickets
you are going to book, and ask whether that is right and whether you may buy them. Book with
book_tickets once the customer says so, and not before; say the date as the customer does.

When you have called what is to be called, answer the customer in a sentence or two. Call nothing
that the customer has no need of."""

_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
}

_RESOLVES = {"name.movie": "resolve_movie", "name.theater": "resolve_theater"}


def read_lines(record: TicketDialogue) -> Iterator[Line]:
    """Yields what customer and agent say."""
    for number, each in enumerate(record.utterances):
        yield Line(each.speaker == "user", each.text, f".utterances[{number}]")


def hold(world: World[CinemaFacts, TicketState], state: TicketState) -> Held:
    """Says which tickets were booked: film, theater, day, time and number."""
    return Held([name_call("tickets", _normalise(world, each)) for each in state.bookings])


def _normalise(world: World[CinemaFacts, TicketState], said: dict[str, str]) -> dict[str, str]:
    """Returns what tickets are of, in a form that is the same whatever the words."""
    found = {
        "movie": _name(world, "name.movie", said),
        "theater": _name(world, "name.theater", said),
        "time": _read_time(said.get("time.showing", "")),
        "date": _read_date(said.get("date.showing", "")),
        "tickets": _read_number(said.get("num.tickets", "")),
    }
    return {name: each for name, each in found.items() if each}


def _name(world: World[CinemaFacts, TicketState], kind: str, said: dict[str, str]) -> str:
    """Returns the full name where what is said is part of a single one."""
    name = said.get(kind, "")
    try:
        resolved = world.call(world.beginning, _RESOLVES[kind], {kind: name}).result
    except CommongroundError:
        return fold(name)
    known = resolved.get(kind) if isinstance(resolved, dict) else None
    if isinstance(known, list) and len(known) == 1 and known != [EMPTY]:
        return fold(str(known[0]))
    return fold(name)


def _read_time(said: str) -> str:
    """Returns hour and minutes; films of a day are never twelve hours apart."""
    found = re.search(r"(\d{1,2})(?:\D?(\d\d))?", said)
    return f"{int(found[1])}:{found[2] or '00'}" if found else fold(said)


def _read_date(said: str) -> str:
    """Returns the day, without the time of day."""
    day = re.sub(r"\b(this|at|on|night|evening|afternoon|morning|'s)\b", "", said.casefold())
    return fold(day).replace("tonight", "today") or ("today" if said else "")


def _read_number(said: str) -> str:
    """Returns the first number of a text in digits; the text where it has none."""
    for word in re.findall(r"\w+", said.casefold()):
        if word.isdecimal():
            return str(int(word))
        if word in _NUMBERS:
            return _NUMBERS[word]
    return fold(said)


def learn(world: World[CinemaFacts, TicketState], name: str, arguments: Json, result: Json) -> Json:
    """Returns what a look-up says; of a yes or no, or of nothing found, with what was asked."""
    said = fold_values(result)
    if not isinstance(said, dict) or not isinstance(arguments, dict):
        return {"said": said}
    asked = _normalise(world, {key: str(each) for key, each in arguments.items()})
    if "status" in said:
        return {**said, "of": asked}
    if name == "get_movie_attribute" or not said or [EMPTY] in said.values():
        return {**said, "of": fold_values(arguments)}
    if name == "find_showtimes":
        # The same times may be those of another film.
        return {**said, "of": {k: asked[k] for k in ("movie", "theater") if k in asked}}
    return said


EPISODES = EpisodeSource(
    world=WORLD,
    role=ROLE,
    version=1,
    read_lines=read_lines,
    hold=hold,
    learn=learn,
)
