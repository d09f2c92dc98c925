"""What the simulated dialogues of generations 1 and 2 are about."""

from __future__ import annotations

import msgspec


class Slot(msgspec.Struct, frozen=True):
    """Something that the assistant has to know.

    Attributes:
        label: its name in the ontology, without prefix.
        ask: questions of the assistant.
        answer: answers of the user; ``{}`` stands for the value.
        values: what it can be.
    """

    label: str
    ask: tuple[str, ...]
    answer: tuple[str, ...]
    values: tuple[str, ...]


class Task(msgspec.Struct, frozen=True):
    """A kind of dialogue.

    Attributes:
        name: its instructions; in generation 2 the name of its file.
        prefix: first part of its labels.
        opening: how the user begins.
        slots: what has to be known, in order.
        offer: what the assistant suggests in the end, with slots ``[label]`` of what was said.
    """

    name: str
    prefix: str
    opening: tuple[str, ...]
    slots: tuple[Slot, ...]
    offer: tuple[str, ...]


def _slot(label: str, ask: str, answers: str, *values: str) -> Slot:
    return Slot(label, tuple(ask.split("|")), tuple(answers.split("|")), values)


_PIZZAS = ("Margherita", "Quattro Stagioni", "Pizza Señorial", "veggie dream")
TASKS_1 = (
    Task(
        "pizza-ordering-1",
        "pizza_ordering",
        ("Hi, I’m hungry and want a pizza.", "I need to order a pizza."),
        (
            _slot("name.store", "From which place?|Where from?", "{}.|From {}.", "Luigi’s", "Roma"),
            _slot("name.pizza", "Which one?|What kind?", "A {}.|I’ll have the {}.", *_PIZZAS),
            _slot("size.pizza", "What size?", "{}, please.|Make it {}.", "large", "small"),
            _slot("type.topping", "Any extras?", "{}!|With {}.", "extra olives", "jalapeños"),
        ),
        ("One [size.pizza] [name.pizza] from [name.store] is on its way.",),
    ),
    Task(
        "auto-repair-appt-1",
        "auto_repair",
        ("My car makes an odd noise.", "I have to bring my car in."),
        (
            _slot("name.store", "Which garage?", "{}.|I go to {}.", "Fern’s Garage", "Auto Größl"),
            _slot("name.vehicle", "What car is it?", "A {}.", "blue van", "Citroën"),
            _slot("date.appt", "When would suit you?", "{}.|Would {} work?", "Monday", "May 2nd"),
            _slot("time.appt", "At what time?", "At {}.", "9 am", "noon"),
        ),
        ("[name.store] expects your [name.vehicle] on [date.appt] at [time.appt].",),
    ),
    Task(
        "uber-lyft-1",
        "uber_lyft",
        ("I need a ride.", "Please get me a car."),
        (
            _slot("location.from", "Where are you?", "At {}.|{}.", "the harbor", "14 Elm St"),
            _slot("location.to", "And where to?", "To {}.", "Café Nuit", "the airport"),
            _slot("type.ride", "Which kind of car?", "{}.", "the cheapest one", "a shared one"),
            _slot("num.people", "How many are you?", "{} people.|{}.", "two", "3"),
        ),
        ("A car will take [num.people] of you from [location.from] to [location.to].",),
    ),
    Task(
        "coffee-ordering-1",
        "coffee_ordering",
        ("I want a coffee to pick up.", "Coffee, please!"),
        (
            _slot("location.store", "At which shop?", "The one {}.", "on Main St", "by the river"),
            _slot("name.drink", "What will it be?", "A {}.", "flat white", "café crème"),
            _slot("size.drink", "How big?", "{}.|A {} one.", "tall", "tiny"),
            _slot("type.milk", "With which milk?", "{}.", "oat milk", "no milk at all"),
        ),
        ("Your [size.drink] [name.drink] waits at the shop [location.store].",),
    ),
    Task(
        "restaurant-table-1",
        "restaurant_reservation",
        ("Can you book me a table?", "I need a table for dinner."),
        (
            _slot("name.restaurant", "At which restaurant?", "{}.|At {}.", "Chez Hélène", "Sakura"),
            _slot("num.guests", "For how many?", "For {}.|{} of us.", "six", "2"),
            _slot("time.reservation", "When?", "At {}.", "8 pm tonight", "half past six"),
            _slot("type.seating", "Inside or outside?", "{}, please.", "inside", "on the terrace"),
        ),
        ("A table for [num.guests] at [name.restaurant], [time.reservation].",),
    ),
)
TASKS_2 = (
    Task(
        "flights",
        "flight_search",
        ("I’d like to fly somewhere.", "Help me find a flight."),
        (
            _slot("origin", "From where?", "From {}.", "Oslo", "São Paulo"),
            _slot("destination1", "Where to?", "To {}.|{}.", "Reykjavík", "Lisbon"),
            _slot("date.depart", "On what day?", "{}.|On {}.", "June 3rd", "Tuesday"),
            _slot("seating_class", "Which class?", "{} class.", "business", "economy"),
        ),
        ("There is one from [origin] to [destination1] on [date.depart].",),
    ),
    Task(
        "food-ordering",
        "food_order",
        ("I want some takeaway.", "Can you order food for me?"),
        (
            _slot("name.restaurant", "From which place?", "From {}.", "Thai Rosé", "Green Bowl"),
            _slot("name.item", "What would you like?", "The {}.", "phở", "curry no. 4"),
            _slot("num.people", "For how many?", "For {}.", "one", "three"),
        ),
        ("[name.item] from [name.restaurant] for [num.people] comes in half an hour.",),
    ),
    Task(
        "hotels",
        "hotel_search",
        ("I need a hotel.", "Find me a place to stay."),
        (
            _slot("location.hotel", "In which city?", "In {}.", "Zürich", "Porto"),
            _slot("star_rating", "How many stars?", "{} stars.", "three", "4"),
            _slot("amenity", "What should it have?", "{}.|It needs {}.", "a pool", "a sauna"),
        ),
        ("There is one with [amenity] and [star_rating] stars in [location.hotel].",),
    ),
    Task(
        "movies",
        "movie_search",
        ("What could I watch tonight?", "I feel like a film."),
        (
            _slot("genre", "What kind?", "A {}.", "comedy", "film noir"),
            _slot("name.person", "Any favorite actor?", "{}.", "Zoë Laurent", "Ben Ofori"),
            _slot("type.location", "At home or out?", "{}.", "at home", "in a theater"),
        ),
        ("There is a [genre] with [name.person] that you can watch [type.location].",),
    ),
    Task(
        "music",
        "music",
        ("Play me something.", "I want to hear some music."),
        (
            _slot("name.genre", "What kind?", "{}.|Some {}.", "jazz", "fado"),
            _slot("name.artist", "By whom?", "By {}.", "Björn Aas", "The Quiet Hours"),
            _slot("name.track", "Which song?", "“{}”.", "Blue Ladder", "Última Ola"),
        ),
        ("Here comes [name.track] by [name.artist]. Nice [name.genre]!",),
    ),
    Task(
        "restaurant-search",
        "restaurant",
        ("Where can we eat tonight?", "Suggest a restaurant."),
        (
            _slot("location", "In which part of town?", "In {}.", "the old port", "Neukölln"),
            _slot("type.food", "What do you like?", "{} food.", "Greek", "Ethiopian"),
            _slot("num.guests", "How many are you?", "{} of us.", "four", "2"),
        ),
        ("In [location] there is a [type.food] place with room for [num.guests].",),
    ),
    Task(
        "sports",
        "mlb",
        ("How did they play?", "I have a question on baseball."),
        (
            _slot("name.team", "Which team?", "The {}.", "Port Gulls", "Río Verdes"),
            _slot("name.player", "Any player in mind?", "{}.", "Sam Duarte", "José Marín"),
            _slot("day.match", "On which day?", "{}.|On {}.", "Sunday", "the 4th"),
        ),
        ("[name.player] of the [name.team] hit two on [day.match].",),
    ),
)
