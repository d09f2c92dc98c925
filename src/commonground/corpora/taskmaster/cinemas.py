"""An invented world of cinemas, and the declarations of its APIs."""

from __future__ import annotations

import msgspec


class Movie(msgspec.Struct, frozen=True):
    """A film, with its attributes by the names of the ontology."""

    title: str
    hint: str
    attributes: dict[str, str]


def _movie(title: str, hint: str, *values: str) -> Movie:
    names = (
        "name.genre",
        "name.person",
        "name.character",
        "date.release",
        "description.plot",
        "duration.movie",
        "review.critic",
        "review.audience",
        "rating.movie",
    )
    return Movie(title, hint, dict(zip(names, values, strict=True)))


MOVIES = (
    _movie(
        "The Lantern Keeper",
        "the one about the lighthouse",
        "drama",
        "Ilse Marren",
        "Captain Roe",
        "March 3rd",
        "a widow keeps a lighthouse burning through one long winter",
        "118 minutes",
        "81% from the critics",
        "4 out of 5 from viewers",
        "PG",
    ),
    _movie(
        "Zwölf Uhr Nebel",
        "that foggy German thriller",
        "thriller",
        "Tomas Brühl",
        "Inspektor Falk",
        "October 9th",
        "an inspector has until noon to find a train that left no tracks",
        "101 minutes",
        "74% from the critics",
        "3 out of 5 from viewers",
        "PG-13",
    ),
    _movie(
        "Señora Tormenta",
        "the wrestling comedy",
        "comedy",
        "Ana Quiroga",
        "Doña Trueno",
        "June 21st",
        "a baker becomes a masked wrestler to pay her rent",
        "95 minutes",
        "69% from the critics",
        "5 out of 5 from viewers",
        "PG-13",
    ),
    _movie(
        "Orbit of Glass",
        "the new space movie",
        "science fiction",
        "Dele Okafor",
        "Pilot Nine",
        "January 14th",
        "the last pilot of a glass ship looks for a place to land",
        "136 minutes",
        "90% from the critics",
        "4 out of 5 from viewers",
        "PG",
    ),
    _movie(
        "Hollow Creek",
        "that scary creek film",
        "horror",
        "Maud Petersen",
        "the Ferryman",
        "October 30th",
        "five friends hear a bell that was drowned a century ago",
        "92 minutes",
        "58% from the critics",
        "2 out of 5 from viewers",
        "R",
    ),
    _movie(
        "Pip & the Paper Kite",
        "the kite cartoon",
        "family",
        "Rory Adeyemi",
        "Pip",
        "December 1st",
        "a mouse crosses the sea on a kite made of letters",
        "84 minutes",
        "88% from the critics",
        "5 out of 5 from viewers",
        "G",
    ),
)
THEATERS = (
    "Rialto Grand 12",
    "Café Lumière",
    "Harbor Lights 9",
    "Kino Königstor",
    "The Old Mill Cinema",
    "Summit Plaza 16",
)
TOWNS = {
    "Port Aldwin": "Aldwin",
    "San Ysidro Falls": "the Falls",
    "Brücken, Ohio": "Brucken",
    "Lake Merrow": "Merow",
}
"""Towns, and what people call them."""
DATES = ("tonight", "tomorrow", "this Friday", "Saturday evening", "May 4th")
PEOPLE = ("two", "3", "my sister and me", "four", "just one")
SEATS = ("near the back", "on the aisle", "in row F", "in the middle")
SCREENS = ("3D", "IMAX", "standard")
TIMES = ("1:15pm", "3:40pm", "5:05pm", "6:30pm", "7:50pm", "9:10pm")
ASKED = {
    "name.genre": "What kind of film is {name.movie}?",
    "name.person": "Who plays in {name.movie}?",
    "name.character": "Who is the main character of {name.movie}?",
    "date.release": "When did {name.movie} come out?",
    "description.plot": "What is {name.movie} about?",
    "duration.movie": "How long is “{name.movie}”?",
    "review.critic": "What do the critics say about {name.movie}?",
    "review.audience": "Did people like {name.movie}?",
    "rating.movie": "Is “{name.movie}” all right for kids?",
}

ENTITIES = {
    "movie": {
        "vertical": "ticket_booking",
        "required": ["name.movie", "name.theater"],
        "optional": [
            *MOVIES[0].attributes,
            "date.showing",
            "location",
            "num.tickets",
            "seating",
            "time.preference",
            "time.showing",
            "type.screening",
        ],
    }
}
_STATUS = {
    "type": "boolean",
    "keys": ["status"],
    "true_value": ["success", "available"],
    "false_value": ["failure", "unavailable"],
}


def _declare(
    name: str, all_of: list[str], any_of: list[str], response: object
) -> dict[str, dict[str, object]]:
    args = {key: names for key, names in (("all_of", all_of), ("any_of", any_of)) if names}
    if isinstance(response, list):
        response = {"type": "list", "keys": response}
    return {name: {"apis": [name], "args": args, "response": response}}


_BOOKING = ["name.movie", "name.theater", "time.showing"]
_WISHES = ["date.showing", "num.tickets", "seating"]
APIS = {
    **_declare("book_tickets", _BOOKING, _WISHES, _STATUS),
    **_declare("check_tickets", _BOOKING, _WISHES, _STATUS),
    **_declare("find_movies", [], ["location", "name.genre"], ["name.movie"]),
    **_declare("find_theaters", [], ["location", "name.movie"], ["name.theater"]),
    **_declare(
        "find_showtimes",
        ["name.movie", "name.theater"],
        ["date.showing", "type.screening"],
        ["time.showing"],
    ),
    **_declare("get_movie_attribute", ["name.movie", "attribute"], [], list(ASKED)),
    **_declare("resolve_movie", ["name.movie"], [], ["name.movie"]),
    **_declare("resolve_location", ["location"], [], ["location"]),
    **_declare("resolve_theater", ["name.theater", "location"], [], ["name.theater"]),
}
