"""What a scenario is: the rules of a game or task that people play to make dialogues.

A scenario is pure. It knows no clock, no file, no socket and no randomness but the seed that it is
started with, and its states never change: ``apply`` gives a new one. So one implementation of the
rules serves people on a server, the replay of released dialogues, scripted players, language
models and ``simulate``; anyone who runs it says when an act was made and by whom.

Anyone who writes a scenario puts a folder ``scenario`` into the folder of a corpus, and where there
are several, a folder for each into that. Its modules are found by these constants, each in whatever
file suits; of several scenarios each has its ``SCENARIO`` in ``rules.py``:

``SCENARIO``
    the rules: an object with the attributes and methods of :class:`Scenario`.
``MATERIAL``
    a :class:`MaterialSource`: what is played with, made from files or invented.
``PLAYER``
    a :class:`~commonground.play.player.PlayerKind` for each kind of player, one per module.
``REPLAY``
    a :class:`Replayer`, where released records can be played again by the rules.
``ASSIGNER``
    an :class:`Assigner`, where it matters who is given which material next.
``SCRIPTS``
    a :class:`~commonground.play.scripting.Scripting`, where people write scripts that others
    play along.
``OUTCOME``
    an :class:`Outcome`, where a game can be won.
``FORK_POINTS``
    a ``dict`` of the types of act at which games fork by a name: ``{"mark": frozenset(...)}``.
``VOICES``
    a :class:`~commonground.play.voices.Voices`, where two players may share the only seat, in
    which people write both sides of a dialogue.

The course of a session, for anyone who runs it::

    state = scenario.start(material, seed)
    while not scenario.is_over(state):
        act = ...                             # of a role, of its own accord or as a timer says
        result = scenario.apply(state, act)
        if isinstance(result, Refusal): ...   # the state stays; say why
        else: state = result                  # keep the act: start and acts give the state again
        scenario.view(state, role)            # what to show each role now
    records = scenario.finish(state, sitting)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    from commonground.statistics.sequences import Bounded

S = TypeVar("S")
"""The state of a scenario: whatever it likes, as long as nobody can change it."""

M = TypeVar("M")
"""The material of a scenario: a struct that msgspec writes as JSON and reads again."""

N = TypeVar("N", contravariant=True)
"""The same, where it is only given."""


CHAT = "chat.message"
"""The type of act by which a player writes to the others, the same in all scenarios."""


class Act(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Something that was done, or is tried, in a session. As JSON it is a line of a log.

    Attributes:
        type: what, with the name of its scenario before the dot, or ``chat``, ``session`` or
            ``moderator`` for what all scenarios share: ``chat.message``, ``photobook.mark``.
        role: the seat of the one who did it; None for the server and for a moderator.
        payload: plain JSON values; what they must be is up to the type.
        round: the round that it was made in, from 1, which may be over when it arrives; None
            where its author did not say or where rounds mean nothing, and then it counts for
            the round that is on.
        at_us: when it was received, in microseconds since 1970 (UTC). Strictly increasing over
            the acts of a session.
    """

    type: str
    role: str | None
    payload: dict[str, Any]
    at_us: int
    round: int | None = None


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """Why an act is not accepted; the state stays as it was.

    Attributes:
        code: such as ``stale_round``, ``too_long``, ``not_highlighted``: the name of a text in
            the catalogue of each language. Codes that several scenarios share mean the same.
        kind: ``protocol`` for acts that no player of the rules would send (an unknown type, a
            payload of another form, a role that is not there), which is a fault of a program;
            ``rule`` for what is not allowed now.
        parameters: values for the text: ``{"most": 99, "found": 120}``.
    """

    code: str
    kind: Literal["protocol", "rule"] = "rule"
    parameters: dict[str, Any] = {}


class Allowed(msgspec.Struct, frozen=True, gc=False):
    """A type of act that a role may make now.

    Attributes:
        type: of the act.
        payload: JSON Schema of its payload, an object, with the values that are accepted now as
            ``enum`` where they can be listed. Pages draw buttons by it, models get it as a tool.
        due: whether the others wait for it, so that who does not do it counts as silent; None for
            what is usual: a message can wait unless nobody else may write, all else is due.
    """

    type: str
    payload: dict[str, Any]
    due: bool | None = None


