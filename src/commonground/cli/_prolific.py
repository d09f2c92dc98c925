"""``commonground collect prolific``: a study at Prolific, through its API, a command each."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from commonground.cli._options import json_option, print_json, study_argument
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.play.collect.identities import Identities
    from commonground.play.collect.prolific.api import ListedStudy, ProlificApi
    from commonground.play.collect.prolific.submissions import Review
    from commonground.play.collect.setup.study import Study

_DOUBTS = {
    "no_trace": "nobody in the study belongs to it",
    "under_way": "still taking part",
    "other_code": "entered a code other than the one shown",
    "pays_less": "is owed less than the reward",
}

_yes = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group(short_help="Make a study at Prolific, watch it, approve and pay.")
def prolific() -> None:
    """Make a study at Prolific, watch it, approve, reject and pay bonuses, through Prolific's API.

    Your token is read from $PROLIFIC_TOKEN. Commands that cost money show the amount and ask.

    \b
    Example:
      commonground collect prolific create studies/pilot
      commonground collect prolific publish studies/pilot
      commonground collect prolific status studies/pilot
      commonground collect prolific approve studies/pilot
      commonground collect prolific bonus studies/pilot 5f7c1d22e4b0a1c2d3e4f5a6 1.50
    """


@prolific.command(short_help="Make a draft of the study at Prolific.")
@study_argument
@json_option
def create(study: Study, as_json: bool) -> None:
    """Make a draft of a study at Prolific, as its study.toml says under [prolific].

    The draft is private and free of charge. Title, description, places, time, devices and lists
    of ids come from [prolific], the reward from payment.amounts.full, the codes from
    [payment.codes]. STUDY is the folder that `collect new` made.

    \b
    Example:
      commonground collect prolific create studies/pilot
    """
    from commonground.play.collect.prolific.drafts import create_draft

    listed = create_draft(study, _open_api())
    if as_json:
        print_json(listed)
        return
    click.echo(f"Prolific has the draft {listed.id}. Check it there, then")
    click.echo(f"  commonground collect prolific publish {shlex.quote(str(study.folder))}")


@prolific.command(short_help="Publish the study, or resume a paused one.")
@study_argument
@_yes
def publish(study: Study, yes: bool) -> None:
    """Publish the draft of a study, or resume a paused one.

    People come from then on, and Prolific reserves the money for all places: the amount is shown,
    and you are asked. It is refused while `collect preflight` finds something to fix. STUDY is the
    folder that `collect new` made.

    \b
    Example:
      commonground collect prolific publish studies/pilot
    """
    from commonground.errors import UsageError
    from commonground.play.collect.prolific.drafts import check_currency, read_made
    from commonground.play.rooms.preflight import require_ready

    api, name = _open_api(), read_made(study)
    require_ready(study)
    listed = api.get_study(name)
    check_currency(study, listed)
    action = {"UNPUBLISHED": "PUBLISH", "PAUSED": "START"}.get(listed.status)
    if action is None:
        raise UsageError(f"The study is {listed.status} at Prolific.", "There is nothing to do.")
    if action == "PUBLISH" and not yes:
        click.confirm(f"{_describe_cost(study, listed)} Publish it", abort=True)
    moved = api.move_study(name, "PUBLISH" if action == "PUBLISH" else "START")
    click.echo(f"The study is {moved.status} at Prolific.")


@prolific.command(short_help="Stop recruiting; people who have begun can finish.")
@study_argument
def pause(study: Study) -> None:
    """Stop recruiting at Prolific; people who have begun can finish, and are paid.

    `collect prolific publish` resumes it. STUDY is the folder that `collect new` made.

    \b
    Example:
      commonground collect prolific pause studies/pilot
    """
    from commonground.play.collect.prolific.drafts import read_made

    moved = _open_api().move_study(read_made(study), "PAUSE")
    click.echo(f"The study is {moved.status} at Prolific.")


@prolific.command(short_help="Show the study and its submissions at Prolific.")
@study_argument
@json_option
def status(study: Study, as_json: bool) -> None:
    """Show the state of a study at Prolific, and what the study knows of each submission.

    STUDY is the folder that `collect new` made.

    \b
    Example:
      commonground collect prolific status studies/pilot
      commonground collect prolific status studies/pilot --json
    """
    with _open(study) as desk:
        listed = desk.api.get_study(desk.name)
        reviews = desk.review()
    if as_json:
        print_json({"study": listed, "submissions": reviews})
        return
    taken = f"{listed.places_taken} of " if listed.places_taken is not None else ""
    places = f"{taken}{count_of(listed.total_available_places, 'place')}"
    click.echo(f"{listed.name} ({listed.id}): {listed.status}, {places}")
    for each in reviews:
        click.echo(f"  {_describe(each, desk.study)}")
    due = sum(each.is_due for each in reviews)
    if due:
        click.echo(
            f"{count_of(due, 'submission')} to approve: "
            f"commonground collect prolific approve {shlex.quote(str(study.folder))}"
        )


@prolific.command(short_help="Approve submissions, which pays the reward.")
@study_argument
@click.argument("names", nargs=-1)
@_yes
def approve(study: Study, names: tuple[str, ...], yes: bool) -> None:
    """Approve submissions: each is paid the whole reward. The amount is shown, and you are asked.

    STUDY is the folder that `collect new` made. NAMES are pseudonyms, or ids of people or
    submissions; without any, all are approved that await review, entered the code that they were
    shown, and are paid in full by the study.
    People who left no trace in the study are not approved.

    \b
    Example:
      commonground collect prolific approve studies/pilot
      commonground collect prolific approve studies/pilot p3kd8sk2lw0a --yes
    """
    from commonground.play.collect.prolific.drafts import check_currency
    from commonground.play.collect.prolific.submissions import approve_all, choose_approved

    with _open(study) as desk:
        listed = desk.api.get_study(desk.name)
        check_currency(desk.study, listed)
        chosen = choose_approved(desk.review(), names)
        if not chosen:
            click.echo("There is nothing to approve.")
            return
        for each in chosen:
            click.echo(f"  {_describe(each, desk.study)}")
        reward = listed.reward / 100
        currency = desk.study.settings.payment.currency
        if not yes:
            click.confirm(
                f"Approve {count_of(len(chosen), 'submission')} for {reward:.2f} {currency} each, "
                f"{reward * len(chosen):.2f} {currency} in all",
                abort=True,
            )
        wrong = approve_all(desk.api, chosen)
    click.echo(f"Approved {count_of(len(chosen) - len(wrong), 'submission')}.")
    for line in wrong:
        click.echo(line, err=True)
    if wrong:
        raise click.exceptions.Exit(1)


@prolific.command(short_help="Reject a submission, with the reason.")
@study_argument
@click.argument("name")
@click.option(
    "--category",
    metavar="NAME",
    required=True,
    help="Prolific's name of the category, such as LOW_EFFORT or FAILED_INSTRUCTIONS.",
)
@click.option("--reason", required=True, help="What the person reads: at least 100 characters.")
@_yes
def reject(study: Study, name: str, category: str, reason: str, yes: bool) -> None:
    """Reject a submission: its person is not paid, and reads the reason. It cannot be undone.

    STUDY is the folder that `collect new` made. NAME is a pseudonym, or the id of a person or a
    submission.

    \b
    Example:
      commonground collect prolific reject studies/pilot pk4w --category NO_DATA --reason "..."
    """
    from commonground.play.collect.prolific.submissions import find_review, reject_one

    with _open(study) as desk:
        review = find_review(desk.review(), name)
        click.echo(f"  {_describe(review, desk.study)}")
        if not yes:
            click.confirm(
                "Reject it? The person is not paid, and this cannot be undone", abort=True
            )
        reject_one(desk.api, review, category, reason)
    click.echo(f"Rejected {review.submission}.")


@prolific.command(short_help="Pay a participant a bonus, never twice.")
@study_argument
@click.argument("name")
@click.argument("amount")
@click.option(
    "--for", "purpose", default="bonus", show_default=True, help="Purpose: one bonus for each."
)
@click.option(
    "--was-not-paid",
    is_flag=True,
    help="Confirm that a bonus was not paid after its payment was interrupted.",
)
@_yes
def bonus(
    study: Study, name: str, amount: str, purpose: str, was_not_paid: bool, yes: bool
) -> None:
    """Pay a participant a bonus. The cost is shown, with fees, and you are asked.

    STUDY is the folder that `collect new` made, NAME a pseudonym, or the id of a person or a
    submission, AMOUNT what the person gets, in the currency of the study.

    One person gets one bonus for each purpose: the same command again pays nothing. bonuses.json of
    the study records each payment before and after it is made. If it was interrupted in between,
    the command asks Prolific, and then you.

    \b
    Example:
      commonground collect prolific bonus studies/pilot p3kd8sk2lw0a 1.50
      commonground collect prolific bonus studies/pilot p3kd8sk2lw0a 0.50 --for "second game" --yes
    """
    from commonground.play.collect.prolific.bonuses import Payer, read_cents
    from commonground.play.collect.prolific.drafts import check_currency
    from commonground.play.collect.prolific.submissions import find_review

    cents = read_cents(amount)
    with _open(study) as desk:
        check_currency(desk.study, desk.api.get_study(desk.name))
        currency = desk.study.settings.payment.currency
        review = find_review(desk.review(), name)
        payer = Payer(desk.study, desk.api, desk.name, desk.identities)
        if was_not_paid:
            payer.forget(review, purpose)
        order = payer.prepare(review, cents, purpose)
        if order is None:
            click.echo(f"{review.submission} was paid this bonus before: nothing was paid now.")
            return
        fees = (
            f", {order.total_amount / 100:.2f} {currency} with fees" if order.total_amount else ""
        )
        if not yes:
            click.confirm(
                f"Pay {cents / 100:.2f} {currency} to {review.submission}{fees}", abort=True
            )
        is_paid = payer.pay(review, cents, purpose, order)
    click.echo(
        f"Paid {cents / 100:.2f} {currency} to {review.submission}."
        if is_paid
        else f"{review.submission} was paid this bonus meanwhile: nothing was paid now."
    )


class _Desk(NamedTuple):
    """A study, its account at Prolific and who its people are."""

    study: Study
    api: ProlificApi
    name: str
    identities: Identities

    def review(self) -> list[Review]:
        """Returns all submissions beside their people."""
        from commonground.play.collect.live.standing import read_hall
        from commonground.play.collect.prolific.submissions import review_submissions

        submissions = self.api.list_submissions(self.name)
        people = read_hall(self.study).ledger.people
        return review_submissions(self.study, submissions, people, self.identities)


@contextmanager
def _open(study: Study) -> Iterator[_Desk]:
    from commonground.play.collect.prolific.drafts import read_made

    api, name = _open_api(), read_made(study)
    with closing(study.open_identities()) as identities:
        yield _Desk(study, api, name, identities)


def _open_api() -> ProlificApi:
    from commonground.play.collect.prolific.api import open_api

    return open_api()


def _describe(review: Review, study: Study) -> str:
    payment = study.settings.payment
    who = f"{review.participant} (#{review.number})" if review.participant else review.platform_id
    left = f", {review.way_out}" if review.way_out else ""
    owed = f", owed {review.owed:.2f} {payment.currency}" if review.owed else ""
    doubt = f": {_DOUBTS[review.doubt]}" if review.doubt else ""
    return f"{review.submission}  {review.status}  {who}{left}{owed}{doubt}"


def _describe_cost(study: Study, listed: ListedStudy) -> str:
    currency, places = study.settings.payment.currency, listed.total_available_places
    reward = listed.reward / 100
    said = f"{count_of(places, 'place')} at {reward:.2f} {currency}"
    if listed.total_cost is not None:
        return f"{said}: {listed.total_cost / 100:.2f} {currency} with fees."
    return f"{said}: {reward * places:.2f} {currency}, and Prolific's fees."
