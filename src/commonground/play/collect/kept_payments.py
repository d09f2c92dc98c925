"""What people are still to be paid whose data were erased: ``payments.json``, the least it takes.

An amount, and by what its person is known to whoever pays: on a platform the person's id there,
elsewhere the receipt that the person has. Nothing in it leads to anything else in a study. It is
the researcher's to delete when all is paid.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec

from commonground.errors import FormatError
from commonground.files.outputs import write_file
from commonground.play.collect.exports.paying import reckon_pay
from commonground.play.collect.identities import Identities
from commonground.play.collect.orders import Order
from commonground.play.collect.setup.study import PAYMENTS, Study


class KeptPay(msgspec.Struct, frozen=True):
    """What somebody is paid whose data were erased.

    Attributes:
        number: drawn for the order to erase, so that nobody is noted twice for one.
        platform: ``plain``, ``prolific``, ``sona`` or ``mturk``.
        platform_id: empty for who came by a plain link.
        code: of Prolific, which its submission has; the person's receipt elsewhere.
        amount: of all that the person did, with bonuses that were noted.
    """

    number: str
    platform: str
    platform_id: str
    code: str
    amount: float
    currency: str


def read_kept(folder: Path) -> list[KeptPay]:
    """Returns what is kept in a folder of a study or of a backup.

    Raises:
        FormatError: the file is damaged.
    """
    path = folder / PAYMENTS
    if not path.is_file():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[KeptPay])
    except msgspec.DecodeError as error:
        advice = "It lists the pay of people whose data were deleted: repair it."
        raise FormatError(f"{path}: {error}.", advice) from error


def keep_pay(study: Study, order: Order, identities: Identities) -> None:
    """Notes what somebody is to be paid who is being erased, once for each order.

    Args:
        study: whose log still has all of the person, or nothing any more.

    Raises:
        CommongroundError: it cannot be noted, or the log cannot be read.
    """
    kept, payment = read_kept(study.folder), study.settings.payment
    with closing(study.open_log()) as log:
        pay = reckon_pay(log.read(), payment).get(order.pid)
    if pay is None or any(each.number == order.number for each in kept):
        return
    amount = pay.amount + pay.bonus
    if amount <= 0:
        return
    is_plain = order.platform == "plain"
    added = KeptPay(
        number=order.number,
        platform=order.platform,
        platform_id="" if is_plain else next(iter(order.names), ""),
        code=pay.code if order.platform == "prolific" else identities.receipt(order.pid),
        amount=amount,
        currency=payment.currency,
    )
    path = study.folder / PAYMENTS
    write_file(path, msgspec.json.format(msgspec.json.encode([*kept, added])))
    path.chmod(0o600)
