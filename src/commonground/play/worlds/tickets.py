"""Cinemas and their tickets, as in Taskmaster-3: films, theaters, showtimes, bookings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

import msgspec

from commonground.corpora.taskmaster.native.dialogues import RewardExample, TicketDialogue
from commonground.corpora.taskmaster.native.rows import SplitRow
from commonground.corpora.taskmaster.native.tags import (
    Argument,
    Called,
    Marker,
    Responded,
    TagError,
    TaggedTurn,
    parse_turns,
)
from commonground.model import Json
from commonground.play.scenarios.taskmaster.taskmaster3.material import load_cinemas
from commonground.play.world import (
    Answer,
    Arguments,
    Course,
    Function,
    SeenCall,
    WorldSource,
    iterate_answered,
    same_but_order,
)
from commonground.play.worlds._taskmaster import read_reward

EMPTY = "empty"
"""What released calls return where nothing is found."""

_ANY = frozenset({"any", "nearby", "_AUTOMATIC", "_COUNTRY"})
"""Values that leave open what is asked for."""

Row = dict[str, str]
"""What is known together, by type of entity: a showing has a film, a theater and a time."""


class CinemaFacts(msgspec.Struct, frozen=True):
    """What is true of cinemas.

    Attributes:
        rows: showings, each with values by type of entity, such as ``name.movie``,
            ``name.theater``, ``location``, ``date.showing``, ``time.showing``.
        films: what is known of films, by title and type of entity.
        names: full names of what people call films, theaters and places, by type of entity and
            by what they say in small letters.
        unavailable: showings that tickets cannot be had of, as rows.
    """

    rows: list[Row] = []
    films: dict[str, Row] = {}
    names: dict[str, dict[str, list[str]]] = {}
    unavailable: list[Row] = []


class TicketState(msgspec.Struct, frozen=True):
    """What was booked, as the arguments of successful bookings."""

    bookings: tuple[Row, ...] = ()


def _entity(name: str) -> Any:
    return msgspec.field(default=None, name=name)


class _FindMovies(Arguments):
    location: str | None = None
    theater: str | None = _entity("name.theater")
    genre: str | None = _entity("name.genre")
    screening: str | None = _entity("type.screening")
    release: str | None = _entity("date.release")
    other: str | None = _entity("description.other")
    person: str | None = _entity("name.person")
    character: str | None = _entity("name.character")
    audience: str | None = _entity("review.audience")
    critic: str | None = _entity("review.critic")
    rating: str | None = _entity("rating.movie")


class _FindTheaters(Arguments):
    location: str | None = None
    screening: str | None = _entity("type.screening")
    movie: str | None = _entity("name.movie")


class _FindShowtimes(Arguments):
    # Some 40 released calls lack the film or the theater that the declaration asks for.
    movie: str | None = _entity("name.movie")
    theater: str | None = _entity("name.theater")
    date: str | None = _entity("date.showing")
    screening: str | None = _entity("type.screening")
    preference: str | None = _entity("time.preference")
    location: str | None = None


class _GetMovieAttribute(Arguments):
    attribute: str
    movie: str | None = _entity("name.movie")


class _ResolveMovie(Arguments):
    movie: str = msgspec.field(name="name.movie")


class _ResolveLocation(Arguments):
    location: str


class _ResolveTheater(Arguments):
    theater: str = msgspec.field(name="name.theater")
    location: str | None = None


class _CheckTickets(Arguments):
    movie: str | None = _entity("name.movie")
    theater: str | None = _entity("name.theater")
    time: str | None = _entity("time.showing")
    date: str | None = _entity("date.showing")
    tickets: str | None = _entity("num.tickets")
    seating: str | None = None
    preference: str | None = _entity("time.preference")
    screening: str | None = _entity("type.screening")
    location: str | None = None


def _find(
    facts: CinemaFacts, state: TicketState, asked: Arguments, *, column: str
) -> Answer[TicketState]:
    """Returns the values of a column in the showings that fit, each once, in order."""
    wanted = _given(asked)
    fitting = [row for row in facts.rows if _fits({**_film_of(facts, row), **row}, wanted)]
    found = list(dict.fromkeys(row[column] for row in fitting if column in row))
    return Answer({column: found or [EMPTY]}, state)


def _film_of(facts: CinemaFacts, row: Row) -> Row:
    return facts.films.get(_fold(row.get("name.movie", "")), {})


def _fits(row: Mapping[str, str], wanted: Row) -> bool:
    return all(name in row and _agree(row[name], value) for name, value in wanted.items())


def _agree(known: str, wanted: str) -> bool:
    return _fold(wanted) in _fold(known) or wanted in _ANY


def _fold(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _given(asked: Arguments) -> Row:
    """Returns the arguments that narrow a search; preferences of time are the caller's to judge."""
    given: Row = msgspec.to_builtins(asked)
    return {name: each for name, each in given.items() if name != "time.preference"}


