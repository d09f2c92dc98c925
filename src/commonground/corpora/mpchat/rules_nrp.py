"""Rules on next response prediction: the workers' labels and the ranked responses."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.checks.generic import find_repeats
from commonground.corpora.mpchat.native import CANDIDATES, LABELS, LabelledPersona, NrpThread
from commonground.corpora.mpchat.shelves import Placed, Shelf, placed_personas
from commonground.findings import Examined, Place, rule
from commonground.records import UNSET

_SIDE = {label: ".grounded" if votes >= 2 else ".ungrounded" for votes, label in LABELS.items()}


def _labelled(thread: NrpThread) -> Iterator[tuple[Placed, LabelledPersona]]:
    for name in ("grounded_personas", "ungrounded_personas"):
        for event, personas in enumerate(getattr(thread, name)):
            shelf = Shelf(f".{name}[{event}]", personas, event)
            for placed in placed_personas(iter([shelf])):
                yield placed, personas[placed.place]


@rule(
    "CG-MPCHAT-151",
    "warning",
    "An element was not voted on by three workers.",
    why="The labels are defined for three votes.",
    advice="Use the votes themselves.",
    format="nrp",
)
def three_votes(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Counts the votes."""
    for placed, persona in _labelled(thread):
        votes = persona.label_per_worker
        if votes is not UNSET and len(votes) != 3:
            path = f"{placed.path}.label_per_worker"
            yield Place(path, "3 votes", f"{len(votes)}", placed.shelf.event)


