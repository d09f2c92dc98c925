"""What the user's words name: values of slots, and frames that hold them.

Plain patterns find cities, dates, sums, numbers of people, hotels that were offered and the like.
What is done with them is another matter: the same city may be a wish or the name of an offer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.frames.game.frame_book import Book
from commonground.play.scenarios.frames.game.state import FramesState, MessageRun
from commonground.play.scenarios.frames.travel.database import open_database
from commonground.play.scenarios.frames.travel.values import AMOUNT, Value, hold_value


class Found(msgspec.Struct, frozen=True):
    """Words that may be a value.

    Attributes:
        value: the words, or yes; ``-1`` for any.
        start, end: of the words in the text, in code points; the end is exclusive.
        guessed: whether it is a place that nobody knows.
    """

    slot: str
    value: Value
    start: int
    end: int
    guessed: bool = False


class Heard(msgspec.Struct, frozen=True):
    """The user's last words, and what was there before them.

    Attributes:
        book: the frames before them.
        before: the wizard's message before them; None at the beginning.
        cities: of the database.
    """

    text: str
    book: Book
    before: MessageRun | None
    cities: Sequence[str]

    @property
    def made(self) -> list[int]:
        """Numbers of the frames that the wizard's message before made, in order."""
        notes = self.before.notes if self.before is not None else ()
        return [note.made for note in notes if note.made is not None]


def hear(state: FramesState) -> Heard:
    """Returns the user's last words; the state's last message is one of the user."""
    run = state.runs[-1]
    before = state.runs[-2] if len(state.runs) > 1 else None
    cities = open_database(state.setting.material.packages).cities
    return Heard(run.text, run.base, before, cities)


def _load_words() -> dict[str, dict[str, re.Pattern[str]]]:
    sections = load_beside(__file__, "patterns.toml", dict[str, dict[str, list[str]]])
    parts = {"AMOUNT": AMOUNT}

    def fill(alternatives: list[str]) -> str:
        return re.sub(r"<([A-Z]+)>", lambda part: parts[part[1]], "|".join(alternatives))

    for name, each in sections["parts"].items():
        parts[name] = fill(each)
    return {
        section: {name: re.compile(fill(each), re.IGNORECASE) for name, each in names.items()}
        for section, names in sections.items()
    }


WORDS = _load_words()
"""Patterns of ``patterns.toml``, by section and name."""

# "Seoul to Long Beach", but not "go to Seoul to eat".
_GOING = re.compile(r"(?:, \w+)? (?:to|[-–>]+) ?(?-i:[A-Z])")
_LABELLED = {"intent": "book", "action": "book"}


def find_values(heard: Heard) -> dict[str, list[Found]]:
    """Finds what may be values in the user's words, by slot; the likeliest of each slot first."""
    found: dict[str, list[Found]] = {
        slot: [
            Found(slot, match[match.lastindex or 0], *match.span(match.lastindex or 0))
            for match in pattern.finditer(heard.text)
        ]
        for slot, pattern in WORDS["values"].items()
    }
    found |= _find_dates(heard.text)
    found |= _find_cities(heard)
    found["name"] = [*_find_names(heard)]
    for slot, pattern in WORDS["flags"].items():
        match = pattern.search(heard.text)
        if match is not None:
            found[slot] = [Found(slot, True, *match.span())]
    for slot, label in _LABELLED.items():
        found[slot] = [Found(slot, label, 0, 0)]
    for slot, pattern in WORDS["any"].items():
        if not found.get(slot) and pattern.match(heard.text):
            found[slot] = [Found(slot, DONT_CARE, 0, 0)]
    return found


def _find_dates(text: str) -> dict[str, list[Found]]:
    """Tells first days from last ones by the words before them."""
    dates: dict[str, list[Found]] = {"str_date": [], "end_date": []}
    for match in WORDS["around"]["date"].finditer(text):
        ends = WORDS["around"]["ending"].search(text[: match.start()]) is not None
        said = match[0].strip()
        start = match.end() - len(said)
        dates["end_date" if ends else "str_date"].append(
            Found("end_date" if ends else "str_date", said, start, match.end())
        )
    return dates


def _find_cities(heard: Heard) -> dict[str, list[Found]]:
    """Finds where a trip is to start (after "from" and the like) and where it is to go.

    Words that begin with a capital behind a preposition come last: places that nobody knows.
    """
    known = _match_cities(heard)
    guessed = [
        Found("", match[1], *match.span(1), guessed=True)
        for match in _PLACE.finditer(heard.text)
        if not any(match.start(1) < each.end and each.start < match.end(1) for each in known)
    ]
    found: dict[str, list[Found]] = {"or_city": [], "dst_city": []}
    for each in [*known, *guessed]:
        before, after = heard.text[: each.start], heard.text[each.end :]
        leaves = WORDS["around"]["leaving"].search(before) or _GOING.match(after)
        slot = "or_city" if leaves else "dst_city"
        found[slot].append(msgspec.structs.replace(each, slot=slot))
    return found