def _get_movie_attribute(
    facts: CinemaFacts, state: TicketState, asked: _GetMovieAttribute
) -> Answer[TicketState]:
    film = facts.films.get(_fold(asked.movie or ""), {})
    return Answer({asked.attribute: [film.get(asked.attribute, EMPTY)]}, state)


def _resolve(
    facts: CinemaFacts, state: TicketState, asked: Arguments, *, kind: str
) -> Answer[TicketState]:
    """Returns the full names of what somebody says; EMPTY where nothing has such a name."""
    said = _fold(_given(asked)[kind])
    known = facts.names.get(kind, {}).get(said)
    if known is None:
        names = dict.fromkeys(row[kind] for row in facts.rows if kind in row)
        known = [each for each in names if said in _fold(each)]
    return Answer({kind: list(known) or [EMPTY]}, state)


_SHOWING = ("name.movie", "name.theater", "time.showing", "date.showing")


def _is_available(facts: CinemaFacts, asked: _CheckTickets) -> bool:
    wanted = {name: each for name, each in _given(asked).items() if name in _SHOWING}
    return not any(_fits(wanted, row) for row in facts.unavailable)


def _check_tickets(
    facts: CinemaFacts, state: TicketState, asked: _CheckTickets
) -> Answer[TicketState]:
    status = "available" if _is_available(facts, asked) else "unavailable"
    return Answer({"status": status}, state)


def _book_tickets(
    facts: CinemaFacts, state: TicketState, asked: _CheckTickets
) -> Answer[TicketState]:
    if not _is_available(facts, asked):
        return Answer({"status": "failure"}, state)
    booked = msgspec.to_builtins(asked)
    return Answer({"status": "success"}, TicketState((*state.bookings, booked)))


_FINDS = {
    "find_movies": "name.movie",
    "find_theaters": "name.theater",
    "find_showtimes": "time.showing",
}
"""Columns whose values are found, by function."""

_RESOLVES = {
    "resolve_movie": "name.movie",
    "resolve_location": "location",
    "resolve_theater": "name.theater",
}
"""Types of entities whose full names are found, by function."""

_RUNS: dict[str, Callable[[CinemaFacts, TicketState, Any], Answer[TicketState]]] = {
    **{name: partial(_find, column=column) for name, column in _FINDS.items()},
    "get_movie_attribute": _get_movie_attribute,
    **{name: partial(_resolve, kind=kind) for name, kind in _RESOLVES.items()},
    "check_tickets": _check_tickets,
    "book_tickets": _book_tickets,
}

FUNCTIONS = tuple(
    Function(name, description, arguments, _RUNS[name], keeps=True)
    for name, description, arguments in (
        ("find_movies", "Finds films that are shown.", _FindMovies),
        ("find_theaters", "Finds theaters, or those that show a film.", _FindTheaters),
        ("find_showtimes", "Finds when a film begins.", _FindShowtimes),
        (
            "get_movie_attribute",
            "Says something of a film: name.genre, name.person, name.character, date.release, "
            "description.plot, duration.movie, review.audience, review.critic or rating.movie.",
            _GetMovieAttribute,
        ),
        ("resolve_movie", "Finds the title of a film of which part is said.", _ResolveMovie),
        ("resolve_location", "Finds the full name of a place.", _ResolveLocation),
        ("resolve_theater", "Finds the full name of a theater.", _ResolveTheater),
        ("check_tickets", "Says whether tickets can be had.", _CheckTickets),
        ("book_tickets", "Books tickets.", _CheckTickets),
    )
)

_YES_NO = frozenset({"check_tickets", "book_tickets"})


def read_courses(record: Any) -> Iterator[Course]:
    """Yields the calls of a dialogue, a split row or a reward example."""
    match record:
        case TicketDialogue():
            calls = [
                SeenCall(
                    f".utterances[{number}].apis[{i}]", each.name, each.args, _join(each.response)
                )
                for number, utterance in enumerate(record.utterances)
                for i, each in enumerate(utterance.apis or ())
            ]
            yield Course(record.conversation_id, calls, record.conversation_id)
        case SplitRow():
            name = record.conversation_id or ""
            yield Course(name, _read_row(record), name)
        case RewardExample():
            yield from read_reward(record, _unify, record.conversation_id)


def _join(response: Mapping[str, str]) -> Json:
    """Returns a response with numbered keys, such as ``name.movie_1``, as lists."""
    joined: dict[str, list[str]] = {}
    for key, value in response.items():
        joined.setdefault(re.sub(r"_\d+\Z", "", key), []).append(value)
    return _unlist(joined)


def _unlist(values: Mapping[str, list[str]]) -> Json:
    """Returns the values of a response; a status is one text."""
    return {key: each[0] if key == "status" and each else each for key, each in values.items()}


