"""From where people come, as the addresses tell that platforms send them to; and the way back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from commonground.errors import UsageError
from commonground.play.collect.identities import Identity
from commonground.play.collect.setup.study import Recruiting, Study

LONGEST_ID = 100
"""Characters of an id of a platform."""

# What Mechanical Turk sends in place of an id while somebody only looks at a task.
_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_TURK_HOSTS = ("www.mturk.com", "workersandbox.mturk.com")
_PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
_SONA = ("sona_id",)
_MTURK = ("assignmentId", "hitId", "workerId", "turkSubmitTo")
# What stands in an address into which a platform or a program put nothing.
_UNFILLED = re.compile(
    r"\{\{.*\}\}|\$?\{.*\}|%7B%7B.*|%\w+%|XXX+|undefined|null|none|nan|\[object \w+\]",
    re.IGNORECASE,
)
_NOT_SERVED = "This study does not accept people from there."


class WayBack(msgspec.Struct, frozen=True):
    """How somebody returns to the platform: ``get`` is a link, ``post`` a form."""

    method: Literal["get", "post"]
    address: str
    fields: dict[str, str] = {}


def read_arrival(query: Mapping[str, str], rules: Recruiting) -> Identity | Literal["preview"]:
    """Reads who comes from the address that they came to.

    Returns:
        ``preview`` for a worker of Mechanical Turk who only looks.

    Raises:
        UsageError: the study takes nobody from there, or the address is not whole.
    """
    if "PROLIFIC_PID" in query:
        return _read_ids("prolific", query, _PROLIFIC, rules.prolific)
    if "assignmentId" in query:
        if query["assignmentId"] == _PREVIEW:
            if not rules.mturk:
                raise UsageError(_NOT_SERVED)
            return "preview"
        identity = _read_ids("mturk", query, _MTURK, rules.mturk)
        address = identity.details["turkSubmitTo"]
        parts = urlsplit(address)
        # The address came with the visitor, and the page will send a code there.
        if parts.scheme != "https" or parts.hostname not in _TURK_HOSTS:
            raise UsageError(f"{address!r} is not an address of Mechanical Turk.")
        return identity
    if "sona_id" in query:
        return _read_ids("sona", query, _SONA, rules.sona)
    if not rules.plain:
        raise UsageError(_NOT_SERVED, "Open the study from the platform that you found it on.")
    name = query.get("participant", "") if rules.external_id else ""
    return Identity("plain", _id(name) if name else "")


def sign_links(study: Study, names: Sequence[str], address: str) -> dict[str, str]:
    """Returns a link for each person that is named, which nobody can make up.

    Args:
        address: of the study, as they reach it.

    Raises:
        UsageError: the study knows no people by name, or a name cannot stand in an address.
        StoreError: the study's identities cannot be used.
    """
    rules = study.settings.recruiting
    if not (rules.plain and rules.external_id):
        raise UsageError(
            f"{study.folder} does not recruit by name.",
            "Set plain and external_id in [recruiting] of study.toml.",
        )
    with closing(study.open_identities()) as identities:
        return {
            name: f"{address.rstrip('/')}/?"
            + urlencode({"participant": name, "key": identities.link_key(name)})
            for name in map(_id, names)
        }


def _read_ids(
    platform: str, query: Mapping[str, str], names: tuple[str, ...], allowed: bool
) -> Identity:
    if not allowed:
        raise UsageError(_NOT_SERVED)
    found = {name: _id(query.get(name, "")) for name in names}
    missing = [name for name, value in found.items() if not value]
    if missing:
        advice = "Open the study from its platform again."
        raise UsageError(f"The address lacks {', '.join(missing)}.", advice)
    person = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "sona": "sona_id"}[platform]
    return Identity(platform, found.pop(person), found)


def _id(text: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_ID or not text.isprintable():
        raise UsageError("The address holds no id.", "Open the study from its platform again.")
    if is_unfilled(text):
        raise UsageError(
            f"{text!r} is a placeholder, not an id: the platform did not fill in the address.",
            "Copy the address of the study to the platform again, and try it there.",
        )
    return text


def is_unfilled(text: str) -> bool:
    """Says whether a text stands where an id was to be put in, such as ``{{%PROLIFIC_PID%}}``."""
    return _UNFILLED.fullmatch(text.strip()) is not None


def find_way_back(
    identity: Identity, code: str, rules: Recruiting, *, in_full: bool = True
) -> WayBack | None:
    """Returns how somebody gets back to the platform with a code; None where there is no way.

    Args:
        code: what the person brings back, by which the platform knows how it ended.
        in_full: whether the person is paid in full, without which SONA is not to grant credit.
    """
    if identity.platform == "prolific":
        # `urlencode` writes `=CODE`, of which the first character goes.
        return WayBack("get", rules.completion_url.replace("{code}", urlencode({"": code})[1:]))
    if identity.platform == "mturk":
        address = identity.details["turkSubmitTo"].rstrip("/") + "/mturk/externalSubmit"
        fields = {"assignmentId": identity.details["assignmentId"], "code": code}
        return WayBack("post", address, fields)
    if identity.platform == "sona" and in_full and is_sona_url(rules.sona_url):
        parts = urlsplit(rules.sona_url)
        fields = {**dict(parse_qsl(parts.query)), "survey_code": identity.platform_id}
        return WayBack("get", urlunsplit(parts._replace(query=urlencode(fields))))
    return None


def is_sona_url(address: str) -> bool:
    """Says whether an address is SONA's to grant credit by, as its page of a study shows it."""
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    named = ("experiment_id", "credit_token")
    return (
        parts.scheme == "https"
        and parts.path.endswith("/webstudy_credit.aspx")
        and all(query.get(each) and not is_unfilled(query[each]) for each in named)
        and "survey_code" in query
    )