def payload_schema(optional: Sequence[str] = (), /, **fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the JSON Schema of a payload that has these fields and no others.

    Args:
        optional: names of the fields that may be left out.
        fields: the schema of each field, by its name.
    """
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }


class Timer(msgspec.Struct, frozen=True, gc=False):
    """Something that happens by itself unless the state changes before.

    Attributes:
        name: what runs out, such as ``game``.
        at_us: when.
        act: what to apply then, with a role of None and ``at_us`` of that moment or later.
    """

    name: str
    at_us: int
    act: Act


class Sitting(msgspec.Struct, frozen=True):
    """What a record says of a session beside the acts.

    Attributes:
        number: of the session among those that are released together, by time of start, from 0.
        agents: who sat in each role: a number that stays with a participant over sessions.
        models: the roles in which a language model sat, whose doings are to be told from those of
            people.
    """

    number: int
    agents: dict[str, int]
    models: frozenset[str] = frozenset()


class ReleasedFile(msgspec.Struct, frozen=True):
    """A released file: its path below the corpus's folder, with slashes, and its bytes."""

    path: str
    data: bytes


class Rules(Protocol[S, N]):
    """What a session is played by; every method is a pure function of its arguments.

    Anyone who plays knows none of the games, so arguments go by position: rules that draw nothing
    call theirs ``_seed``, and those of a single seat ``_role``.

    Attributes:
        roles: the seats, all of which are taken in a session: ``("A", "B")``.
    """

    @property
    def roles(self) -> tuple[str, ...]: ...  # noqa: D102

    def start(self, material: N, seed: int, /) -> S:
        """Returns the state before the first act.

        Args:
            material: what is played with. Preparing it from files is not the rules' business.
            seed: decides whatever is drawn, such as an order of pages.

        Raises:
            FormatError: the material breaks what the rules demand of it; the message says what.
        """

    def apply(self, state: S, act: Act, /) -> S | Refusal:
        """Returns the state after an act, or why it is refused.

        Takes acts from anywhere: types that do not exist, payloads of any form, roles that are
        nobody's. It never raises for them.
        """

    def view(self, state: S, role: str, /) -> dict[str, Any]:
        """Returns what a role may see, as plain JSON values, and nothing else.

        What a player must not know is not in it, so it can be sent as it is. Holds at least
        ``round`` (from 1, None where there are none), ``phase`` and ``chat``: messages with
        ``role``, ``text``, ``round`` and ``at_us``, oldest first. The messages are shared with
        the state: read them, never change them.
        """

    def allowed(self, state: S, role: str, /) -> Sequence[Allowed]:
        """Returns what a role may do now; empty where it can only wait."""

    def timers(self, state: S, /) -> Sequence[Timer]:
        """Returns what happens by itself; empty where nothing does.

        The timers of the present state hold, those of earlier ones are void. Times without a
        sign of life are the server's business, not the rules'.
        """

    def is_over(self, state: S, /) -> bool:
        """Says whether no act will be accepted any more."""


class Scenario(Rules[S, M], Protocol[S, M]):
    """The rules of a game or task, and what becomes of its sessions.

    Attributes:
        name: of the scenario: ``photobook``, ``simmc-fashion``.
        corpus: the corpus in whose formats its records are: ``photobook``, ``simmc``; empty
            where they are about any corpus, as labels are.
        version: of the rules. Raise it when old acts would lead to another state, so that logs
            say by which rules they were played.
        act_types: the types of act that ``apply`` knows.
        refusals: the codes of all refusals that it may give, for the catalogues of texts.
        material: the type of the material, for reading it from JSON.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def corpus(self) -> str: ...  # noqa: D102

    @property
    def version(self) -> str: ...  # noqa: D102

    @property
    def act_types(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def refusals(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def material(self) -> type[M]: ...  # noqa: D102

    def is_complete(self, state: S) -> bool:
        """Says whether it was played to its end, so that ``finish`` gives whole records."""

    def finish(self, state: S, sitting: Sitting, /) -> Sequence[Any]:
        """Returns the native records of a session.

        A session that broke off gives what its format can hold of it; nothing where that is
        nothing. Its acts are not lost: the log has them.
        """

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields the released files that hold the records of many sessions, in any order."""


class MaterialSource(msgspec.Struct, frozen=True):
    """Where material comes from: the constant ``MATERIAL`` of a module of a scenario.

    Attributes:
        title: one sentence on what the folder of files must hold.
        invent: makes material without files. Arguments: how many sessions it is for, a seed.
        read: makes material from a folder, in a stable order; raises :class:`SourceError` or
            :class:`FormatError` that name what is wrong and where.
        write: writes what goes with material beside the released files, such as invented
            pictures and lists. Arguments: the material that was used, the output folder, the
            seed that invented it (None where it was read).
        met: names what somebody has seen who played with a piece, such as its pictures: nobody
            is given two pieces that share one. None where each piece is another matter.
        remarks: says what a researcher should know of material that can be played with, such as
            pictures that are missing, a sentence each.
        pictures: for material that was read from a folder, the folder below which its pictures
            lie; None where there are none. Usually that is the folder itself.
        distinct: whether players tell the pictures of a piece apart by what they show, so that no
            two may be the same.
        whole: whether ``write`` is given all material of a study, used or not, since what goes
            beside belongs to all of it, such as a catalogue.
    """

    title: str
    invent: Callable[[int, int], Sequence[Any]]
    read: Callable[[Path], Sequence[Any]]
    write: Callable[[Sequence[Any], Path, int | None], None] = lambda *_: None
    met: Callable[[Any], frozenset[str]] | None = None
    remarks: Callable[[Sequence[Any]], Sequence[str]] = lambda _: ()
    pictures: Callable[[Path], Path | None] = lambda folder: folder
    distinct: bool = False
    whole: bool = False


class WorkDone(msgspec.Struct, frozen=True):
    """What one person did of what is given out.

    Attributes:
        done: pieces that the person finished.
        known: answers that the person gave where the right one is known.
        right: of these, the right ones.
        kappa: agreement with the majority of others; None where there is nothing to compare.
    """

    done: int
    known: int = 0
    right: int = 0
    kappa: float | None = None


class Assignments(Protocol):
    """What was given to whom so far and what came of it, which decides what is given next.

    Anyone who hands out material, a server or a run without one, tells it everything that happens;
    told the same again, it stands as it stood. ``choose`` changes nothing.

    Attributes:
        goes_back: whether people may go back to the piece before and change what they made of it.
    """

    goes_back: bool

    def choose(self, person: int) -> int | None:
        """Returns the number of the material that somebody is given next; None for no more."""

    def is_under_review(self, person: int) -> bool:
        """Says whether somebody gets no more because what they did should be looked at first."""

    def begin(self, person: int, number: int) -> None:
        """Notes that somebody was given a piece of material."""

    def end(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes what came of it: the records of the session; none where it broke off.

        Args:
            person: who was given it, from 0.
            number: of the material.
            records: the records of the session; none where it broke off.
        """

    def correct(self, person: int, number: int, records: Sequence[Any]) -> None:
        """Notes that somebody changed what they had made of a piece after its session was over.

        Args:
            person: who was given it, from 0.
            number: of the material.
            records: what came of it now.
        """

    def list_records(self) -> Iterable[tuple[int, Sequence[Any]]]:
        """Yields the number of each piece that somebody has done, with all that came of it."""

    def count_left(self, person: int) -> int:
        """Counts the pieces that somebody could be given next, as things stand."""

    def forget(self, person: int) -> None:
        """Takes back all that came of somebody whose data are deleted."""

    def exclude(self, person: int, on: bool) -> None:
        """Takes all that somebody did for not done, so that it is given to others.

        Args:
            person: who is excluded.
            on: False to take it back: what others did not do meanwhile counts again.
        """

    def clear(self, person: int) -> None:
        """Notes that somebody was looked at, and may go on."""

    def list_stopped(self) -> frozenset[int]:
        """Returns the people whose doings count for nothing, excluded or under review."""

    def describe(self, person: int) -> WorkDone:
        """Returns how much somebody did, and how well, whether it counts or not."""

    def bound_agreement(self, aim: float) -> Bounded | None:
        """Returns Krippendorff's alpha of what is done, with bounds; None where there is none.

        Args:
            aim: half of the width that is wanted, the same at each call.
        """

    def measures(self) -> dict[str, float | None]:
        """Returns how it stands, such as what is left and how far people agree, by name.

        None where there is nothing to measure yet. The monitor asks every second; it names each
        measure by the text ``monitor.script.measures.NAME`` of the room.
        """


class Assigner(msgspec.Struct, frozen=True):
    """Who is given what, in a scenario with one seat: the constant ``ASSIGNER`` of a module.

    Without it each session has new people, and material that is drawn by lot.

    Attributes:
        title: one sentence on who is given what.
        people: how many people share so many sessions, where nobody else says it.
        open: the assignments before anything was given. Arguments: the material, a seed.
    """

    title: str
    people: Callable[[int], int]
    open: Callable[[Sequence[Any], int], Assignments]


class ReplayDifference(msgspec.Struct, frozen=True):
    """Something that a released record has and the rules would not do.

    Attributes:
        source: name of the file.
        path: JSON path in the file.
        code: why: of a refusal, or of a comparison, such as ``score``.
        expected: what the rules do or say.
        found: what was released.
    """

    source: str
    path: str
    code: str
    expected: str
    found: str


class Replay(msgspec.Struct, frozen=True):
    """What came of playing released records again.

    Attributes:
        sessions: how many were played.
        acts: how many acts they held.
        compared: of each thing that was compared, how many there were.
        equal: of each of these, how many were as released.
        differences: everything that was not, and every act that the rules refuse.
    """

    sessions: int = 0
    acts: int = 0
    compared: dict[str, int] = {}
    equal: dict[str, int] = {}
    differences: list[ReplayDifference] = []

    def __add__(self, other: Replay) -> Replay:
        return Replay(
            self.sessions + other.sessions,
            self.acts + other.acts,
            _add_counts(self.compared, other.compared),
            _add_counts(self.equal, other.equal),
            self.differences + other.differences,
        )


def _add_counts(left: dict[str, int], right: dict[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in {**left, **right}}


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """A session that somebody played, as others can be given it to play again.

    Attributes:
        name: of its record: the number of a session, the id of a dialogue.
        seed: that the session was started with.
        material: what it was played with.
        acts: what was done, in order; of a released record also what the rules would refuse.
    """

    name: str
    seed: int
    material: Any
    acts: Sequence[Act]


class Replayer(msgspec.Struct, frozen=True):
    """Plays released records again: the constant ``REPLAY`` of a module of a scenario.

    Attributes:
        record: reads a file of the corpus's main format as what its people played with and did, so
            that others can take a seat of theirs. Arguments: the file's name and its bytes. Raises
            :class:`FormatError` where it is no such file.
        follow: returns the state after an act of such a record, whether or not the rules would
            allow it: what the software of the time made of it; or a :class:`Refusal`, where that
            is not known.
        replay: plays the same file and compares what comes out. Raises the same; None where records
            can only be gone on with.
        reasons: for each code of a difference, one sentence on where it comes from.
    """

    record: Callable[[str, bytes], Sequence[Recorded]]
    follow: Callable[[Any, Act], Any]
    replay: Callable[[str, bytes], Replay] | None = None
    reasons: dict[str, str] = {}


class Outcome(msgspec.Struct, frozen=True):
    """What a game comes to: the constant ``OUTCOME`` of a module of a scenario.

    Attributes:
        title: a few words on what is counted: ``right marks``.
        score: the points of a state.
        best: the most that a game can have; one with fewer is lost.
    """

    title: str
    score: Callable[[Any], float]
    best: float
