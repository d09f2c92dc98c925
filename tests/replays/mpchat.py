"""Released labels taken apart into the sessions of their people, and put together again.

For each element that a response was held against, the file says who voted for what. Elements of
one response that the same people voted on make a unit; each of these people labels it by the
rules, and the ballots are counted like those of a new study. What comes out is compared with what
was released.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from commonground.corpora.mpchat.native import (
    FORMATS,
    GppThread,
    LabelledPersona,
    NrpThread,
    Thread,
    Vote,
    thread_id,
)
from commonground.errors import FormatError
from commonground.files.dividing import decode_raw, divide_document
from commonground.files.formats import FileFormat
from commonground.findings import shorten
from commonground.play.labelling.ballots import name_worker
from commonground.play.labelling.units import Candidate, ContextLine
from commonground.play.scenario import Act, Refusal, Replay, ReplayDifference, Sitting
from commonground.play.scenarios.mpchat.material import (
    QUESTION,
    VOTES,
    Origin,
    Unit,
)
from commonground.play.scenarios.mpchat.release import (
    Ballot,
    count_votes,
    is_grounded,
    label_persona,
)
from commonground.play.scenarios.mpchat.rules import SCENARIO
from commonground.records import UNSET
from tests.replays import Comparer

_REASONS = {
    "unplayable": "The lists of the thread differ in length; its labels are left out.",
    "no_votes": "The element has a label but no votes, or neither.",
    "no_vote": "A vote is neither 0 nor 1, so that the person said neither yes nor no.",
    "votes": "Not three different people voted on the element, so that it gets no label.",
    "repeated_candidate": "The element occurs twice at one response; its first votes are played.",
    "too_many": "More elements were held against one response than the rules have keys for.",
    "label": "The released label is not what the three votes amount to.",
    "list": "The label belongs to the other list: E to the grounded elements, I to the others.",
}


class _Labelled(msgspec.Struct, frozen=True):
    """An element that a message was held against, where it stands, and in which list."""

    path: str
    event: int
    persona: LabelledPersona
    in_grounded: bool

    @property
    def votes(self) -> Sequence[Vote]:
        return self.persona.label_per_worker or []


def replay_file(name: str, data: bytes) -> Replay:
    """Replays every label of a task file; files without votes have none.

    Args:
        name: of the file.
        data: its bytes.

    Raises:
        FormatError: it is no task file.
    """
    fmt = _find_format(name, data)
    done = Replay()
    for raw in divide_document(name, data, fmt).records:
        read = decode_raw(name, raw, fmt)
        if not raw.is_envelope and read.record is not None:
            done += _Thread(name, raw.path, read.record).replay()
    return done


def _find_format(name: str, data: bytes) -> FileFormat:
    """Returns the task format whose records a file holds.

    Raises:
        FormatError: it holds records of none.
    """
    problem = "no records"
    # Tried one after the other: a replay is given files by any name.
    for fmt in FORMATS[:3]:
        division = divide_document(name, data, fmt)
        records = [each for each in division.records if not each.is_envelope]
        if not records and not division.findings:
            return fmt
        findings = division.findings
        if records:
            read = decode_raw(name, records[0], fmt)
            if read.record is not None:
                return fmt
            findings = read.findings
        problem = f"{findings[0].source_path or '$'}: {findings[0].message}"
    raise FormatError(f"{name}: {problem}")


class _Thread:
    """A thread whose labels are replayed.

    Args:
        name: of the file.
        path: of the thread in the file.
        thread: the record.
    """

    def __init__(self, name: str, path: str, thread: Thread) -> None:
        self._name = name
        self._path = path
        self._thread = thread
        self._workers: dict[str, int] = {}
        self._differences: list[ReplayDifference] = []
        self._sessions = self._acts = 0

    def replay(self) -> Replay:
        """Plays the sessions and compares what comes out."""
        labelled = self._list_labelled()
        whole = [each for each in labelled if self._can_be_played(each)]
        ballots = [ballot for group in self._group(whole) for ballot in self._play(group)]
        found = count_votes(ballots)
        compared = dict.fromkeys(("label", "list", "votes"), len(labelled))
        # What cannot be played is not equal in any respect.
        lost = len(labelled) - len(whole)
        equal = {name: number - lost for name, number in compared.items()}
        for each in whole:
            for name in self._compare(each, found.get(each.event, {}).get(each.persona.id, [])):
                equal[name] -= 1
        return Replay(self._sessions, self._acts, compared, equal, self._differences)

    def _list_labelled(self) -> list[_Labelled]:
        thread, number = self._thread, len(self._thread.messages)
        if isinstance(thread, NrpThread):
            lists = (thread.grounded_personas, thread.ungrounded_personas, thread.authors)
            if any(len(each) != number for each in lists):
                self._differ("", "unplayable", f"{number} places in each list", "")
                return []
            return [*_list_nrp(thread)]
        if isinstance(thread, GppThread) and len(thread.gpp_grounded_persona) == number:
            return [*_list_gpp(thread)]
        return []

    def _can_be_played(self, each: _Labelled) -> bool:
        """Says whether votes are there, and each is a yes or a no."""
        if each.persona.label_per_worker is UNSET:
            self._differ(each.path, "no_votes", f"{VOTES} votes", "none")
            return False
        for index, (_, vote) in enumerate(each.votes):
            if vote not in (0, 1):
                path = f"{each.path}.label_per_worker[{index}][1]"
                self._differ(path, "no_vote", "0 or 1", str(vote))
                return False
        return True

    def _group(self, labelled: Sequence[_Labelled]) -> Iterator[list[_Labelled]]:
        """Yields the elements of one message on which the same people voted, in the same order."""
        groups: dict[tuple[int, tuple[str, ...]], list[_Labelled]] = defaultdict(list)
        seen: set[tuple[int, str]] = set()
        for each in labelled:
            if (each.event, each.persona.id) in seen:
                found = each.persona.id
                self._differ(f"{each.path}.id", "repeated_candidate", "another element", found)
                continue
            seen.add((each.event, each.persona.id))
            groups[each.event, tuple(worker for worker, _ in each.votes)].append(each)
        yield from groups.values()

    def _play(self, group: Sequence[_Labelled]) -> Iterator[Ballot]:
        """Lets each of the people label the elements, and yields their ballots."""
        try:
            unit = self._unit(group)
            SCENARIO.start(unit, 0)
        except FormatError as error:
            self._differ(group[0].path, "too_many", error.message, str(len(group)))
            return
        for place, (worker, _) in enumerate(group[0].votes):
            state = SCENARIO.start(unit, 0)
            answers = {each.persona.id: each.votes[place][1] for each in group}
            for act in _make_acts(answers):
                result = SCENARIO.apply(state, act)
                assert not isinstance(result, Refusal), result
                state, self._acts = result, self._acts + 1
            number = self._workers.setdefault(worker, len(self._workers))
            self._sessions += 1
            # The place is the session's number, by which `count_votes` sorts: votes keep the
            # released order.
            yield from SCENARIO.finish(state, Sitting(place, {"worker": number}))

    def _unit(self, group: Sequence[_Labelled]) -> Unit:
        thread, event = self._thread, group[0].event
        pairs = zip(thread.authors[: event + 1], thread.messages, strict=False)
        return Unit(
            id=f"{thread_id(thread)}:{event}",
            question=QUESTION,
            context=tuple(ContextLine(author, text) for author, text in pairs),
            candidates=tuple(Candidate(each.persona.id, each.persona.title) for each in group),
            origin=Origin(_as_nrp(thread), "train"),
            event=event,
        )

    def _compare(self, each: _Labelled, votes: Sequence[Vote]) -> Iterator[str]:
        """Yields the names of what did not come out as it was released."""
        # Back from the pseudonyms of a study to the ids that were released.
        names = {name_worker(number): worker for worker, number in self._workers.items()}
        made = [(names[worker], vote) for worker, vote in votes]
        if made != list(each.votes) or len(made) != VOTES:
            found = ", ".join(f"{worker} {vote}" for worker, vote in each.votes)
            self._differ(f"{each.path}.label_per_worker", "votes", f"{VOTES} people", found)
            yield from ("label", "list", "votes")
            return
        labelled = label_persona(each.persona, made)
        if labelled.label_overall != each.persona.label_overall:
            path, expected = f"{each.path}.label_overall", str(labelled.label_overall)
            self._differ(path, "label", expected, str(each.persona.label_overall or "none"))
            yield "label"
        if is_grounded(labelled) != each.in_grounded:
            side = "grounded" if is_grounded(labelled) else "ungrounded"
            self._differ(each.path, "list", side, str(labelled.label_overall))
            yield "list"

    def _differ(self, path: str, code: str, expected: str, found: str) -> None:
        where = self._path + path
        self._differences.append(
            ReplayDifference(self._name, where, code, expected, shorten(found))
        )


def _list_nrp(thread: NrpThread) -> Iterator[_Labelled]:
    for name in ("grounded_personas", "ungrounded_personas"):
        for event, personas in enumerate(getattr(thread, name)):
            for index, persona in enumerate(personas):
                path = f".{name}[{event}][{index}]"
                yield _Labelled(path, event, persona, name == "grounded_personas")


def _list_gpp(thread: GppThread) -> Iterator[_Labelled]:
    """Yields the elements that have votes; most files of this task leave them out."""
    for event, persona in enumerate(thread.gpp_grounded_persona):
        if persona is not None and persona.label_per_worker is not UNSET:
            yield _Labelled(f".gpp_grounded_persona[{event}]", event, persona, True)


def _as_nrp(thread: Thread) -> NrpThread:
    """Returns what ballots know of a thread; a file without ``nrp`` lists has empty ones."""
    if isinstance(thread, NrpThread):
        return thread
    empty: list[list[LabelledPersona]] = [[] for _ in thread.messages]
    shared = {name: getattr(thread, name) for name in Thread.__struct_fields__}
    return NrpThread(
        **shared, grounded_personas=empty, ungrounded_personas=empty, candidate_personas=[]
    )


def _make_acts(answers: dict[str, int]) -> Iterator[Act]:
    """Yields the acts of somebody who answers one candidate after the other, a second each."""
    at_us = 0
    for candidate, vote in answers.items():
        at_us += 1_000_000
        payload = {"candidate": candidate, "answer": "yes" if vote else "no"}
        yield Act("mpchat.label", "worker", payload, at_us)
    yield Act("mpchat.submit", "worker", {}, at_us + 1_000_000)


REPLAY = Comparer(
    reasons=_REASONS,
    replay=replay_file,
)
