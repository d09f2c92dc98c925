"""What simulated users and wizards say: invented phrases by what they do."""

from __future__ import annotations

import random

PHRASES: dict[str, tuple[str, ...]] = {
    "hello": ("Hi there!", "Good morning!", "Hello!", "Hey!"),
    "hello_back": ("Hello, how nice to hear from you.", "Good day!", "Hi, happy to help."),
    "book": (
        "We need to {book} a holiday.",
        "Could you {book} a trip for us?",
        "I would love to {book} some time away.",
        "Time to {book} our autumn break.",
    ),
    "dst_city": (
        "The idea is {dst_city}.",
        "We dream of {dst_city}.",
        "Please look at {dst_city}.",
    ),
    "anywhere": ("We will go wherever you have something.", "Surprise us with the place."),
    "or_city": ("We set off from {or_city}.", "Our airport is {or_city}.", "Home is {or_city}."),
    "str_date": ("We can leave from {str_date} on.", "Not before {str_date}, please."),
    "end_date": ("We must be back by {end_date}.", "Home no later than {end_date}."),
    "n_adults": ("There are {n_adults} of us, all grown up.", "Count {n_adults} adults."),
    "n_children": ("Add {n_children} kids.", "And {n_children} children come along."),
    "budget": ("All in all we can spend {budget}.", "The purse holds {budget}."),
    "any_budget": ("Money is no matter this time.", "Do not worry about the cost."),
    "max_duration": ("Stay under {max_duration}.", "At most {max_duration}, school starts soon."),
    "flex": ("The days can shift a little.", "Dates may move a bit."),
    "ask_dst_city": ("Where shall it go?", "Which place do you have in mind?"),
    "ask_or_city": ("Where would you leave from?", "Which airport suits you?"),
    "ask_n_adults": ("How many are travelling?", "For how many adults is it?"),
    "ask_budget": ("Is there a sum you want to stay below?", "What may it cost?"),
    "ask_dates": ("When could you leave, and when must you be back?", "Which dates do you have?"),
    "check": ("So that is {n_adults} adults from {or_city}, right?",),
    "yes": ("Yes, that is right.", "Exactly.", "Indeed."),
    "no": ("No, sadly not.", "I fear not.", "Alas, no."),
    "no_result": (
        "I find nothing for {dst_city}.",
        "My list has no entry that fits {dst_city}.",
        "For {dst_city} there is nothing at all.",
    ),
    "sorry": ("I am sorry about that.", "So sorry!", "My apologies."),
    "elsewhere": ("Would another place do?", "Shall we try a different corner of the map?"),
    "suggest_city": ("How about {dst_city} instead?", "Many people like {dst_city}."),
    "canthelp": ("For these cities I cannot do more.", "That is where my list ends."),
    "found": ("Let me tell you what I have.", "A few things turned up.", "Here we go."),
    "offer": (
        "In {dst_city} the {name}, a {category} star place, costs {price}.",
        "The {name} in {dst_city} has {category} stars and comes to {price}.",
        "For {price} you would stay at the {name} ({category} stars) in {dst_city}.",
    ),
    "offer_flight": (
        "You would leave on {str_date} and return on {end_date} in {seat}.",
        "Seats are {seat}, out on {str_date} and back on {end_date}.",
    ),
    "perks": ("Breakfast is included.", "They serve breakfast for free."),
    "suggest_booking": ("Shall I {book} it?", "Do you want me to {book} one of them?"),
    "hearmore": ("Shall I tell you more about it?", "Would you care for details?"),
    "moreinfo": ("Yes, tell me everything about that one.", "More on it, please."),
    "switch_name": ("About the {name}:", "Let us look at the {name}.", "The {name} sounds good."),
    "switch_order": ("Let us look at {ref_anaphora}.", "I keep thinking of {ref_anaphora}."),
    "switch_city": ("Back to {dst_city} for a second.", "{dst_city} again, please."),
    "ask_gst_rating": ("What do other guests say?", "How is it rated?"),
    "ask_seat": ("Which class would we fly in?", "What kind of seats are those?"),
    "ask_duration": ("How long would we stay?", "How many days is that?"),
    "tell_gst_rating": ("Guests give it {gst_rating} out of ten.", "It has {gst_rating} points."),
    "tell_seat": ("The seats are {seat}.", "You would fly {seat}."),
    "tell_duration": ("It is {duration} there.", "You would have {duration}."),
    "confirm_wifi": ("Does it have wifi?", "Is there internet in the rooms?"),
    "confirm_park": ("Is there a park close by?", "Could we walk to a park?"),
    "tell_wifi": ("The rooms have wifi.", "Wifi comes with it."),
    "tell_no_wifi": ("Wifi is not part of it.", "There is no wifi in the house."),
    "tell_park": ("A park is around the corner.", "There is a park in walking distance."),
    "tell_no_park": ("There is no park near it.", "The nearest park is far away."),
    "compare": ("Which of these is the cheaper one?", "How do their prices compare?"),
    "tell_price": ("The {name} is {price}.", "You pay {price} at the {name}."),
    "note_price": ("I have put down {price} for the {name}.",),
    "reject": ("The {name} is not for us.", "I do not like the {name}."),
    "reject_seat": ("But please not {seat}.", "Anything but {seat}."),
    "alternatives": ("What else is there?", "Are there other choices?"),
    "change_city": (
        "And what about {dst_city}?",
        "Let us try {dst_city}.",
        "Then check {dst_city}.",
    ),
    "take": ("Please {book} it.", "Then {book} that one for us.", "Go ahead and {book} it."),
    "done": ("It is all arranged.", "Your trip is settled.", "Everything is confirmed."),
    "thanks": ("Thank you so much!", "Thanks a lot.", "That was kind of you."),
    "welcome": ("You are welcome.", "My pleasure."),
    "thanks_back": ("Thank you for your patience.", "Thanks for calling on us."),
    "bye": ("Goodbye!", "Have a good day.", "See you!"),
    "give_up": ("We will think about it.", "Then we rather stay at home."),
}

ORDINALS: tuple[str, ...] = ("the first one", "the second one", "the third one")


def say(rng: random.Random, phrase: str, **values: str) -> str:
    """Returns one of the ways to say something, with the values in their places."""
    return rng.choice(PHRASES[phrase]).format(**values)


_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def say_day(month: str, day: int) -> str:
    """Writes a day as people type it: ``September 3rd``."""
    return f"{month} {day}{_ENDINGS.get(day, 'th')}"


def normalise(slot: str, value: str) -> str:
    """Writes a value as frames hold it: ``$1700`` becomes ``1700.0``, days lose their ending."""
    if slot == "budget" and value.startswith("$"):
        return str(float(value[1:]))
    if slot in ("str_date", "end_date"):
        month, _, day = value.partition(" ")
        return f"{month.lower()} {day.rstrip('stndrh')}"
    if slot == "price":
        return value.removesuffix("USD").removeprefix("$")
    return value
