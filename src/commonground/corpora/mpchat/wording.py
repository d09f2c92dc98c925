"""What the people of simulated threads say; every sentence fits the scene that it is about."""

from __future__ import annotations

from random import Random

from commonground.corpora.mpchat.world import Craft, Scene

_PLACES = {
    "beach": "at the beach",
    "park": "in the park",
    "street": "out on the street",
    "room": "in the living room",
    "studio": "in the studio",
    "night": "out at night",
}
_NUMBERS = {2: "two", 3: "three"}
_TIMES = ("two evenings", "a whole weekend", "about a month", "three tries", "most of the winter")
_PEOPLE = ("sister", "neighbour", "dad", "daughter", "best friend", "grandmother")
_SINCE = ("last spring", "a year ago", "back in October", "over the holidays", "when I started out")

_TITLES = (
    "Finally {made} {what} {place}",
    "{What} {place}. It took me {time}",
    "After {time} of {activity}: {what}",
    "I {made} {what} for my {person}",
    "My {person} asked for {color} so I {made} {what}",
    "{What} {place}, and I am rather proud",
)
_POSTS = (
    "Look what I {made} {place} today: {what}",
    "{What} {place}. Be honest, is the {color} too much?",
    "{Time} of work and here is the result, {what} {place}",
    "First try at {activity}: {what}",
)
_QUESTIONS = (
    "How do you keep a {thing} from {trouble}?",
    "Is {activity} worth starting with {time} to spare?",
    "What do you wish you had known before your first {thing}?",
    "Who here does {activity} in the evening, and how?",
)
_GROUNDED = (
    "I {made} {what} {place} {since}, so I know what you mean.",
    "Mine is {color} too! I {made} it {since} and it took {time}.",
    "Yes, I {made} {what} {since}. {Tool} saved me.",
    "For my {person} I {made} {what} {since}. Best {time} I ever spent.",
    "The {color} {thing} I posted {since} had the same problem, it kept {trouble}.",
    "{What} {place}, that was my project {since}. You can see it on my page.",
)
_PLAIN = (
    "Thank you, that is very kind of you!",
    "Honestly it was just {time} and a lot of tea.",
    "{Tool}, that is the whole secret.",
    "No idea, I only read about it {since}.",
    "Good point, I will try that with {tool} next time.",
    "Ha, my {person} said the same thing.",
    "It keeps {trouble} if you rush it, so take {time}.",
)
_ASKING = (
    "Have you ever done any {activity} yourself?",
    "Nice. Do you have a {thing} of your own to show?",
    "Mine keeps {trouble}. Did that happen to you as well?",
    "What was your last {thing} like?",
    "Is {tool} really needed for a {thing}? Speaking from experience?",
)
_REACTING = (
    "That {color} looks lovely {place}.",
    "{What}! I would have guessed it took more than {time}.",
    "The {color} is exactly right, do not change it.",
    "How did you keep it from {trouble}?",
)
_CHATTING = (
    "Same here, mine was {trouble} after {time}.",
    "I would love to hear more about the {activity}.",
    "Following, my {person} wants to know as well.",
    "Did you use {tool} for that?",
)
_CLOSING = (
    "Good to know, I will give it {time}.",
    "Thanks! My {person} will be delighted.",
    "Great, saving this for later.",
    "That helps a lot. {Tool} it is.",
)


def describe(scene: Scene) -> str:
    """Says what a picture shows: ``two red kites and a small blue one``."""
    thing = scene.craft.thing
    if scene.count == 1:
        article = "an" if scene.color[0] in "aeiou" else "a"
        text = f"{article} {scene.color} {thing}"
    else:
        text = f"{_NUMBERS[scene.count]} {scene.color} {thing}s"
    return text if scene.extra is None else f"{text} and a small {scene.extra} one"


def _fill(rng: Random, templates: tuple[str, ...], craft: Craft, scene: Scene | None = None) -> str:
    words = {
        "thing": craft.thing,
        "made": craft.made,
        "activity": craft.activity,
        "trouble": craft.trouble,
        "tool": craft.tool,
        "time": rng.choice(_TIMES),
        "person": rng.choice(_PEOPLE),
        "since": rng.choice(_SINCE),
    }
    if scene is not None:
        words["what"], words["color"] = describe(scene), scene.color
        words["place"] = _PLACES[scene.ground]
    words |= {word.capitalize(): text[0].upper() + text[1:] for word, text in words.items()}
    return rng.choice(templates).format_map(words)


def title(rng: Random, scene: Scene) -> str:
    """Titles a picture of a persona."""
    return _fill(rng, _TITLES, scene.craft, scene)


def post(rng: Random, craft: Craft, scene: Scene | None) -> str:
    """Opens a thread, with a picture or without."""
    return _fill(rng, _QUESTIONS if scene is None else _POSTS, craft, scene)


def grounded(rng: Random, scenes: list[Scene]) -> str:
    """Says something that follows from one's own pictures."""
    return " ".join(_fill(rng, _GROUNDED, scene.craft, scene) for scene in scenes)


def plain(rng: Random, craft: Craft) -> str:
    """Answers without any of one's own pictures."""
    return _fill(rng, _PLAIN, craft)


def asking(rng: Random, craft: Craft) -> str:
    """Asks for the other's experience."""
    return _fill(rng, _ASKING, craft)


def chatting(rng: Random, craft: Craft, scene: Scene | None) -> str:
    """Comments on the post."""
    return _fill(rng, _CHATTING if scene is None else _REACTING, craft, scene)


def closing(rng: Random, craft: Craft) -> str:
    """Ends a thread."""
    return _fill(rng, _CLOSING, craft)
