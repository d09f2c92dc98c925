"""Invents dialogues of generation 3: tickets bought with API calls in the world of cinemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal

from commonground.corpora.taskmaster.cinemas import (
    ASKED,
    DATES,
    MOVIES,
    PEOPLE,
    SCREENS,
    SEATS,
    THEATERS,
    TIMES,
    TOWNS,
    Movie,
)
from commonground.corpora.taskmaster.native import ApiCall, TicketDialogue, TicketUtterance
from commonground.corpora.taskmaster.phrases import TICKETS
from commonground.corpora.taskmaster.writing import compose, join_names, make_id
from commonground.records import UNSET


class _Talk:
    """A dialogue being written."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.utterances: list[TicketUtterance] = []
        self.values: dict[str, str] = {}

    def say(self, speaker: Literal["user", "assistant"], what: str | Sequence[str]) -> None:
        """Adds an utterance: a template, one of several, or the key of some in the phrases."""
        if isinstance(what, str):
            what = TICKETS.get(what, (what,))
        composed = compose(self._rng.choice(list(what)), self.values)
        self.utterances.append(
            TicketUtterance(
                index=len(self.utterances),
                speaker=speaker,
                text=composed.text,
                segments=composed.segments or UNSET,
            )
        )

    def call(self, name: str, args: Sequence[str], response: Mapping[str, str]) -> None:
        """Adds an API call, arguments from the values, to the user's latest utterance."""
        at = next(each for each in reversed(self.utterances) if each.speaker == "user")
        call = ApiCall(
            name=name,
            index=at.index,
            args={key: self.values[key] for key in args},
            response=dict(response),
        )
        at.apis = [*(at.apis or ()), call]

    def maybe(self, share: float) -> bool:
        """Says yes in this share of cases."""
        return self._rng.random() < share


def numbered(name: str, values: Sequence[str]) -> dict[str, str]:
    """Writes several values of a response as the release does: ``name.movie_1`` and so on."""
    return {f"{name}_{i}": value for i, value in enumerate(values, 1)}


def invent_tickets(rng: Random) -> TicketDialogue:
    """Invents a dialogue; everything the assistant tells comes from a call."""
    talk = _Talk(rng)
    movie = rng.choice(MOVIES)
    scenario = rng.choice(("Open booking", "Find by kind of film", "Film with a hint"))
    talk.values = {
        "date.showing": rng.choice(DATES),
        "num.tickets": rng.choice(PEOPLE),
        "seating": rng.choice(SEATS),
        "type.screening": rng.choice(SCREENS),
        "name.genre": movie.attributes["name.genre"],
    }
    if talk.maybe(0.3):
        talk.say("assistant", "greet")
    _choose_place(talk, rng)
    _choose_movie(talk, rng, movie, scenario)
    talk.say("assistant", "fine")
    if talk.maybe(0.6):
        _ask_about(talk, rng, movie)
    _choose_theater(talk, rng)
    _book(talk, _choose_time(talk, rng))
    return TicketDialogue(
        conversation_id=make_id(rng),
        vertical="Movie Tickets",
        scenario=scenario,
        instructions=f"Write how someone buys tickets. {scenario}: use your own words.",
        utterances=talk.utterances,
    )


def _choose_place(talk: _Talk, rng: Random) -> None:
    town, said = rng.choice(list(TOWNS.items()))
    talk.say("user", "want")
    talk.say("assistant", "where")
    talk.values["location"] = said
    talk.say("user", "place")
    talk.call("resolve_location", ["location"], {"location": town})
    talk.values["location"] = town
    talk.say("assistant", "place_found")