def _unify(_name: str, result: Json) -> Json:
    """Makes lists of single values."""
    if not isinstance(result, dict):
        return result
    return _unlist(
        {key: each if isinstance(each, list) else [each] for key, each in result.items()}
    )


def _read_row(row: SplitRow) -> list[SeenCall]:
    """Reads the calls of a row's context, whose last turns stand first, and of its target."""
    calls: list[SeenCall] = []
    for path, text, brackets in ((".context", row.context, "<>"), (".target", row.target, "[]")):
        try:
            turns = _put_in_order(parse_turns(text or "", brackets))  # type: ignore[arg-type]
        except TagError as error:
            calls.append(SeenCall(path, "", None, fault=str(error)))
            continue
        for number, turn in enumerate(turns):
            if isinstance(turn, Called):
                after = turns[number + 1] if number + 1 < len(turns) else None
                is_answer = isinstance(after, Responded) and after.name == turn.name
                result = _unlist(_values(after.values)) if is_answer else None  # type: ignore[union-attr]
                fault = (
                    ""
                    if all(len(each.values) == 1 for each in turn.arguments)
                    else "an argument has several values"
                )
                arguments = {each.name: each.values[0] for each in turn.arguments if each.values}
                calls.append(SeenCall(f"{path} call {number}", turn.name, arguments, result, fault))
    return calls


def _values(parts: list[Argument]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in parts:
        found.setdefault(each.name, []).extend(each.values)
    return found


def _put_in_order(turns: list[TaggedTurn]) -> list[TaggedTurn]:
    """Puts the turns before the mark of the history behind it."""
    at = next((n for n, turn in enumerate(turns) if isinstance(turn, Marker)), None)
    return turns if at is None else [*turns[at + 1 :], *turns[:at]]


def find_facts(courses: list[Course]) -> CinemaFacts:
    """Returns what was seen of cinemas."""
    rows: list[Row] = []
    films: dict[str, Row] = {}
    names: dict[str, dict[str, list[str]]] = {}
    unavailable: list[Row] = []
    for call in iterate_answered(courses):
        given, result = call.arguments, call.result
        if not isinstance(given, dict) or not isinstance(result, dict):
            continue
        if (column := _FINDS.get(call.function)) is not None:
            rows += [{**given, column: each} for each in _known(result, column)]
        elif (kind := _RESOLVES.get(call.function)) is not None:
            said = _fold(str(given.get(kind, "")))
            names.setdefault(kind, {}).setdefault(said, _known(result, kind))
        elif call.function == "get_movie_attribute":
            film = films.setdefault(_fold(str(given.get("name.movie", ""))), {})
            for key in result:
                for value in _known(result, key)[:1]:
                    film.setdefault(key, value)
        elif call.function in _YES_NO and result.get("status") in ("unavailable", "failure"):
            unavailable.append({name: given[name] for name in _SHOWING if name in given})
    return CinemaFacts(rows, films, names, unavailable)


def _known(result: dict[str, Json], key: str) -> list[str]:
    values = result.get(key)
    found = values if isinstance(values, list) else [values]
    return [each for each in found if isinstance(each, str) and each not in (EMPTY, "api_failed")]


def fold_titles(facts: CinemaFacts) -> CinemaFacts:
    """Returns facts whose films may be named in any case."""
    films = {_fold(title): each for title, each in facts.films.items()}
    return msgspec.structs.replace(facts, films=films)


def invent_facts(seed: int) -> CinemaFacts:
    """Invents an evening: theaters and films of invented scripts, times drawn by the seed."""
    cinemas, rng = load_cinemas(), Random(f"{seed}:cinemas")
    rows = []
    for theater in cinemas.theaters:
        town = rng.choice(list(cinemas.towns))
        for film in rng.sample(cinemas.movie, 3):
            screen = rng.choice(cinemas.screens)
            for time in sorted(rng.sample(cinemas.times, 2), key=cinemas.times.index):
                place = {"name.theater": theater, "location": town, "type.screening": screen}
                rows.append({"name.movie": film.title, **place, "time.showing": time})
    names = {
        "location": {_fold(said): [town] for town, said in cinemas.towns.items()},
        "name.movie": {_fold(film.hint): [film.title] for film in cinemas.movie},
    }
    films = {film.title: film.attributes for film in cinemas.movie}
    return CinemaFacts(rows, films, names)


WORLD = WorldSource(
    name="taskmaster3",
    corpus="taskmaster3",
    title="Cinemas: films, theaters, showtimes and tickets.",
    facts=CinemaFacts,
    functions=FUNCTIONS,
    begin=lambda _: TicketState(),
    invent_facts=invent_facts,
    read=read_courses,
    find_facts=find_facts,
    prepare=fold_titles,
    same=same_but_order,
)