_MONTH = WORDS["parts"]["MONTH"].pattern
_PLACE = re.compile(
    r"\b(?:[Tt]o|[Ff]rom|[Ii]n|[Vv]isit|[Aa]bout|[Tt]ry)(?: the)? "
    rf"((?!(?i:{_MONTH})\b)[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){{0,2}})"
)


def _match_cities(heard: Heard) -> list[Found]:
    """Finds cities of the database and of frames; where one is part of another, the longer one."""
    plain = heard.text.casefold()
    held = [heard.book.held(frame.frame_id) for frame in heard.book.frames]
    named = [each.get(slot) for each in held for slot in ("or_city", "dst_city")]
    cities = [city for city in named if isinstance(city, str) and city != DONT_CARE]
    matches = [
        Found("", match[0], *match.span())
        for city in {city.casefold() for city in (*heard.cities, *cities)}
        # There may be thousands of them, for each of which a pattern would have to be made.
        if city in plain
        for match in re.finditer(rf"(?<!\w){re.escape(city)}(?!\w)", heard.text, re.IGNORECASE)
    ]
    longest: list[Found] = []
    for each in sorted(matches, key=lambda m: (m.start, -m.end)):
        if not longest or each.start >= longest[-1].end:
            longest.append(each)
    return longest


def _find_names(heard: Heard) -> Iterator[Found]:
    plain = heard.text.casefold()
    names = (heard.book.held(frame.frame_id).get("name") for frame in heard.book.frames)
    for name in dict.fromkeys(names):
        if not isinstance(name, str):
            continue
        for said in dict.fromkeys((name, WORDS["around"]["common"].sub("", name).strip())):
            at = plain.find(said.casefold())
            if len(said) > 3 and at >= 0:
                yield Found("name", heard.text[at : at + len(said)], at, at + len(said))
                break


_NAMING = (
    *("name", "dst_city", "or_city", "category", "duration", "seat", "price", "str_date"),
    *("end_date", "gst_rating"),
)
"""Slots that tell offers apart, and by which users call them."""


def find_mentions(heard: Heard, found: dict[str, list[Found]]) -> dict[int, list[Found]]:
    """Finds the words by which frames other than the active one may be meant.

    What the active frame has as well does not tell them apart.
    """
    mentions: dict[int, list[Found]] = {}
    held = heard.book.held(heard.book.active)
    for frame in heard.book.frames:
        if frame.frame_id == heard.book.active:
            continue
        other = heard.book.held(frame.frame_id)
        mine = [
            each
            for slot in _NAMING
            for each in found.get(slot, ())
            if names_value(each, other) and not names_value(each, held)
        ]
        if mine:
            mentions[frame.frame_id] = mine
    return mentions


def names_value(found: Found, held: dict[str, Value]) -> bool:
    """Says whether a frame that holds these values holds the one that was found."""
    value = held.get(found.slot)
    if not isinstance(value, str) or not isinstance(found.value, str):
        return value is not None and value == found.value
    said = str(hold_value(found.slot, found.value)).casefold()
    mine = str(hold_value(found.slot, value)).casefold()
    if found.slot == "name":
        return said in mine
    if found.slot in ("str_date", "end_date"):
        return said == mine or (said.isdigit() and mine.endswith(f" {said}"))
    if found.slot == "price":
        return _number(said) == _number(mine) is not None
    return said == mine


def _number(text: str) -> float | None:
    digits = re.sub(r"[^\d.]", "", text).strip(".")
    try:
        return float(int(float(digits)))
    except ValueError:
        return None


_ORDINALS = (
    (re.compile(r"\b(?:first|1st|former)\b", re.IGNORECASE), 0),
    (re.compile(r"\b(?:second|2nd)\b", re.IGNORECASE), 1),
    (re.compile(r"\b(?:third|3rd)\b", re.IGNORECASE), 2),
    (re.compile(r"\b(?:last|latter)\b", re.IGNORECASE), -1),
)


def choose_frame(heard: Heard, mentions: dict[int, list[Found]]) -> int | None:
    """Chooses the frame that the words would go to, if they went to another one.

    The one that most of them name; else the one in its place ("the first") among those of the
    wizard's last message; else the newest.
    """
    active = heard.book.active
    made = [number for number in heard.made if number != active]
    if mentions:

        def rank(number: int) -> tuple[int, int, bool, int]:
            slots = {each.slot for each in mentions[number]}
            return ("name" in slots, len(slots), number in made, number)

        best = max(mentions, key=rank)
        ties = [n for n in mentions if rank(n)[:3] == rank(best)[:3]]
        return _by_order(heard.text, ties) or best
    if made:
        return _by_order(heard.text, made) or made[0]
    newest = len(heard.book.frames)
    return newest if newest != active else None


def _by_order(text: str, numbers: list[int]) -> int | None:
    if len(numbers) < 2:
        return None
    for pattern, place in _ORDINALS:
        if pattern.search(text) and place < len(numbers):
            return numbers[place]
    return None
