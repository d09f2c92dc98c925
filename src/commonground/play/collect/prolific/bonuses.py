"""Bonuses through Prolific: none is ever paid twice, whatever ends a command.

Prolific's order to pay is not idempotent. So ``bonuses.json`` says *before* the order that it is
being paid, and *after* it that it was. What is between the two is looked up at Prolific, and else
left to a person. People are in the file by a keyed hash only: it stays when somebody is erased.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

import msgspec

from commonground.errors import FormatError, StoreError, UsageError
from commonground.files.locks import hold_lock, take_lock
from commonground.files.outputs import write_file
from commonground.play.collect.identities import Identities
from commonground.play.collect.prolific.api import BonusOrder, ProlificApi, ProlificError
from commonground.play.collect.prolific.submissions import Review
from commonground.play.collect.setup.study import BONUSES, Study

LOCK = "bonuses.lock"
MOST_CENTS = 100_000
"""Hundredths that one bonus may have; more is a slip of the finger."""


class Bonus(msgspec.Struct, frozen=True):
    """A bonus that was paid, or is being paid.

    Attributes:
        key: keyed hash of the submission and the purpose.
        purpose: what it is for; one person gets one for each.
        cents: hundredths of the currency.
        order: its id at Prolific.
        state: ``paying`` from before the order until Prolific has taken it.
        at: when that was written, in UTC.
    """

    key: str
    purpose: str
    cents: int
    currency: str
    order: str
    state: Literal["paying", "paid"]
    at: str


def read_bonuses(folder: Path) -> list[Bonus]:
    """Returns the bonuses of a study, from its folder or that of a backup.

    Raises:
        FormatError: the file is damaged.
    """
    path = folder / BONUSES
    if not path.is_file():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Bonus])
    except msgspec.DecodeError as error:
        advice = "It lists what was paid; without it a bonus may be paid twice. Repair it."
        raise FormatError(f"{path}: {error}.", advice) from error


def sum_bonuses(bonuses: list[Bonus], submission: str, identities: Identities) -> int:
    """Returns what the person of a submission was paid in bonuses, in hundredths."""
    return sum(
        each.cents
        for each in bonuses
        if each.state == "paid" and each.key == identities.bonus_key(submission, each.purpose)
    )


def read_cents(text: str) -> int:
    """Reads an amount such as ``1.50``.

    Raises:
        UsageError: it is none, is not more than 0, or is more than a bonus can be.
    """
    try:
        cents = Decimal(text.strip()) * 100
    except InvalidOperation:
        raise UsageError(f"{text!r} is not an amount.", "Write it like 1.50.") from None
    if not cents.is_finite() or cents != cents.to_integral_value() or not 0 < cents <= MOST_CENTS:
        raise UsageError(
            f"A bonus of {text} cannot be paid.",
            f"It is between 0.01 and {MOST_CENTS // 100:,}, with two digits for cents.",
        )
    return int(cents)


class Payer:
    """Pays one bonus; nobody else pays any of the study meanwhile.

    Args:
        listed: id of the study at Prolific.
    """

    def __init__(self, study: Study, api: ProlificApi, listed: str, identities: Identities) -> None:
        self._study = study
        self._api = api
        self._listed = listed
        self._identities = identities

    def prepare(self, review: Review, cents: int, purpose: str) -> BonusOrder | None:
        """Sets a bonus up, which costs nothing yet; a person gets one for each purpose.

        Returns:
            What it will cost; None where it was paid before.

        Raises:
            UsageError: nobody took part with the submission, a bonus of another amount was paid for
                this purpose, or it is not known whether one was.
            ProlificError: Prolific refused it.
        """
        _require_trace(review)
        with self._locked():
            if self._is_paid(review, cents, purpose):
                return None
            return self._api.set_up_bonus(self._listed, review.submission, cents)

    def pay(self, review: Review, cents: int, purpose: str, order: BonusOrder) -> bool:
        """Pays a bonus that :meth:`prepare` set up.

        Returns:
            Whether it was paid now; False where somebody else paid it meanwhile.

        Raises:
            UsageError: see :meth:`prepare`.
            ProlificError: Prolific refused it, or it is not known what became of it.
        """
        _require_trace(review)
        with self._locked():
            if self._is_paid(review, cents, purpose):
                return False
            key = self._identities.bonus_key(review.submission, purpose)
            bonus = Bonus(
                key=key,
                purpose=purpose,
                cents=cents,
                currency=self._study.settings.payment.currency,
                order=order.id,
                state="paying",
                at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            self._note(bonus)
            try:
                self._api.pay_bonus(order.id)
            except ProlificError as error:
                if error.refused:
                    self._note(None, key)
                raise
            self._note(msgspec.structs.replace(bonus, state="paid"))
            return True

    def forget(self, review: Review, purpose: str) -> None:
        """Notes that a bonus was not paid of which that was not known.

        Raises:
            UsageError: it was paid, or nothing is known of it.
        """
        with self._locked():
            key = self._identities.bonus_key(review.submission, purpose)
            found = self._find(key)
            if found is None or found.state == "paid":
                said = "was paid" if found else "was never begun"
                raise UsageError(f"The bonus of {review.submission} for {purpose!r} {said}.")
            self._note(None, key)

    def _is_paid(self, review: Review, cents: int, purpose: str) -> bool:
        found = self._find(self._identities.bonus_key(review.submission, purpose))
        if found is None:
            return False
        if found.state == "paying":
            # Prolific shows one more bonus of the amount, if it was paid, than is known to be.
            known = [
                each
                for each in read_bonuses(self._study.folder)
                if each.state == "paid"
                and each.cents == found.cents
                and each.key == self._identities.bonus_key(review.submission, each.purpose)
            ]
            shown = self._api.list_bonuses(review.submission).count(found.cents)
            if shown <= len(known):
                raise UsageError(
                    f"It is not known whether the bonus of {review.submission} for {purpose!r} was "
                    f"paid: the order was interrupted at {found.at}.",
                    "Prolific's pages show the bonuses of a submission, some minutes later. If it "
                    "was not paid, say so with --was-not-paid.",
                )
            self._note(msgspec.structs.replace(found, state="paid"))
        if found.cents != cents:
            raise UsageError(
                f"{review.submission} was paid {found.cents / 100:.2f} {found.currency} for "
                f"{purpose!r}; one bonus is paid for each purpose.",
                "Name another purpose with --for.",
            )
        return True

    def _find(self, key: str) -> Bonus | None:
        return next((e for e in read_bonuses(self._study.folder) if e.key == key), None)

    def _note(self, bonus: Bonus | None, key: str = "") -> None:
        """Puts a bonus in place of the one of its key; None takes that out."""
        gone = bonus.key if bonus is not None else key
        kept = [each for each in read_bonuses(self._study.folder) if each.key != gone]
        path = self._study.folder / BONUSES
        write_file(path, msgspec.json.format(msgspec.json.encode([*kept, *filter(None, [bonus])])))
        path.chmod(0o600)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        path = self._study.folder / LOCK
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{path} cannot be opened: {error}.") from error
        with hold_lock(lock):
            try:
                take_lock(lock, wait=True)
            except OSError as error:
                raise StoreError(f"{path} cannot be locked: {error}.") from error
            yield


def _require_trace(review: Review) -> None:
    if review.doubt == "no_trace":
        what = f"{review.submission}: no one took part in the study with this submission."
        raise UsageError(what, "Bonuses are for people who left a trace in the study.")
