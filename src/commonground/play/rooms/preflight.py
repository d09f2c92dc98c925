"""What has to be mended in a study before people come: each fault with what to do, all at once.

On the researcher's own machine a study may be tried as it is; to others it is served only when
nothing is left of these.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from commonground.errors import CommongroundError, FormatError
from commonground.files.outputs import new_file
from commonground.play.collect.people import EXITS
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.recruiting import is_sona_url, is_unfilled
from commonground.play.collect.setup.study import SETTINGS, Payment, Recruiting, Study
from commonground.play.collect.setup.texts import (
    DEFAULT,
    check_texts,
    find_missing,
    read_texts,
    write_untranslated,
)
from commonground.play.rooms.rendering import HERE, list_folders
from commonground.play.scenarios import get_scenario
from commonground.printing import count_of

PLACEHOLDER = re.compile(r"\[\[.*?\]\]", re.DOTALL)
"""What consent texts have where the researcher must say something."""

# What those of earlier versions had in its place.
_REPLACE = ("Replace this paragraph", "Ersetzen Sie diesen Absatz")
_NAMED = 5
_SHOWN = 3


class Remark(msgspec.Struct, frozen=True):
    """Something that has to be mended before people come; ``where`` is a file or a setting."""

    where: str
    what: str
    advice: str

    def __str__(self) -> str:
        """Returns it as a line."""
        return f"{self.where}: {self.what} {self.advice}".strip()


def list_remarks(study: Study) -> list[Remark]:
    """Returns all that has to be mended in a study before people come.

    Raises:
        CommongroundError: the scenario of the study, or the texts of its pages, cannot be read.
    """
    what = "There is no contact for participants."
    no_contact = Remark("contact", what, f"Set contact in {SETTINGS}.")
    return [
        *(
            each
            for language in study.settings.languages
            for each in _check_consent(study, language)
        ),
        *([] if study.settings.contact.strip() else [no_contact]),
        *_check_payment(study.settings.payment),
        *_check_recruiting(study.settings.recruiting, study.settings.payment),
        *_check_texts(study),
        *_try(study.require_pictures, study.folder.name),
    ]


def require_ready(study: Study) -> None:
    """Makes sure that nothing is left to be mended before people come.

    Raises:
        FormatError: something is left.
    """
    remarks = list_remarks(study)
    if remarks:
        named = [str(each) for each in remarks[:_SHOWN]]
        more = len(remarks) - len(named)
        named += [f"And {more:,} more."] if more > 0 else []
        raise FormatError(
            f"{study.folder} is not ready for other people. {' '.join(named)}",
            "`commonground collect preflight` lists everything to fix. On this "
            "machine the study is served all the same.",
        )


def _try(call: Callable[[], object], where: str) -> Iterator[Remark]:
    try:
        call()
    except CommongroundError as error:
        yield Remark(where, error.message, error.advice or "")


def _check_consent(study: Study, language: str) -> Iterator[Remark]:
    where = f"consent/{language}.md"
    try:
        text = study.consent(language).text
    except CommongroundError as error:
        yield Remark(where, error.message, error.advice or "")
        return
    if not text.strip():
        yield Remark(where, "The text is empty.", "Write what people agree to.")
    for placeholder in PLACEHOLDER.findall(text):
        yield Remark(where, "Something is still to be filled in.", placeholder.strip("[]"))
    for line in text.splitlines():
        if any(each in line for each in _REPLACE):
            yield Remark(where, "Something is still to be filled in.", line.strip("* "))


def _check_payment(payment: Payment) -> Iterator[Remark]:
    for group, amount in payment.amounts.items():
        if amount < 0 or not math.isfinite(amount):
            yield Remark(f"payment.amounts.{group}", f"{amount:g} cannot be paid.", "Correct it.")
        elif amount and payment.unpaid:
            what = f"{amount:g} is paid, and unpaid is true."
            yield Remark(f"payment.amounts.{group}", what, "Set one of them.")
    if payment.unpaid:
        return
    ways = {group: [e for e in EXITS if payment.class_of(e) == group] for group in EXITS.values()}
    for group in ("full", "partial"):
        # What is not a number, or less than nothing, is named above.
        if ways[group] and not payment.amounts.get(group, 0):
            yield Remark(
                f"payment.amounts.{group}",
                f"0 is paid for {', '.join(ways[group])}.",
                "Set it; or unpaid = true in [payment], if taking part is not paid.",
            )


def _check_recruiting(rules: Recruiting, payment: Payment) -> Iterator[Remark]:
    if not (rules.plain or rules.prolific or rules.mturk or rules.sona):
        advice = "Set plain, prolific, sona or mturk to true."
        yield Remark("recruiting", "Nobody may come.", advice)
    if rules.sona and not is_sona_url(rules.sona_url):
        what = f"{rules.sona_url!r} is not a completion address of SONA."
        advice = (
            "Copy the client-side one from SONA's page of the study: "
            "https://.../webstudy_credit.aspx?experiment_id=...&credit_token=...&survey_code=XXXX"
        )
        yield Remark("recruiting.sona_url", what, advice)
    if not rules.prolific:
        return
    parts = rules.completion_url.partition("{code}")
    if not parts[1] or any(map(is_unfilled, re.split(r"[?&=]", parts[0] + parts[2]))):
        what = f"{rules.completion_url!r} does not lead back with a code."
        yield Remark("recruiting.completion_url", what, "Write {code} where the code belongs.")
    lacking = [each for each in EXITS if not payment.codes.get(each)]
    if lacking:
        what = f"There is no code for {', '.join(lacking)}."
        advice = "Prolific tells ways out apart by their codes; each of these needs one."
        yield Remark("payment.codes", what, advice)


def _check_texts(study: Study) -> Iterator[Remark]:
    folders, own = list_text_folders(study), study.folder / "texts"
    english = read_texts(DEFAULT, folders)
    for path in sorted(own.glob("*.toml")):
        where, language = f"texts/{path.name}", path.stem
        if language not in study.settings.languages:
            what = f"The study has no language {language!r}."
            yield Remark(where, what, f"Name it in languages of {SETTINGS}, or delete the file.")
            continue
        try:
            texts = read_texts(language, [own])
        except CommongroundError as error:
            yield Remark(where, error.message, error.advice or "")
            continue
        known = {**english, **read_texts(language, folders)}
        for fault in check_texts(texts, known):
            yield Remark(f"{where}, {fault.name}", f"It {fault.what}", "")
    for language in study.settings.languages:
        try:
            missing = find_missing(read_texts(language, [*folders, own]), english)
        except CommongroundError:
            continue  # named above
        if missing:
            named = ", ".join(missing[:_NAMED]) + (" ..." if len(missing) > _NAMED else "")
            what = f"{count_of(len(missing), 'text')} of {len(english):,} are missing: {named}."
            advice = f"They are shown in English. Translate them in texts/{language}.toml."
            yield Remark(f"language {language}", what, advice)


def list_text_folders(study: Study) -> list[Path]:
    """Returns the folders with the texts of a study's pages, but for the study's own."""
    room = get_scenario(study.settings.scenario).room
    return [HERE / "texts", *list_folders(room, read_plan(room))]


def offer_translation(study: Study) -> list[Path]:
    """Writes the pages' texts to be translated for each language without any; returns the files."""
    folders, written = list_text_folders(study), []
    english = read_texts(DEFAULT, folders)
    for language in study.settings.languages:
        if not read_texts(language, folders):
            path = study.folder / "texts" / f"{language}.toml"
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with new_file(path) as staged:
                staged.write_text(write_untranslated(english, language), encoding="utf-8")
                staged.chmod(0o600)
            written.append(path)
    return written
