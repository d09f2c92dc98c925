"""Who is seated with whom, and what they play with: a pure choice.

Hard: a person is in one seat, fits it, has sessions left, meets nobody and nothing twice, and meets
nobody of another language, unless the study says so, nor anybody of the same browser.
Preferred: who played least, then whose wait is longest; ties go by the seed of the study.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from random import Random

import msgspec

from commonground.play.collect.events import PairingRefused
from commonground.play.collect.people import Participant


class Group(msgspec.Struct, frozen=True):
    """People who are to play together.

    Attributes:
        seats: pseudonym by role.
        material: number of what they play with.
        asked: roles whose people came for just that seat; they count for its quota.
    """

    seats: dict[str, str]
    material: int
    asked: tuple[str, ...] = ()


class Pairing(msgspec.Struct, frozen=True):
    """What was chosen, and which pairs were not."""

    groups: list[Group]
    refused: list[PairingRefused]


class MaterialUse:
    """The material of a study, and how often each piece of it was played with.

    Args:
        met: for each piece, names of what somebody has seen who played with it.
    """

    def __init__(self, met: Sequence[frozenset[str]]) -> None:
        self.met = met
        self.uses = [0] * len(met)
        self._parts: dict[str, MaterialUse] = {}
        self._whole: MaterialUse | None = None

    def within(self, condition: str) -> MaterialUse:
        """Returns the same material with its uses in one condition of the study only."""
        if condition not in self._parts:
            part = self._parts[condition] = MaterialUse(self.met)
            part._whole = self
        return self._parts[condition]

    def choose(self, seen: frozenset[str], rng: Random) -> int | None:
        """Returns the least used piece of which nothing was seen; None where there is none.

        Within a condition, it is one that others have used the most: the same pieces are to be
        played in all of them, also where there are more pieces than sessions.
        """
        free = [number for number, parts in enumerate(self.met) if parts.isdisjoint(seen)]
        if not free:
            return None
        fewest = min(self.uses[number] for number in free)
        least = [number for number in free if self.uses[number] == fewest]
        if self._whole is not None:
            most = max(self._whole.uses[number] for number in least)
            least = [number for number in least if self._whole.uses[number] == most]
        return rng.choice(least)


def pair_people(
    waiting: Sequence[Participant],
    roles: Sequence[str],
    use: MaterialUse,
    rng: Random,
    places: Mapping[str, int] | None = None,
    *,
    languages_meet: bool = False,
) -> Pairing:
    """Chooses who plays with whom; nobody is in two groups.

    Args:
        waiting: who waits and is there; all of them may be paired.
        rng: decides what the rules leave open, and who sits where.
        places: how many of the people who came for a role may still be seated, by role; those of
            a role that is not there, and all where it is None, without limit.
    """
    left = dict(places or {})
    # Drawn for everybody before sorting: who came at the same moment stands by lot.
    ties = {person.pid: rng.random() for person in waiting}
    # Whatever its country: ``en`` of ``en-GB``.
    languages = {each.pid: each.language.partition("-")[0].lower() for each in waiting}
    spoken = {} if languages_meet else languages
    queue = sorted(waiting, key=lambda each: (each.sessions, each.since_us, ties[each.pid]))
    groups: list[Group] = []
    refused: dict[tuple[str, str], PairingRefused] = {}
    while queue:
        first = queue.pop(0)
        if _is_taken(first, left):
            continue
        group = _gather(first, queue, roles, use, rng, refused, left, spoken)
        if group is not None:
            groups.append(group)
            use.uses[group.material] += 1
            left.update({role: left[role] - 1 for role in group.asked if role in left})
            queue = [each for each in queue if each.pid not in group.seats.values()]
    return Pairing(groups, list(refused.values()))


def _gather(
    first: Participant,
    queue: Sequence[Participant],
    roles: Sequence[str],
    use: MaterialUse,
    rng: Random,
    refused: dict[tuple[str, str], PairingRefused],
    left: Mapping[str, int],
    spoken: Mapping[str, str],
) -> Group | None:
    """Looks for people to fill the seats beside somebody, in the order of the queue."""
    members = [first]
    # Where nobody is to join, nobody below would choose.
    material = use.choose(first.seen, rng) if len(roles) == 1 else None
    for other in queue:
        if len(members) == len(roles):
            break
        reason = None
        seen = other.seen.union(*(each.seen for each in members))
        if any(each.pid in other.partners for each in members):
            reason = "met"
        elif other.browser is not None and any(each.browser == other.browser for each in members):
            reason = "browser"
        elif spoken.get(other.pid) != spoken.get(first.pid):
            reason = "language"
        elif not _seatings([*members, other], roles):
            reason = "role"
        elif _is_taken(other, left):
            reason = "quota"
        else:
            # Anew for each, as it must be new to all. None is overwritten by who fills the last
            # seat, or the group does not come about.
            material = use.choose(seen, rng)
            reason = None if material is not None else "material"
        if reason is None:
            members.append(other)
        else:
            one, two = sorted((first.pid, other.pid))
            refused[one, two] = PairingRefused((one, two), reason)
    if len(members) < len(roles) or material is None:
        return None
    chosen = rng.choice(_seatings(members, roles))
    asked = {person.role for person in members}
    return Group(
        {role: chosen[role] for role in roles}, material, tuple(r for r in roles if r in asked)
    )


def _is_taken(person: Participant, left: Mapping[str, int]) -> bool:
    """Says whether there are people enough of the role that somebody came for."""
    return person.role is not None and left.get(person.role, 1) < 1


def _seatings(members: Sequence[Participant], roles: Sequence[str]) -> list[dict[str, str]]:
    """Lists the ways in which people can sit so that everybody has a seat that fits."""
    return [
        {role: person.pid for role, person in zip(chosen, members, strict=True)}
        for chosen in permutations(roles, len(members))
        if all(person.role in (None, role) for role, person in zip(chosen, members, strict=True))
    ]
