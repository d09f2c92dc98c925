"""Rules on next response prediction: the workers' labels and the ranked responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from commonground.checks import find_repeats
from commonground.corpora.mpchat.native import CANDIDATES, LABELS, LabelledPersona, NrpThread
from commonground.corpora.mpchat.rules._lists import PlacedElement, list_fields, placed_personas
from commonground.findings import Place, Ruleset
from commonground.records import UNSET

rules = Ruleset("CG-MPCHAT-", "nrp")

# Where an element of each label stands: how the paths of the two lists begin.
_SIDE = {label: ".grounded" if votes >= 2 else ".ungrounded" for votes, label in LABELS.items()}


def _labelled(thread: NrpThread) -> Iterator[tuple[PlacedElement, LabelledPersona]]:
    lists = list_fields(thread, {"grounded_personas": True, "ungrounded_personas": True})
    for placed in placed_personas(lists):
        yield placed, cast("LabelledPersona", placed.persona)


@rules.warning(151)
def three_votes(thread: NrpThread) -> Iterator[Place]:
    """An element was not voted on by three workers.

    The labels are defined for three votes.

    Use the votes themselves.
    """
    for placed, persona in _labelled(thread):
        votes = persona.label_per_worker
        if votes is not UNSET and len(votes) != 3:
            path = f"{placed.path}.label_per_worker"
            yield Place(path, "3 votes", f"{len(votes)}", placed.event)


@rules.error(152)
def votes_are_binary(thread: NrpThread) -> Iterator[Place]:
    """A vote is neither 0 nor 1.

    The vote cannot be counted.

    Leave the vote out.
    """
    for placed, persona in _labelled(thread):
        for i, (_, vote) in enumerate(persona.label_per_worker or ()):
            if vote not in (0, 1):
                path = f"{placed.path}.label_per_worker[{i}][1]"
                yield Place(path, "0 or 1", str(vote), placed.event)


@rules.warning(153)
def workers_vote_once(thread: NrpThread) -> Iterator[Place]:
    """A worker voted twice on the same element and message.

    The votes are not independent.

    Count the worker once where you compute agreement.
    """
    for placed, persona in _labelled(thread):
        for i, worker in find_repeats(worker for worker, _ in persona.label_per_worker or ()):
            path = f"{placed.path}.label_per_worker[{i}][0]"
            yield Place(path, "another worker", worker, placed.event)


@rules.error(154)
def labels_are_known(thread: NrpThread) -> Iterator[Place]:
    """A label is not one of the four.

    Anyone who selects by label misses the element.

    Derive the label from the votes.
    """
    for placed, persona in _labelled(thread):
        label = persona.label_overall
        if label is not UNSET and label not in _SIDE:
            path = f"{placed.path}.label_overall"
            yield Place(path, " or ".join(_SIDE), label, placed.event)


@rules.warning(155)
def labels_follow_votes(thread: NrpThread) -> Iterator[Place]:
    """A label does not follow from its votes.

    Three votes for entailment make (strong) E, two E, one I, none (strong) I.

    Decide whether to use the label or the votes.
    """
    for placed, persona in _labelled(thread):
        label, votes = persona.label_overall, persona.label_per_worker
        if label is UNSET or votes is UNSET or label not in _SIDE or len(votes) != 3:
            continue
        if all(vote in (0, 1) for _, vote in votes):
            expected = LABELS[sum(vote for _, vote in votes)]
            if label != expected:
                path = f"{placed.path}.label_overall"
                yield Place(path, expected, label, placed.event)


@rules.warning(156)
def labels_are_there(thread: NrpThread) -> Iterator[Place]:
    """A grounded or ungrounded element has no label or no votes.

    The description gives both to each of them.

    Use the list that it is in.
    """
    for placed, persona in _labelled(thread):
        for name in ("label_overall", "label_per_worker"):
            if getattr(persona, name) is UNSET:
                yield Place(f"{placed.path}.{name}", "a value", None, placed.event)


@rules.warning(157)
def labels_fit_lists(thread: NrpThread) -> Iterator[Place]:
    """A label contradicts the list that its element is in.

    Elements labelled E are grounded, those labelled I are ungrounded.

    Use the votes.
    """
    for placed, persona in _labelled(thread):
        side = _SIDE.get(persona.label_overall or "")
        if side is not None and not placed.path.startswith(side):
            path = f"{placed.path}.label_overall"
            expected = "I or (strong) I" if side == ".grounded" else "E or (strong) E"
            yield Place(path, expected, str(persona.label_overall), placed.event)


@rules.warning(158)
def labels_at_main_author(thread: NrpThread) -> Iterator[Place]:
    """An element is compared with a message that is not the main author's.

    Only the main author's messages were labelled.

    Leave the grounding out.
    """
    for name in ("grounded_personas", "ungrounded_personas"):
        lists = zip(getattr(thread, name), thread.authors, strict=False)
        for event, (personas, author) in enumerate(lists):
            if personas and author != thread.main_author:
                found = f"{len(personas)} at a message of {author}"
                yield Place(f".{name}[{event}]", "no element", found, event)


@rules.warning(159)
def grounded_or_not(thread: NrpThread) -> Iterator[Place]:
    """A message is both grounded and not grounded on an element.

    Both are in the groundings table, with different relations.

    Use the votes.
    """
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


@rules.error(161)
def right_response_first(thread: NrpThread) -> Iterator[Place]:
    """The first candidate response is not the message itself.

    The authors' loaders take the first as the right one, and fail here.

    Leave the turn out.
    """
    for event, author, text, options in _rankings(thread):
        if author == thread.main_author and options and options[0] != text:
            yield Place(f".nrp_candidate_responses[{event}][0]", text, options[0], event)


@rules.error(162)
def hundred_responses(thread: NrpThread) -> Iterator[Place]:
    """A message of the main author does not have a hundred candidate responses.

    Recall and rank are defined over a hundred.

    Leave the turn out where you compare with published figures.
    """
    for event, author, _, options in _rankings(thread):
        if author == thread.main_author and len(options) != CANDIDATES:
            path = f".nrp_candidate_responses[{event}]"
            yield Place(path, f"{CANDIDATES} responses", str(len(options)), event)


@rules.warning(163)
def responses_at_main_author(thread: NrpThread) -> Iterator[Place]:
    """A message that is not the main author's has candidate responses.

    The task predicts the main author's messages only; the loaders skip these.

    Leave them out.
    """
    for event, author, _, options in _rankings(thread):
        if author != thread.main_author and options:
            found = f"{len(options)} at a message of {author}"
            yield Place(f".nrp_candidate_responses[{event}]", "no response", found, event)


@rules.note(164)
def right_response_once(thread: NrpThread) -> Iterator[Place]:
    """The right response is also among the wrong ones.

    A model that ranks the copy first is counted as wrong.

    Treat equal texts as one where you score by hand.
    """
    for event, _, _, options in _rankings(thread):
        for i, option in enumerate(options):
            if i and option == options[0]:
                path = f".nrp_candidate_responses[{event}][{i}]"
                yield Place(path, "a wrong response", option, event)
