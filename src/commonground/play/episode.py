"""Released dialogues in which an agent takes the assistant's place: people's turns, one at a time.

What people say is never invented: their next turn comes as it was released, for as long as it fits
what the agent did. Two courses of calls are compared by what they come to in the world, so that the
wording of arguments and the order of calls make no difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import msgspec

from commonground.errors import CommongroundError
from commonground.model import Json
from commonground.play.world import (
    Course,
    SeenCall,
    World,
    WorldSource,
    name_call,
    sort_lists,
)


class Line(msgspec.Struct, frozen=True):
    """What was said in a released dialogue.

    Attributes:
        is_person: whether the one who is served says it, and not the assistant.
        text: what was said.
        path: JSON path of its utterance, with which the paths of its calls begin.
    """

    is_person: bool
    text: str
    path: str


class Turn(msgspec.Struct, frozen=True):
    """A turn of the person.

    Attributes:
        said: what the person says.
        calls: what was called before the assistant answered.
        answered: what the assistant answered; empty where nothing.
    """

    said: str
    calls: list[SeenCall] = []
    answered: str = ""


class Episode(msgspec.Struct, frozen=True):
    """A released dialogue that an agent can be put in.

    Attributes:
        dialogue: id of the dialogue.
        group: name of the facts that it shares with others.
        opening: what the assistant says before the person's first turn; empty where nothing.
        turns: of the person, at least one with a call.
    """

    dialogue: str
    group: str
    opening: str
    turns: list[Turn]


class Held(msgspec.Struct, frozen=True):
    """What was booked or ordered, in a form that is the same whatever the words of the calls.

    Attributes:
        things: what people speak of later, such as the drinks of an order.
        rest: what else holds, such as that an order was placed.
    """

    things: list[str] = []
    rest: list[str] = []

    @property
    def counted(self) -> Counter[str]:
        """All of it together, whatever its order."""
        return Counter([*self.things, *self.rest])


class EpisodeSource(msgspec.Struct, frozen=True):
    """How a corpus's dialogues become episodes; ``EPISODES`` of a module in ``play/episodes``.

    Attributes:
        world: whose functions the agent calls.
        role: what the agent is told of its work.
        version: of role and functions; raised whenever agents are told anything else.
        read_lines: takes a released record and yields what was said in it.
        hold: takes a world and a state and says what was booked or ordered.
        learn: takes a world, function, arguments and result of a call that changed nothing, and
            returns what it says, in a form that is the same whatever the words of the call.
    """

    world: WorldSource
    role: str
    version: int
    read_lines: Callable[[Any], Iterable[Line]]
    hold: Callable[[World[Any, Any], Any], Held]
    learn: Callable[[World[Any, Any], str, Json, Json], Json]


class ServedTurn(msgspec.Struct):
    """What was called in a turn.

    Attributes:
        effects: what each call comes to; None for one that the world refuses.
        looked_up: those of calls that changed nothing.
        held: what is booked or ordered after it.
    """

    effects: list[str | None] = []
    looked_up: list[str] = []
    held: Held = Held()


class Service:
    """A world in which somebody serves a person, turn by turn.

    Args:
        source: says what calls come to.
        world: whose functions are called.

    Attributes:
        turns: what was called in each turn so far.
    """

    def __init__(self, source: EpisodeSource, world: World[Any, Any]) -> None:
        self._source = source
        self._world = world
        self._state = world.beginning
        self._folded = _fold_answers(world)
        self.turns: list[ServedTurn] = []

    def begin_turn(self) -> None:
        """Begins the next turn of the person, in which nothing is called yet."""
        self.turns.append(ServedTurn(held=self._source.hold(self._world, self._state)))

    def call(self, name: str, arguments: Json) -> Json:
        """Calls a function of the world and returns its result.

        Answers that people saw are given for the same arguments in other case and marks, too.

        Args:
            name: of the function.
            arguments: an object of JSON.

        Raises:
            CommongroundError: the world refuses the call.
        """
        turn, world = self.turns[-1], self._world
        try:
            arguments = self._find_kept(name, arguments)
            answer = world.call(self._state, name, arguments)
        except CommongroundError:
            turn.effects.append(None)
            raise
        self._state = answer.state
        before, turn.held = turn.held.counted, self._source.hold(world, answer.state)
        after = turn.held.counted
        if before != after:
            changed = [sorted((after - before).elements()), sorted((before - after).elements())]
            turn.effects.append(_write(name, changed))
        else:
            found = self._source.learn(world, name, arguments, answer.result)
            turn.effects.append(_write(name, found))
            turn.looked_up.append(_write(name, found))
        return answer.result

    def _find_kept(self, name: str, arguments: Json) -> Json:
        function = self._world.functions.get(name)
        if function is None or not function.keeps:
            return arguments
        if name_call(name, arguments) in self._world.answers:
            return arguments
        return self._folded.get(name_call(name, fold_values(arguments)), arguments)


# Dialogues that share facts share their world, and there may be thousands of answers in it.
@lru_cache(maxsize=4)
def _fold_answers(world: World[Any, Any]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key in world.answers:
        name, _, written = key.partition(" ")
        arguments = msgspec.json.decode(written)
        found.setdefault(name_call(name, fold_values(arguments)), arguments)
    return found


def _write(name: str, found: Json) -> str:
    return name_call(name, sort_lists(found))


def fold(text: str) -> str:
    """Returns the letters and digits of a text alone, in small letters."""
    return re.sub(r"[\W_]", "", text).casefold()


def fold_values(value: Json) -> Any:
    """Folds all texts of a value, and leaves out what is empty."""
    if isinstance(value, dict):
        folded = {key: fold_values(each) for key, each in value.items()}
        return {key: each for key, each in folded.items() if each not in (None, "", [], {})}
    if isinstance(value, list):
        return [fold_values(each) for each in value]
    return fold(value) if isinstance(value, str) else value


def read_episode(source: EpisodeSource, record: Any, course: Course) -> Episode:
    """Reads a released dialogue as an episode.

    Args:
        source: of the episodes.
        record: the dialogue.
        course: its calls.
    """
    opening: list[str] = []
    turns: list[tuple[list[str], list[SeenCall], list[str]]] = []
    was_person = False
    for line in source.read_lines(record):
        if line.is_person and not was_person:
            turns.append(([], [], []))
        said, calls, answered = turns[-1] if turns else ([], [], opening)
        (said if line.is_person else answered).append(line.text)
        calls += [each for each in course.calls if each.path.startswith(f"{line.path}.")]
        was_person = line.is_person
    found = [Turn("\n".join(said), calls, "\n".join(heard)) for said, calls, heard in turns]
    return Episode(course.dialogue, course.group, "\n".join(opening), found)


def serve_as_people(
    source: EpisodeSource, world: World[Any, Any], episode: Episode
) -> list[ServedTurn]:
    """Makes the calls that people made.

    Args:
        source: of the episode.
        world: whose functions they called.
        episode: the dialogue.

    Raises:
        CommongroundError: a call cannot be read, or the world refuses it.
    """
    service = Service(source, world)
    for turn in episode.turns:
        service.begin_turn()
        for call in turn.calls:
            if call.fault:
                raise CommongroundError(f"{call.path}: {call.fault}.")
            service.call(call.function, call.arguments)
    return service.turns


def find_misfit(gold: list[ServedTurn], held: Held, number: int) -> str:
    """Says why the person's next turn does not fit what the agent did; empty where it does.

    The next turn speaks of what the person has by then. It fits if the agent's world holds each
    thing that people's world held before it, and no thing that people never got from then on.

    Args:
        gold: what people called.
        held: what the agent's world holds.
        number: of the turn before, from 0.
    """
    mine, theirs = Counter(held.things), Counter(gold[number].held.things)
    later: Counter[str] = Counter()
    for each in gold[number:]:
        later |= Counter(each.held.things)
    if missing := list(theirs - mine):
        return f"people have {missing[0]} by then"
    if strange := list(mine - later):
        return f"people never have {strange[0]}"
    return ""


class Verdict(msgspec.Struct, frozen=True):
    """How an agent served a person.

    Attributes:
        counts: what is summed over episodes.
        rights: of each turn of the person, whether it was served right; None where people called
            nothing.
        misfit: why the episode ended early; empty where it came to its end.
    """

    counts: dict[str, float]
    rights: list[bool | None]
    misfit: str = ""

    @property
    def is_success(self) -> bool:
        """Whether the end is that of people."""
        return self.counts["success"] == 1


def judge(gold: list[ServedTurn], made: list[ServedTurn], misfit: str = "") -> Verdict:
    """Compares the course of an agent with that of people.

    A turn in which people called something is right if the world then holds the same, and all that
    people looked up in it has been looked up. Turns that were not reached are wrong. An episode
    is a success if it came to its end and the world holds what people's held in the end; where that
    is nothing, if also every turn was right.

    Args:
        gold: what people called, of all turns.
        made: what the agent called, of the turns it was given.
        misfit: why the person's next turn did not fit; empty where it did, or a limit ended it.
    """
    rights: list[bool | None] = []
    known: set[str] = set()
    for number, theirs in enumerate(gold):
        mine = made[number] if number < len(made) else None
        if mine is not None:
            known.update(mine.looked_up)
        is_right = (
            mine is not None
            and mine.held.counted == theirs.held.counted
            and known.issuperset(theirs.looked_up)
        )
        rights.append(is_right if theirs.effects else None)
    is_whole = len(made) == len(gold)
    end = gold[-1].held.counted
    success = is_whole and made[-1].held.counted == end and (bool(end) or False not in rights)
    wanted, given = (Counter(e for t in turns for e in t.effects) for turns in (gold, made))
    matched = (wanted & given).total() - min(wanted[None], given[None])
    counts = {
        "episodes": 1,
        "success": int(success),
        "early": int(bool(misfit)),
        "turns": sum(each is not None for each in rights),
        "right": sum(each is True for each in rights),
        "correct": matched,
        "predicted": given.total(),
        "gold": wanted.total(),
    }
    return Verdict({name: float(count) for name, count in counts.items()}, rights, misfit)
