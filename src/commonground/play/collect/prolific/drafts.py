"""A study as Prolific is told of it: its draft, made of ``study.toml``, and its course there."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.errors import FormatError, SourceError, UsageError
from commonground.files.outputs import write_file
from commonground.play.collect.prolific.api import ListedStudy, ProlificApi
from commonground.play.collect.setup.study import PROLIFIC, SETTINGS, Study

QUERY = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
"""What Prolific fills with its ids, at the end of the address of a study."""

HUNDRED = 100
"""Cents or pence of the amounts in ``study.toml``."""


class Made(msgspec.Struct, frozen=True):
    """What was made at Prolific for a study: ``prolific.json``."""

    study: str


def read_made(study: Study) -> str:
    """Returns the id at Prolific of a study.

    Raises:
        UsageError: none was made as yet.
        FormatError: the file that has it is damaged.
    """
    path = study.folder / PROLIFIC
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(
            f"{study.folder} has no study at Prolific.",
            f"`commonground collect prolific create` makes one, or write "
            f'{{"study": "ID"}} into {path} for one that you made on its pages.',
        ) from None
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.") from error
    try:
        return msgspec.json.decode(data, type=Made).study
    except msgspec.DecodeError as error:
        raise FormatError(f"{path}: {error}.", 'It is {"study": "ID of Prolific"}.') from error


def make_draft(study: Study) -> dict[str, Any]:
    """Returns what Prolific is told of a study.

    Raises:
        UsageError: ``study.toml`` does not say enough.
        SourceError: a file with ids cannot be read.
    """
    told, payment = study.settings.prolific, study.settings.payment
    if told is None:
        raise UsageError(
            f"{study.folder / SETTINGS} lacks what Prolific needs.",
            "Fill in [prolific]: title, description, address, places and minutes.",
        )
    reward = round(payment.amounts.get("full", 0) * HUNDRED)
    codes = {code for each in payment.codes.values() if (code := each)}
    wrong = {
        "recruiting.prolific is false": not study.settings.recruiting.prolific,
        "prolific.title is empty": not told.title.strip(),
        "prolific.description is empty": not told.description.strip(),
        "prolific.address does not begin with https://": not told.address.startswith("https://"),
        "prolific.places is less than 1": told.places < 1,
        "prolific.minutes is less than 1": told.minutes < 1,
        "prolific.devices names none": not told.devices,
        "payment.amounts.full is 0": reward <= 0,
        "payment.codes has no code for completed": not payment.codes.get("completed"),
        "payment.codes has one code twice": len(codes) < len(payment.codes),
    }
    found = [what for what, is_wrong in wrong.items() if is_wrong]
    if found:
        raise UsageError(f"{study.folder / SETTINGS}: {'; '.join(found)}.", "Correct it.")
    limits = {"custom_allowlist": told.allow, "custom_blocklist": told.block}
    return {
        "name": told.title.strip(),
        "internal_name": study.settings.name,
        "description": told.description.strip(),
        "external_study_url": told.address.rstrip("/") + "/" + QUERY,
        "prolific_id_option": "url_parameters",
        # Nobody is paid or refused by a code alone: a person looks first.
        "completion_codes": [
            {
                "code": code,
                "code_type": "COMPLETED" if way_out == "completed" else "OTHER",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
            for way_out, code in payment.codes.items()
            if code
        ],
        "total_available_places": told.places,
        "estimated_completion_time": told.minutes,
        "reward": reward,
        "device_compatibility": list(told.devices),
        "filters": [
            {"filter_id": name, "selected_values": _read_ids(study, file)}
            for name, file in limits.items()
            if file
        ],
        **({"project": told.project} if told.project else {}),
    }


def _read_ids(study: Study, name: str) -> list[str]:
    path = study.folder / name
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        advice = "It has one Prolific id per line."
        raise SourceError(f"{path}: {error}.", advice) from error
    ids = [line.strip() for line in lines if line.strip()]
    strange = [each for each in ids if not (each.isascii() and each.isalnum())]
    if strange or not ids:
        what = f"{strange[0]!r} is not an id of Prolific" if strange else "it names nobody"
        raise FormatError(f"{path}: {what}.", "Write one Prolific id per line.")
    return ids


def create_draft(study: Study, api: ProlificApi) -> ListedStudy:
    """Makes the draft of a study at Prolific, once; nobody sees it and it costs nothing.

    Raises:
        UsageError: it was made already, or ``study.toml`` does not say enough.
        ProlificError: Prolific refused it.
    """
    path = study.folder / PROLIFIC
    draft = make_draft(study)
    if path.exists():
        raise UsageError(
            f"{study.folder} has a study at Prolific already: {read_made(study)}.",
            f"Change it on Prolific's pages, or delete {path} to make another one.",
        )
    listed = api.create_study(draft)
    write_file(path, msgspec.json.encode(Made(listed.id)))
    path.chmod(0o600)
    return listed


def check_currency(study: Study, listed: ListedStudy) -> None:
    """Makes sure that Prolific pays in the currency that participants read of.

    Raises:
        UsageError: it pays in another.
    """
    own, theirs = study.settings.payment.currency, listed.presentment_currency_code
    if theirs and own != theirs:
        raise UsageError(
            f"Prolific pays this study in {theirs}, and participants read of {own}.",
            f"Set currency in [payment] of {study.folder / SETTINGS}, with the amounts.",
        )
