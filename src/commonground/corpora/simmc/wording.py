"""How invented shoppers and assistants put things; every blank of a sentence is a slot."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

import msgspec

SAYINGS: dict[str, tuple[str, ...]] = {
    "ask.price": ("How much is {attentionOn}?", "What would {attentionOn} cost me?"),
    "ask.brand": ("Which brand makes {attentionOn}?", "Whose label is on {attentionOn}?"),
    "ask.customerRating": (
        "How have other people rated {attentionOn}?",
        "What is the rating of {attentionOn}?",
    ),
    "ask.material": ("What is {attentionOn} made of?", "Is {attentionOn} wood, or what?"),
    "ask.dimensions": ("How big is {attentionOn}?", "Would you give me the size of {attentionOn}?"),
    "tell.price": ("It costs {price}.", "That would be {price}.", "We sell it for {price}."),
    "tell.brand": ("It is by {brand}.", "{brand} makes it."),
    "tell.customerRating": ("People gave it {customerRating}.", "Its rating is {customerRating}."),
    "tell.material": ("It is made of {material}.", "That is {material}."),
    "tell.dimensions": ("It is {width} wide, {depth} deep and {height} high.",),
    "check": ("Do you have {attentionOn} in {check}?", "Is there a {check} of {attentionOn}?"),
    "check.yes": ("Yes, {check} is in stock.", "We do have {check}."),
    "check.no": ("Sorry, there is no {check} left.", "I am afraid {check} is sold out."),
    "want": (
        "Please show me a {color} {type} instead.",
        "I would rather see something {color}, maybe a {type}.",
        "Any {color} {type} around here?",
    ),
    "offer": (
        "Here is a {color} {type} for you.",
        "This {type} is {color}. What do you think?",
        "Look at this {color} {type}.",
    ),
    "recall": (
        "Could we go back to the {color} {type} from before?",
        "There was a {color} {type} earlier on. Bring that up again?",
    ),
    "recalled": ("That {color} {type}? Here it is again.", "Here is the {color} {type} you saw."),
    "like": ("I really like {attentionOn}.", "Oh, {attentionOn} is lovely."),
    "dislike": ("I do not care for {attentionOn}.", "Hmm, {attentionOn} is not for me."),
    "offer.cart": ("Shall I put it in your cart?", "Would you like to buy it?"),
    "offer.more": ("Shall we look at another one?", "Let us keep looking, then."),
    "compare": (
        "Which is cheaper, {attentionOn} or the {other} one?",
        "How does the price of {attentionOn} compare with the {other} one?",
    ),
    "compared": ("This one is {price}, the other one {price2}.", "{price} here, {price2} there."),
    "buy": ("Great, I will take {attentionOn}.", "Add {attentionOn} to my cart, please."),
    "bought": ("Done, it is in your cart.", "It is in your cart now."),
    "bye": ("Thank you, that is all.", "Lovely, thanks for your time."),
    "bye.too": ("You are welcome, enjoy!", "My pleasure. Have a good day."),
    "need": (
        "Hello! I need {furnitureType}.",
        "Hi, I am after {furnitureType}.",
        "Good morning, my flat lacks {furnitureType}.",
    ),
    "which.color": ("Gladly. Is there a colour you have in mind?", "Sure, in which colour?"),
    "refine": ("{color} would be best.", "Let us try {color}.", "Something in {color}, please."),
    "row": ("Here are some {furnitureType}.", "These {furnitureType} may suit you."),
    "focus": (
        "May I have a closer look at {attentionOn}?",
        "Could you bring {attentionOn} nearer?",
    ),
    "focused": ("Here is a close view.", "Sure, take a look."),
    "rotate": ("Can you turn {attentionOn} to the {rotateTo}?", "Show me its {rotateTo} side."),
    "rotated": ("There you go.", "This is that side."),
    "more": ("Anything else of the kind?", "What other ones do you have?"),
    "moved": ("Here are the next ones.", "How about these?"),
}


class Said(msgspec.Struct, frozen=True):
    """A sentence and where its blanks are.

    Attributes:
        text: the sentence.
        places: of each blank, first code point and the one behind the last.
    """

    text: str
    places: dict[str, tuple[int, int]]

    def words(self, blank: str) -> str:
        """Returns what stands in a blank."""
        start, end = self.places[blank]
        return self.text[start:end]


_BLANK = re.compile(r"\{(\w+)\}")


def say(rng: random.Random, key: str, words: Mapping[str, str] | None = None) -> Said:
    """Chooses one way to say something and fills its blanks."""
    parts: list[str] = []
    places: dict[str, tuple[int, int]] = {}
    length = 0
    for index, part in enumerate(_BLANK.split(rng.choice(SAYINGS[key]))):
        text = part if index % 2 == 0 else (words or {})[part]
        if index % 2:
            places[part] = (length, length + len(text))
        parts.append(text)
        length += len(text)
    text = "".join(parts)
    return Said(text[:1].upper() + text[1:], places)
