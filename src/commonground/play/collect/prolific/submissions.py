"""Submissions at Prolific beside what the study knows of their people; approving, rejecting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

import msgspec

from commonground.errors import UsageError
from commonground.play.collect.identities import Identities
from commonground.play.collect.kept_payments import read_kept
from commonground.play.collect.people import Participant
from commonground.play.collect.prolific.api import ProlificApi, ProlificError, Submission
from commonground.play.collect.setup.study import Study

AWAITING = "AWAITING REVIEW"

Category = Literal[
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
]
"""Reasons for which Prolific lets a submission be rejected."""

CATEGORIES: tuple[str, ...] = get_args(Category)
SHORTEST_REASON = 100
"""Characters of the reason that a rejected person reads; Prolific takes no shorter one."""

Doubt = Literal["no_trace", "under_way", "other_code", "pays_less"]
"""Why a submission is not approved without being named.

``no_trace``: nobody came with it who agreed or is owed anything. ``under_way``: the person is not
out. ``other_code``: the code that was entered is not the one that the person was shown.
``pays_less``: the way out is not paid in full, and approving pays the whole reward.
"""


class Review(msgspec.Struct, frozen=True):
    """A submission, and what the study knows of its person.

    Attributes:
        participant: pseudonym; empty for nobody who is known, and for one who was erased.
        number: of arrival; None likewise.
        way_out: how the person left; empty where the person has not.
    """

    submission: str
    status: str
    platform_id: str
    participant: str = ""
    number: int | None = None
    way_out: str = ""
    owed: float = 0.0
    doubt: Doubt | None = None

    @property
    def is_due(self) -> bool:
        """Whether it waits to be approved, and nothing speaks against it."""
        return self.status == AWAITING and self.doubt is None


def review_submissions(
    study: Study,
    submissions: Iterable[Submission],
    people: Mapping[str, Participant],
    identities: Identities,
) -> list[Review]:
    """Puts each submission beside its person; people are by pseudonym."""
    payment = study.settings.payment
    known = {
        (who.platform_id, who.details.get("SESSION_ID", "")): pid
        for pid, who in identities.list_all().items()
        if who.platform == "prolific"
    }
    erased = {
        each.platform_id: each for each in read_kept(study.folder) if each.platform == "prolific"
    }
    reviews = []
    for each in submissions:
        person = people.get(known.get((each.participant_id, each.id), ""))
        past = erased.get(each.participant_id) if person is None else None
        review = Review(each.id, each.status, each.participant_id)
        owed, code, has_trace = 0.0, "", past is not None
        if person is not None:
            owed, code = payment.total_of(person.earned), person.code or ""
            has_trace = person.agreed or owed > 0
            named = {"participant": person.pid, "number": person.number}
            review = msgspec.structs.replace(review, **named, way_out=person.way_out or "")
        elif past is not None:
            owed, code = past.amount, past.code
        doubt: Doubt | None = None
        if not has_trace:
            doubt = "no_trace"
        elif person is not None and person.way_out is None:
            doubt = "under_way"
        elif owed < payment.amounts.get("full", 0):
            doubt = "pays_less"
        elif each.study_code not in (code, None, ""):
            doubt = "other_code"
        reviews.append(msgspec.structs.replace(review, owed=owed, doubt=doubt))
    return reviews


def choose_approved(reviews: Sequence[Review], names: Sequence[str]) -> list[Review]:
    """Returns the submissions of some names, as :func:`find_review` has them; all due for none.

    Raises:
        UsageError: one is of nobody who left a trace in the study, or does not await review.
    """
    if not names:
        return [each for each in reviews if each.is_due]
    chosen = [find_review(reviews, name) for name in names]
    for each in chosen:
        if each.doubt == "no_trace":
            raise UsageError(
                f"{each.submission}: no one took part in the study with this submission.",
                "Ask the person to return it, or reject it.",
            )
        if each.status not in (AWAITING, "APPROVED"):
            raise UsageError(f"{each.submission} is {each.status}, not {AWAITING}.")
    return [each for each in chosen if each.status == AWAITING]


def find_review(reviews: Sequence[Review], name: str) -> Review:
    """Returns the submission of a pseudonym, or of the id of a person or a submission.

    Raises:
        UsageError: none is, or more than one.
    """
    found = [e for e in reviews if name in (e.submission, e.platform_id, e.participant) and name]
    if len(found) != 1:
        what = "no submission" if not found else f"{len(found)} submissions"
        advice = "`commonground collect prolific status` lists them."
        raise UsageError(f"Prolific has {what} of {name!r} in this study.", advice)
    return found[0]


def approve_all(api: ProlificApi, reviews: Sequence[Review]) -> list[str]:
    """Approves submissions and returns what went wrong, in words; a second time does nothing."""
    wrong = []
    for each in reviews:
        try:
            api.approve(each.submission)
        except ProlificError as error:
            wrong.append(str(error))
    return wrong


def reject_one(api: ProlificApi, review: Review, category: str, reason: str) -> None:
    """Rejects a submission, with a reason that its person reads.

    Args:
        category: one of :data:`CATEGORIES`.
        reason: of at least 100 characters.

    Raises:
        UsageError: the reason is too short, there is no such category, or the submission does not
            await review.
        ProlificError: Prolific refused it.
    """
    if category not in CATEGORIES:
        raise UsageError(f"Prolific knows no category {category!r}.", ", ".join(CATEGORIES))
    if len(reason.strip()) < SHORTEST_REASON:
        raise UsageError(
            f"The reason has {len(reason.strip())} characters; Prolific asks for "
            f"{SHORTEST_REASON} at least.",
            "Say what was wrong, so that the person understands it.",
        )
    if review.status != AWAITING:
        raise UsageError(f"{review.submission} is {review.status}, not {AWAITING}.")
    api.reject(review.submission, category, reason.strip())