@rule(
    "CG-MPCHAT-152",
    "error",
    "A vote is neither 0 nor 1.",
    why="It cannot be counted.",
    advice="Leave the vote out.",
    format="nrp",
)
def votes_are_binary(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Looks at every vote."""
    for placed, persona in _labelled(thread):
        for i, (_, vote) in enumerate(persona.label_per_worker or ()):
            if vote not in (0, 1):
                path = f"{placed.path}.label_per_worker[{i}][1]"
                yield Place(path, "0 or 1", str(vote), placed.shelf.event)


@rule(
    "CG-MPCHAT-153",
    "warning",
    "A worker voted twice on the same element and message.",
    why="The votes are not independent.",
    advice="Count the worker once where you compute agreement.",
    format="nrp",
)
def workers_vote_once(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Looks for repeated workers."""
    for placed, persona in _labelled(thread):
        for i, worker in find_repeats(worker for worker, _ in persona.label_per_worker or ()):
            path = f"{placed.path}.label_per_worker[{i}][0]"
            yield Place(path, "another worker", worker, placed.shelf.event)


@rule(
    "CG-MPCHAT-154",
    "error",
    "A label is none of the four.",
    why="Whoever selects by label misses the element.",
    advice="Derive the label from the votes.",
    format="nrp",
)
def labels_are_known(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Looks at every label."""
    for placed, persona in _labelled(thread):
        label = persona.label_overall
        if label is not UNSET and label not in _SIDE:
            path = f"{placed.path}.label_overall"
            yield Place(path, " or ".join(_SIDE), label, placed.shelf.event)


@rule(
    "CG-MPCHAT-155",
    "warning",
    "A label is not what its votes amount to.",
    why="Three votes for entailment make (strong) E, two E, one I, none (strong) I.",
    advice="Decide whether you go by the label or by the votes.",
    format="nrp",
)
def labels_follow_votes(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Counts the votes, where they and the label are whole."""
    for placed, persona in _labelled(thread):
        label, votes = persona.label_overall, persona.label_per_worker
        if label is UNSET or votes is UNSET or label not in _SIDE or len(votes) != 3:
            continue
        if all(vote in (0, 1) for _, vote in votes):
            expected = LABELS[sum(vote for _, vote in votes)]
            if label != expected:
                path = f"{placed.path}.label_overall"
                yield Place(path, expected, label, placed.shelf.event)


@rule(
    "CG-MPCHAT-156",
    "warning",
    "A grounded or ungrounded element has no label or no votes.",
    why="The description gives both to each of them.",
    advice="Go by the list that it is in.",
    format="nrp",
)
def labels_are_there(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Looks for absent fields."""
    for placed, persona in _labelled(thread):
        for name in ("label_overall", "label_per_worker"):
            if getattr(persona, name) is UNSET:
                yield Place(f"{placed.path}.{name}", "a value", None, placed.shelf.event)


@rule(
    "CG-MPCHAT-157",
    "warning",
    "A label contradicts the list that its element is in.",
    why="Elements labelled E are grounded, those labelled I are ungrounded.",
    advice="Go by the votes.",
    format="nrp",
)
def labels_fit_lists(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Compares labels with the names of the lists."""
    for placed, persona in _labelled(thread):
        side = _SIDE.get(persona.label_overall or "")
        if side is not None and not placed.path.startswith(side):
            path = f"{placed.path}.label_overall"
            expected = "I or (strong) I" if side == ".grounded" else "E or (strong) E"
            yield Place(path, expected, str(persona.label_overall), placed.shelf.event)


@rule(
    "CG-MPCHAT-158",
    "warning",
    "An element is held against a message that is not the main author's.",
    why="Only the main author's messages were labelled.",
    advice="Leave the grounding out.",
    format="nrp",
)
def labels_at_main_author(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Compares the authors of the messages with the main author."""
    for name in ("grounded_personas", "ungrounded_personas"):
        lists = zip(getattr(thread, name), thread.authors, strict=False)
        for event, (personas, author) in enumerate(lists):
            if personas and author != thread.main_author:
                found = f"{len(personas)} at a message of {author}"
                yield Place(f".{name}[{event}]", "no element", found, event)


@rule(
    "CG-MPCHAT-159",
    "warning",
    "A message is both grounded and not grounded on an element.",
    why="Both stand in the groundings table, with different relations.",
    advice="Go by the votes.",
    format="nrp",
)
def grounded_or_not(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Looks for the ungrounded elements among the grounded ones of the same message."""
    pairs = zip(thread.grounded_personas, thread.ungrounded_personas, strict=False)
    for event, (grounded, ungrounded) in enumerate(pairs):
        ids = {persona.id for persona in grounded}
        for i, persona in enumerate(ungrounded):
            if persona.id in ids:
                path = f".ungrounded_personas[{event}][{i}].id"
                yield Place(path, "no grounded element", persona.id, event)


def _rankings(thread: NrpThread) -> Iterator[tuple[int, str, str, list[str]]]:
    """Yields number, author and text of each message, with the responses ranked for it."""
    responses = thread.nrp_candidate_responses
    if responses is not UNSET:
        rows = zip(thread.authors, thread.messages, responses, strict=False)
        for event, (author, text, options) in enumerate(rows):
            yield event, author, text, options


@rule(
    "CG-MPCHAT-161",
    "error",
    "The first candidate response is not the message itself.",
    why="The authors' loaders take the first as the right one, and stop here.",
    advice="Leave the turn out.",
    format="nrp",
)
def right_response_first(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Compares the first response with the message."""
    for event, author, text, options in _rankings(thread):
        if author == thread.main_author and options and options[0] != text:
            yield Place(f".nrp_candidate_responses[{event}][0]", text, options[0], event)


@rule(
    "CG-MPCHAT-162",
    "error",
    "A message of the main author has not a hundred candidate responses.",
    why="Recall and rank are defined over a hundred.",
    advice="Leave the turn out where you compare with published figures.",
    format="nrp",
)
def hundred_responses(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Counts the responses."""
    for event, author, _, options in _rankings(thread):
        if author == thread.main_author and len(options) != CANDIDATES:
            path = f".nrp_candidate_responses[{event}]"
            yield Place(path, f"{CANDIDATES} responses", str(len(options)), event)


@rule(
    "CG-MPCHAT-163",
    "warning",
    "A message that is not the main author's has candidate responses.",
    why="The task predicts the main author's messages only; the loaders skip these.",
    advice="Leave them out.",
    format="nrp",
)
def responses_at_main_author(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Compares the authors of the messages with the main author."""
    for event, author, _, options in _rankings(thread):
        if author != thread.main_author and options:
            found = f"{len(options)} at a message of {author}"
            yield Place(f".nrp_candidate_responses[{event}]", "no response", found, event)


@rule(
    "CG-MPCHAT-164",
    "note",
    "The right response stands among the wrong ones too.",
    why="A model that ranks the copy first is counted as wrong.",
    advice="Treat equal texts as one where you score by hand.",
    format="nrp",
)
def right_response_once(thread: NrpThread, _examined: Examined) -> Iterator[Place]:
    """Looks for the first response among the others."""
    for event, _, _, options in _rankings(thread):
        for i, option in enumerate(options):
            if i and option == options[0]:
                path = f".nrp_candidate_responses[{event}][{i}]"
                yield Place(path, "a wrong response", option, event)
