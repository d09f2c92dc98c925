"""What people say in simulated dialogues: templates by what is meant."""

from __future__ import annotations

TICKETS: dict[str, tuple[str, ...]] = {
    "greet": ("Hello, this is the ticket desk.", "Hi! Which film may it be?"),
    "want": (
        "I’d like to see a film {date.showing}.",
        "Hey there, can you get me movie tickets for {date.showing}?",
        "Let’s go to the movies {date.showing}!",
    ),
    "where": ("Sure. Which town are you in?", "With pleasure. Where do you want to go?"),
    "place": ("I’m in {location}.", "Somewhere around {location}, please."),
    "place_found": ("All right, {location} it is.", "OK. I’ll look in {location}."),
    "hint": ("I want to see {name.movie}.", "You know, {name.movie}?"),
    "is_it": ("Do you mean {name.movie}?", "That should be “{name.movie}”. Is that right?"),
    "yes": ("Yes.", "Yes, that’s right.", "Exactly!"),
    "fine": ("Good choice.", "“{name.movie}”, got it.", "All right – what else?"),
    "what_runs": ("What is playing?", "Which films are on?"),
    "what_genre": ("Is there any {name.genre} playing?", "I feel like {name.genre}."),
    "wait": ("Let me look that up.", "One moment, please."),
    "listing": ("I found this: [].", "They’re showing []. Which one?", "There is []."),
    "take_movie": ('"{name.movie}" sounds good.', "Then {name.movie}."),
    "told": ("It says: [].", "Here is what I found – [].", "[]."),
    "which_theater": (
        "Where is {name.movie} playing?",
        "Which theaters in {location} have it?",
    ),
    "theaters": ("You can see it at [].", "It’s on at []."),
    "take_theater": ("Let’s take {name.theater}.", "{name.theater}, please."),
    "which_screen": ("Any wishes for the format?", "In which format?"),
    "take_screen": ("{type.screening}, please.", "I’d say {type.screening}."),
    "showtimes": ("It starts at [].", "I have [] for {date.showing}."),
    "take_time": (
        "{time.showing} is fine.",
        "I’d rather go {time.preference}, so {time.showing}.",
    ),
    "how_many": ("How many tickets?", "And for how many people?"),
    "count": ("Tickets for {num.tickets}.", "That’s {num.tickets}."),
    "which_seats": ("Where would you like to sit?",),
    "take_seats": ("Seats {seating} would be nice.", "Something {seating}."),
    "sold_out": (
        "I’m sorry, {time.showing} at {name.theater} is sold out.",
        "No luck: nothing left at {time.showing}.",
    ),
    "never_mind": ("What a pity. Thanks anyway!", "Then I’ll stay at home."),
    "confirm": (
        "So {name.movie} at {name.theater}, {date.showing} at {time.showing}?",
        "That is {num.tickets} for {name.movie}, {date.showing} at {time.showing}. Correct?",
    ),
    "booked": ("Done! Enjoy “{name.movie}”.", "Your tickets are on their way to your phone."),
    "failed": ("Something went wrong and nothing was booked. Sorry!",),
    "bye": ("Thank you, bye!", "Great, thanks."),
}

COFFEE: dict[str, tuple[str, ...]] = {
    "order": (
        "can I get a {=drink} please",
        "Hi, I’d like one {=drink}",
        "one {=drink}, thanks",
        "Hello! Could you make me a {=drink}?",
    ),
    "order_with": (
        "a {=drink} with {request} please",
        "I’ll take a {=drink}, {request}",
        "Hey, one {=drink} and I’d like {request} in it",
    ),
    "menu": ("what do you have?", "may I see the menu?"),
    "menu_shown": (
        "Here is the menu. What would you like?",
        "it’s on the screen – what may it be?",
    ),
    "right": (
        "That’s {=count} {=drink} for {=name}, order {=order}. Is that right?",
        "I have one {=drink} on order {=order} under {=name}, OK?",
    ),
    "yes": ("yes", "Yes please", "that’s it, thanks"),
    "to_go": ("yes but make it to go", "Yes, to go please"),
    "change": ("oh, can I have {request} instead", "wait, {request} please"),
    "changed": ("Sure, {=drink} with {=option}. Anything else?",),
    "no": ("no, that’s all", "nothing else"),
    "done": (
        "Great, your {=drink} will be ready in a minute.",
        "thank you {=name}, it’s coming up.",
    ),
}
