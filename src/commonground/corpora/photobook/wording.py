"""What simulated players say: descriptions that shorten, answers, small talk."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from commonground.corpora.photobook.world import Picture

LONGEST = 98
"""One less than the game's field takes, since a text of 99 looks like one that was cut."""

GREETINGS = (
    "hi",
    "hello there!",
    "Hi, nice to meet you.",
    "hey, ready when you are",
    "hello, shall I start?",
    "Hi! First time playing this.",
)
GREETINGS_BACK = (
    "hi",
    "hello!",
    "hey, go ahead",
    "Hi, ready.",
    "hello, you can start",
    "hi, let's do this",
)
NEXT_PAGES = ("ok, next page.", "new page!", "here we go again", "ready for this one?")
FIRST_OFFERS = (
    "do you have {}?",
    "I have {}.",
    "is there {} on your page?",
    "my first one is {}.",
    "can you see {}?",
    "{}?",
    "next I have {}.",
)
LATER_OFFERS = ("{}?", "{} again?", "how about {}?", "do you have {}?", "{} this time?")
YES = (
    "yes",
    "yes, I have that one.",
    "yep, got it",
    "I do have that.",
    "yes I see it",
    "same here, I have it.",
    "that one is here too",
)
YES_AGAIN = ("yes", "yep", "yes, same one as before.", "got it again", "still here, yes.")
NO = (
    "no",
    "nope",
    "no, I don't have that one.",
    "sorry, not on my page.",
    "I do not see it.",
    "no, that is not here",
)
THEN_NO = ("then no.", "ok, then I don't have it", "no, that is another one then.", "not mine then")
CONFIRM = ("yes", "yes, that one.", "exactly", "right")
DONE = (
    "that is all of mine",
    "I am done, you?",
    "that was my last one.",
    "I have all three now.",
)
DONE_TOO = ("me too", "same here, next page?", "ok, done as well.", "all set", "great, submitting")
GOODBYES = ("that was fun, thanks!", "thanks, good game", "well played!", "bye and thank you.")
COMMENTS = (
    "",
    "",
    "",
    "fun game",
    "My partner was very clear, thank you!",
    "It got much faster once we had short names for the pictures.",
    "some of the shapes look alike",
    "No problems, would play again.",
    "I mixed up left and right once, sorry.",
)


class Description(NamedTuple):
    """A description, and where it can be broken into two messages.

    Attributes:
        head: the main thing.
        tail: the rest, with the space or comma before it; empty where there is nothing to break.
    """

    head: str
    tail: str


def describe(picture: Picture, times: int, rng: Random) -> Description:
    """Describes a picture that was talked about so many times before in the game.

    The first description is a sentence, the last a nickname; all of them fit this picture of
    the twelve and no other.
    """
    a, b = picture.first, picture.second
    if times == 0:
        return rng.choice(_long_descriptions(picture))
    if times == 1:
        words: tuple[str, ...] = (
            f"the {a.short} and the {b.short} {picture.where}",
            f"the {a.short} {picture.layout} the {b.short}",
            f"the {b.short} with the {a.size} {a.short}",
        )
    elif times == 2:
        words = (f"{a.short} and {b.short}", f"{b.short}, {a.short}")
    else:
        words = (picture.nickname,)
    return Description(rng.choice(words), "")


def _long_descriptions(picture: Picture) -> tuple[Description, ...]:
    a, b = picture.first, picture.second
    first, second = f"a {a.size} {a.short}", f"a {b.size} {b.short}"
    extra = ""
    if picture.corner:
        extra = f", {_with_article(picture.extra)} {picture.corner}"
    return (
        Description(first, f" {picture.layout} {second} {picture.where}"),
        Description(first, f" and {second} {picture.where}{extra}"),
        Description(second, f" with {first} {picture.where}"),
        Description(f"{first} {picture.where}", f", {picture.layout} {second}"),
    )


def _with_article(words: str) -> str:
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def ask_back(picture: Picture, rng: Random) -> str:
    """Asks whether a description means this picture, by something that it shows."""
    a, b = picture.first, picture.second
    questions = [
        f"the one with the {b.size} {b.shape}?",
        f"is the {a.shape} {a.size}?",
        f"{picture.where}?",
        f"the {a.shape} is {picture.layout} the {b.shape}, right?",
    ]
    if picture.corner:
        questions.append(f"with a tiny {picture.extra} {picture.corner}?")
    return rng.choice(questions)


def ask_other(similar: Picture, rng: Random) -> str:
    """Asks whether a similar picture of one's own, which the description does not fit, is it."""
    b = similar.second
    return rng.choice(
        (
            f"I have one with a {b.short}, is that it?",
            f"mine has a {b.size} {b.short}, the same one?",
        )
    )


def correct(picture: Picture, rng: Random) -> str:
    """Answers that question: no, and what the picture shows instead."""
    b = picture.second
    return rng.choice((f"no, it's a {b.size} {b.short}", f"no, the {b.shape} is {b.color}."))


def style(text: str, *, casual: bool) -> str:
    """Writes a text as a player types: careless, or with a capital letter."""
    if casual:
        return text.lower().removesuffix(".")
    return text[:1].upper() + text[1:]
