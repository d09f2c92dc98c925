"""Language models as partners: what ``[models]`` of a study says, and who meets one.

Who meets a model is drawn once for each person, at the door of the waiting room, and is in the log:
nobody is given a model because no person came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec

from commonground.errors import FormatError

BLOCK = 10
"""People among whom the share of those who meet a model is kept to, as far as it goes up."""

LETTERS_PER_WORD = 5
"""Characters of a word, as typists count them."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a million tokens cost, in whatever currency the limits are in."""

    input: float
    output: float

    def cost_of(self, usage: Mapping[str, int]) -> float:
        """Returns what one answer cost."""
        read, written = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
        return (read * self.input + written * self.output) / 1e6


class Models(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[models]`` of ``study.toml``: seats with a share, or conditions.

    Attributes:
        seats: the model that takes a seat, by role, as inspect_ai names it.
        share: of the sessions that are played with a model; the others are of people only.
        conditions: the models of a session, by role, for each of the sessions that come in turn;
            one without any is of people only. None where seats and a share say it.
        answers: how models say what they do: by calling a tool, or by an object of JSON.
        disclosed: whether the page of the game says that the partner is a model.
        thinking_s: seconds before a model types or clicks.
        idle_s: seconds without news after which a model that waits is asked again.
        longest_silence_s: seconds in which an answer must have come; the session ends then. One
            that only waits, though nothing happens, has at least as long.
        session_cost: at which a session ends; None for no limit.
        study_cost: at which no more sessions with models begin, and those under way end.
        prices: of the models, by name; needed where there is a limit.
    """

    seats: dict[str, str] = {}
    share: float | None = None
    conditions: list[dict[str, str]] | None = None
    answers: Literal["tools", "json"] = "tools"
    disclosed: bool = True
    words_per_minute: float = 40
    thinking_s: float = 2
    idle_s: float = 30
    longest_silence_s: float = 120
    session_cost: float | None = None
    study_cost: float | None = None
    prices: dict[str, Price] = {}

    @property
    def ways(self) -> list[dict[str, str]]:
        """The models of a session, by role, in each way in which they sit in one."""
        return [each for each in self.conditions or [self.seats] if each]

    @property
    def names(self) -> list[str]:
        """All models that there are, each once."""
        return list(dict.fromkeys(name for each in self.ways for name in each.values()))

    def delay_s(self, written: int) -> float:
        """Returns how long a person would take to think and to type some characters."""
        return self.thinking_s + written * 60 / (self.words_per_minute * LETTERS_PER_WORD)

    def cost_of(self, model: str, usage: Mapping[str, int]) -> float:
        """Returns what an answer of a model cost; 0 where its price is not given."""
        price = self.prices.get(model)
        return price.cost_of(usage) if price is not None else 0.0

    def is_spent(self, spent: float) -> bool:
        """Says whether a study has cost as much as it may."""
        return self.study_cost is not None and spent >= self.study_cost


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered and has not done yet; a log has it, so that nothing is asked twice.

    Attributes:
        number: of the request in its session.
        type: of the act; empty where the model waits.
        due_us: when it is done, or the model asked again.
        seen: digest of what the model was shown, by which news are told.
    """

    number: int
    type: str
    payload: dict[str, Any]
    round: int | None
    due_us: int
    seen: str

    @property
    def msg_id(self) -> str:
        """The name of the act in the log, as browsers name theirs."""
        return f"agent-{self.number}"


def check_models(path: Path, models: Models, *, model_partners: bool) -> None:
    """Looks for settings of models that make no sense.

    Args:
        model_partners: whether people are told that a partner may be a model.

    Raises:
        FormatError: they do not; above all, people would not know.
    """
    if not model_partners:
        raise FormatError(
            f"{path}: [models] pairs people with a model, but no text tells them.",
            "Set model_partners = true, and read what consent/ says then.",
        )
    if models.conditions is not None:
        if models.seats or models.share is not None:
            raise FormatError(
                f"{path}: models.conditions cannot be combined with models.seats or models.share.",
                "Remove them, or remove the conditions.",
            )
        if not models.ways:
            raise FormatError(
                f"{path}: models.conditions names no model.",
                'Such as conditions = [{}, {A = "MODEL"}, {B = "MODEL"}].',
            )
    elif not models.seats:
        raise FormatError(f"{path}: models.seats names no seat.", 'Such as seats = {B = "MODEL"}.')
    elif models.share is None:
        raise FormatError(f"{path}: models.share is missing.", "Such as share = 0.5.")
    elif not 0 <= models.share <= 1:
        raise FormatError(f"{path}: models.share must be between 0 and 1.")
    for name in ("words_per_minute", "idle_s", "longest_silence_s"):
        if not getattr(models, name) > 0:
            raise FormatError(f"{path}: models.{name} must be more than 0.")
    if models.thinking_s < 0:
        raise FormatError(f"{path}: models.thinking_s must not be less than 0.")
    if models.session_cost is None and models.study_cost is None:
        return
    missing = sorted(set(models.names) - models.prices.keys())
    if missing:
        raise FormatError(
            f"{path}: a limit of cost needs the price of {missing[0]}.",
            f'Write it below [models.prices."{missing[0]}"]: input and output.',
        )


def check_seats(path: Path, models: Models, scenario: str, roles: Sequence[str]) -> None:
    """Looks whether models sit where there are seats, and leave one to a person.

    Raises:
        FormatError: they do not.
    """
    name = "seats" if models.conditions is None else "conditions"
    for seats in models.ways:
        strange = sorted(seats.keys() - set(roles))
        if strange:
            raise FormatError(
                f"{path}: models.{name} names {strange[0]!r}, which is not a role.",
                f"The roles of {scenario} are: {', '.join(roles)}.",
            )
        if len(seats) == len(roles):
            raise FormatError(
                f"{path}: models.{name} leaves no seat for a person.",
                "`commonground play` lets models play among themselves.",
            )


def draw_partner(models: Models, seats: int, seed: int, number: int) -> str:
    """Draws whether a person meets a model: ``model`` or ``person``.

    Of any ten people who come one after the other from the start, as many meet a model as the
    share wants, in an order that the seed decides.

    Args:
        seats: how many a session has.
        number: how many people were drawn for before.
    """
    people = seats - len(models.seats)
    # Sessions of people only take more people: the share is one of sessions.
    of_sessions = models.share or 0.0
    with_model = of_sessions * people
    # Of 10 sessions of two, 5 with a model need 5 people and 5 without need 10: a third meets one.
    share = with_model / (with_model + (1 - of_sessions) * seats)
    block, place = divmod(number, BLOCK)
    # The difference of two rounded sums: what rounding takes from a block, a later one gets.
    count = round((block + 1) * BLOCK * share) - round(block * BLOCK * share)
    order = ["model"] * count + ["person"] * (BLOCK - count)
    Random(f"{seed}:partners:{block}").shuffle(order)
    return order[place]


def draw_condition(
    models: Models, roles: Sequence[str], role: str | None, seed: int, number: int
) -> dict[str, str]:
    """Draws the condition in which a person plays: the models of the session, by role.

    A turn of all conditions has a place for each person in them. Of people who come one after the
    other, as many as there are such places have one each, in an order that the seed decides.

    Args:
        role: the only seat that the person may take; None for any.
        number: for how many people with the same ``role`` it was drawn before.
    """
    places = [
        seats
        for seats in models.conditions or []
        for each in roles
        if each not in seats and role in (None, each)
    ]
    if not places:
        return {}  # nobody is to have this seat: the person waits for people
    turn, place = divmod(number, len(places))
    Random(f"{seed}:conditions:{role or ''}:{turn}").shuffle(places)
    return places[place]


def count_people(models: Models, roles: Sequence[str], seed: int, sessions: int) -> int:
    """Counts who must come until at least so many sessions are played and nobody still waits."""
    waiting: Counter[str] = Counter()
    played = number = 0
    while played < sessions or waiting.total():
        if models.conditions is not None:
            seats = draw_condition(models, roles, None, seed, number)
        else:
            meets = draw_partner(models, len(roles), seed, number) == "model"
            seats = models.seats if meets else {}
        number += 1
        name = name_condition(seats)
        waiting[name] += 1
        if waiting[name] == len(roles) - len(seats):
            played, waiting[name] = played + 1, 0
    return number


def name_condition(seats: Mapping[str, str]) -> str:
    """Returns what a condition is called: who plays each seat that a model has; ``people``."""
    return " ".join(f"{role}={name}" for role, name in sorted(seats.items())) or "people"
