"""The votes of many sessions put together, as released.

An element has three votes, of three people. How many of them are yes makes its label, and the
label says whether it stands among the grounded or the ungrounded elements of the response. A
thread is released when all responses of its main author are done: three people labelled each, or
as many skipped it, which then has no labels. Units of threads with known labels are not released.
What models said stands beside in a file of its own, and counts in none of this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from commonground.corpora.mpchat import native
from commonground.play.labelling.ballots import Ballot as AnyBallot
from commonground.play.labelling.ballots import is_done, name_worker, release_model_votes
from commonground.play.scenario import ReleasedFile
from commonground.play.scenarios.mpchat.material import VOTES, Origin, Unit, list_responses
from commonground.play.scenarios.mpchat.ranking import NOTE, Exported, tell_tasks

TASKS: tuple[native.Task, ...] = ("nrp", "gpp", "si")
SPLITS = ("train", "val", "test")


class Ballot(AnyBallot, frozen=True):
    """What one person said of one response: 1 for yes and 0 for no, by element."""

    unit: Unit
    votes: dict[str, int]


Votes = Mapping[int, Mapping[str, Sequence[native.Vote]]]
"""The votes of a thread: by message and element, at most three, of different people."""


def count_votes(ballots: Iterable[Ballot]) -> Votes:
    """Gathers the votes of one thread's units; of each person the first, of all the first three."""
    found: dict[int, dict[str, list[native.Vote]]] = defaultdict(lambda: defaultdict(list))
    people = (each for each in ballots if not each.by_model)
    for ballot in sorted(people, key=lambda each: each.number):
        worker = name_worker(ballot.worker)
        for candidate, vote in ballot.votes.items():
            votes = found[ballot.unit.event][candidate]
            if len(votes) < VOTES and all(worker != earlier for earlier, _ in votes):
                votes.append((worker, vote))
    return found


def label_persona(persona: native.Persona, votes: Sequence[native.Vote]) -> native.LabelledPersona:
    """Labels an element by its three votes."""
    return native.LabelledPersona(
        **{name: getattr(persona, name) for name in native.Persona.__struct_fields__},
        label_overall=native.LABELS[sum(vote for _, vote in votes)],
        label_per_worker=list(votes),
    )


def is_grounded(persona: native.LabelledPersona) -> bool:
    """Says whether most of an element's people found the response entailed by it."""
    return persona.label_overall in (native.LABELS[VOTES], native.LABELS[VOTES - 1])


def label_thread(thread: native.NrpThread, votes: Votes) -> native.NrpThread:
    """Puts the elements that have three votes into the lists of a thread, in candidates' order."""
    labelled = [
        [
            label_persona(each, found)
            for each in thread.candidate_personas
            if len(found := votes.get(event, {}).get(each.id, ())) == VOTES
        ]
        for event in range(len(thread.messages))
    ]
    return msgspec.structs.replace(
        thread,
        grounded_personas=[[p for p in each if is_grounded(p)] for each in labelled],
        ungrounded_personas=[[p for p in each if not is_grounded(p)] for each in labelled],
    )


def label_threads(ballots: Iterable[Ballot]) -> list[tuple[str, native.NrpThread]]:
    """Returns the threads that are labelled to their end, each with its split.

    They stand in the order in which their first units were labelled.
    """
    by_thread: dict[str | None, list[Ballot]] = defaultdict(list)
    origins: dict[str | None, Origin] = {}
    for ballot in sorted(ballots, key=lambda each: each.number):
        origin = ballot.unit.origin
        # Units with known answers test people; they are of threads that are labelled already.
        if origin is not None and ballot.unit.gold is None:
            name = native.thread_id(origin.thread)
            origins.setdefault(name, origin)
            by_thread[name].append(ballot)
    done = []
    for name, cast in by_thread.items():
        thread, by_event = origins[name].thread, defaultdict(list)
        for ballot in cast:
            by_event[ballot.unit.event].append(ballot)
        if all(is_done(by_event[event]) for event in list_responses(thread)):
            done.append((origins[name].split, label_thread(thread, count_votes(cast))))
    return done


def release_ballots(ballots: Iterable[Ballot]) -> Iterator[ReleasedFile]:
    """Yields the three task files, the maps of addresses, what was sampled, what models said.

    Threads keep their splits. Those of val and test need a hundred candidates, sampled from the
    others; where there are not enough others they go to train, which needs none.
    """
    cast = list(ballots)
    yield from release_model_votes(cast)
    threads = label_threads(cast)
    if not threads:
        return
    exported = Exported([thread for _, thread in threads])
    ranked = False
    files: dict[native.Task, dict[str, list[native.Thread]]] = {
        task: {split: [] for split in SPLITS} for task in TASKS
    }
    placed = [
        (split if split in SPLITS and exported.is_enough(thread) else "train", thread)
        for split, thread in threads
    ]
    for split in SPLITS:
        for place, thread in placed:
            if place == split:
                # Rankings are released for val and test only.
                pool = None if split == "train" else exported
                ranked = ranked or pool is not None
                for record in tell_tasks(thread, pool):
                    files[record.task][split].append(record.thread)
    for task, found in files.items():
        yield ReleasedFile(f"mpchat_{task}.json", render_task(found))
    posts = map_posts(thread for _, thread in threads)
    yield ReleasedFile("dialog_image_urls.json", render_map(posts))
    elements = [persona for _, thread in threads for persona in thread.all_personas]
    shown = ((each.id, each.direct_url) for each in elements if each.direct_url)
    yield ReleasedFile("persona_image_urls.json", render_map(shown))
    if ranked:
        yield ReleasedFile("CANDIDATES.txt", NOTE.encode())


def render_task(threads: Mapping[str, Sequence[native.Thread]]) -> bytes:
    """Writes a task file: an object with a list for each split, a thread a line."""
    encode = msgspec.json.encode
    lists = [
        encode(split) + b": [" + b",".join(b"\n" + encode(thread) for thread in each) + b"]"
        for split, each in threads.items()
    ]
    return b"{" + b",\n".join(lists) + b"}\n"


def map_posts(threads: Iterable[native.NrpThread]) -> Iterator[tuple[str, str]]:
    """Yields the id and the image's address of each post that has an image."""
    for thread in threads:
        if thread.has_image and thread.direct_url:
            yield thread.message_ids[0], thread.direct_url


def render_map(addresses: Iterable[tuple[str, str]]) -> bytes:
    """Writes a map of addresses, a line for each; the first of an id counts."""
    first: dict[str, str] = {}
    for native_id, address in addresses:
        first.setdefault(native_id, address)
    encode = msgspec.json.encode
    lines = [encode(native_id) + b": " + encode(address) for native_id, address in first.items()]
    return b"{" + b",\n".join(lines) + b"}\n"