def _choose_movie(talk: _Talk, rng: Random, movie: Movie, scenario: str) -> None:
    if scenario == "Film with a hint":
        talk.values["name.movie"] = movie.hint
        talk.say("user", "hint")
        talk.call("resolve_movie", ["name.movie"], {"name.movie": movie.title})
        talk.values["name.movie"] = movie.title
        talk.say("assistant", "is_it")
        talk.say("user", "yes")
        return
    others = [each for each in MOVIES if each is not movie]
    shown = [movie, *rng.sample(others, rng.randint(0, 2))]
    rng.shuffle(shown)
    titles = [each.title for each in shown]
    by_genre = scenario == "Find by kind of film"
    if by_genre:
        titles = [movie.title]
    talk.say("user", "what_genre" if by_genre else "what_runs")
    args = ["location", "name.genre"] if by_genre else ["location"]
    talk.call("find_movies", args, numbered("name.movie", titles))
    _list(talk, "listing", "name.movie", titles)
    talk.values["name.movie"] = movie.title
    talk.say("user", "take_movie")


def _list(talk: _Talk, key: str, name: str, values: Sequence[str]) -> None:
    """Lets the assistant read out a list, now and then after a word of patience."""
    if talk.maybe(0.3):
        talk.say("assistant", "wait")
    slots = [f"{name}#{i}" for i in range(1, len(values) + 1)]
    talk.values.update(zip(slots, values, strict=True))
    talk.say("assistant", [each.replace("[]", join_names(slots)) for each in TICKETS[key]])


def _ask_about(talk: _Talk, rng: Random, movie: Movie) -> None:
    for name in rng.sample(list(ASKED), rng.randint(1, 2)):
        value = movie.attributes[name]
        talk.values["attribute"] = name
        talk.say("user", ASKED[name])
        args = ["name.movie", "attribute"]
        talk.call("get_movie_attribute", args, numbered(name, [value]))
        templates = [each.replace("[]", f"{{{name}#told}}") for each in TICKETS["told"]]
        talk.values[f"{name}#told"] = value
        talk.say("assistant", templates)


def _choose_theater(talk: _Talk, rng: Random) -> None:
    theaters = rng.sample(THEATERS, rng.randint(1, 3))
    talk.say("user", "which_theater")
    talk.call("find_theaters", ["location", "name.movie"], numbered("name.theater", theaters))
    _list(talk, "theaters", "name.theater", theaters)
    chosen = rng.choice(theaters)
    said = chosen.split(" ")[0] if rng.random() < 0.4 else chosen
    talk.values["name.theater"] = said
    talk.say("user", "take_theater")
    if said != chosen:
        response = {"name.theater": chosen}
        talk.call("resolve_theater", ["name.theater", "location"], response)
        talk.values["name.theater"] = chosen


def _choose_time(talk: _Talk, rng: Random) -> list[str]:
    """Lets the user choose a time, and gives the arguments of a booking."""
    times = sorted(rng.sample(TIMES, rng.randint(1, 3)))
    args = ["name.movie", "name.theater"]
    if talk.maybe(0.5):
        args.append("type.screening")
        talk.say("assistant", "which_screen")
        talk.say("user", "take_screen")
    talk.call("find_showtimes", [*args, "date.showing"], numbered("time.showing", times))
    _list(talk, "showtimes", "time.showing", times)
    talk.values["time.showing"] = rng.choice(times)
    talk.values["time.preference"] = rng.choice(("in the evening", "as early as possible"))
    talk.say("user", "take_time")
    return ["name.movie", "name.theater", "time.showing", "date.showing", "num.tickets"]


def _book(talk: _Talk, args: list[str]) -> None:
    talk.say("assistant", "how_many")
    talk.say("user", "count")
    if talk.maybe(0.4):
        args = [*args, "seating"]
        talk.say("assistant", "which_seats")
        talk.say("user", "take_seats")
    available = talk.maybe(0.85)
    talk.call("check_tickets", args, {"status": "available" if available else "unavailable"})
    if not available:
        talk.say("assistant", "sold_out")
        talk.say("user", "never_mind")
        return
    talk.say("assistant", "confirm")
    talk.say("user", "yes")
    booked = talk.maybe(0.9)
    talk.call("book_tickets", args, {"status": "success" if booked else "failure"})
    talk.say("assistant", "booked" if booked else "failed")
    if talk.maybe(0.5):
        talk.say("user", "bye")
