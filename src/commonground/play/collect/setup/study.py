"""The folder of a study: its settings, its consent texts, its material, its log.

::

    study.toml           settings; times, quotas, payment, words: all may be changed before serving
    consent/en.md        what people agree to, one file per language
    texts/en.toml        texts of one's own that replace those of the catalogue; need not be there
    material.json        what is played with, as the scenario prepared it from the images
    images/              the pictures in it; pictures.json has the hash of each
    log.sqlite           the event log; log.sqlite-last says how far it has come
    identities.sqlite    who the pseudonyms are: keep it apart, share it with nobody
    places.json          where exports and backups were written to
    payments.json        what people are still to be paid whose data were deleted
    prolific.json        the id of the study at Prolific, if it was made there by command
    bonuses.json         bonuses that were paid through Prolific, none of them by name
    erasing.json         people whose data are being deleted; there only until that is done
"""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import jinja2
import msgspec

from commonground.errors import FormatError, SourceError, StoreError, UsageError
from commonground.files.outputs import new_folder
from commonground.play.collect.events import LOBBY, ParticipantArrived
from commonground.play.collect.identities import Identities
from commonground.play.collect.log import EventLog
from commonground.play.collect.people import EXITS, Exit, PaymentClass
from commonground.play.collect.setup.partners import Models, check_models
from commonground.play.collect.setup.pictures import (
    HASHES,
    IMAGES,
    find_picture,
    keep_pictures,
    name_met,
    read_hashes,
    require_pictures,
)
from commonground.play.collect.setup.plan import StudyDefaults
from commonground.play.collect.setup.questions import Question, find_faults
from commonground.play.collect.setup.stock import (
    Stock,
    encode_stock,
    find_pictures,
    list_texts,
    read_stock,
)
from commonground.play.collect.setup.texts import DEFAULT, write_toml
from commonground.play.scenarios import get_scenario

VERSION = 1
"""Version of study folders; a folder of another one is refused."""

SETTINGS = "study.toml"
LOG = "log.sqlite"
IDENTITIES = "identities.sqlite"
MATERIAL = "material.json"
PLACES = "places.json"
FOR_ALL = ("consent", "texts")
"""Folders of a study with what the researcher wrote for everybody to read."""

ORDERS = "erasing.json"
PAYMENTS = "payments.json"
PROLIFIC = "prolific.json"
BONUSES = "bonuses.json"
LOCK = "lock.sqlite"


class _Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of ``study.toml``; a name that it does not know is an error."""


class Times(_Settings, frozen=True, kw_only=True):
    """Seconds after which something happens; see the comments of ``study.toml``.

    Attributes:
        heartbeat_s: between two questions whether a browser is still there.
        present_s: a person may be paired if seen in this time.
        absent_s: after which a person who gave no sign counts as absent.
        grace_s: that an absent person has to come back before the session ends.
        nudge_s: of silence of somebody whose move it is, until that person is asked to go on.
        tell_s: of such silence until the partner is told.
        offer_s: of such silence until the partner may end without penalty.
        close_s: of such silence until the session is closed.
        wait_s: in the waiting room until a paid exit is offered.
        lobby_s: until a person who goes no further before the first session counts as gone.
        session_s: that a session may last.
        ready_s: that people have to say that they are there when a partner was found, where
            ``ready_click`` asks for it.
    """

    heartbeat_s: float = 10
    present_s: float = 15
    absent_s: float = 30
    grace_s: float = 120
    nudge_s: float = 60
    tell_s: float = 90
    offer_s: float = 180
    close_s: float = 300
    wait_s: float = 300
    lobby_s: float = 3600
    session_s: float = 3600
    ready_s: float = 60


class Quotas(_Settings, frozen=True, kw_only=True):
    """How often, and how many.

    Attributes:
        sessions: that are wanted; None for as many as come.
        quiz_tries: that one person has to answer all questions right.
        roles: sessions that are wanted of the people whose link names a role (``?role=A``), who
            take that seat only; those of a role that is not there come without limit.
    """

    sessions: int | None = None
    sessions_each: int = 1
    quiz_tries: int = 2
    roles: dict[str, int] = {}


class WatchedWords(_Settings, frozen=True, kw_only=True):
    """Words of chat messages that are looked for, as whole words and whatever their case.

    Attributes:
        flag: shown to the researcher.
        warn: the author is asked to keep to the rules, and the researcher sees it.
        block: the message is not sent, and its author sees why.
    """

    flag: list[str] = []
    warn: list[str] = []
    block: list[str] = []


class Payment(_Settings, frozen=True, kw_only=True):
    """What is paid.

    Attributes:
        codes: that Prolific expects for each exit; people from elsewhere have their own receipts.
        unpaid: whether nobody is meant to be paid.
    """

    currency: str = "EUR"
    amounts: dict[PaymentClass, float] = {}
    classes: dict[Exit, PaymentClass] = {}
    codes: dict[Exit, str] = {}
    unpaid: bool = False

    def class_of(self, way_out: Exit) -> PaymentClass:
        """Returns the class of an exit."""
        return self.classes.get(way_out, EXITS[way_out])

    def amount_of(self, way_out: Exit) -> float:
        """Returns what an exit is paid."""
        return self.amounts.get(self.class_of(way_out), 0.0)

    def total_of(self, earned: Mapping[PaymentClass, int]) -> float:
        """Returns what somebody is paid in all who earned pay of each class so often."""
        return sum(self.amounts.get(group, 0.0) * times for group, times in earned.items())


class Recruiting(_Settings, frozen=True, kw_only=True):
    """From where people come.

    Attributes:
        plain: whether anybody with the link may take part.
        sona_url: SONA's completion address (client-side), as its page of the study shows it; who
            is paid in full is led there, which grants the credit.
        completion_url: where people of Prolific are sent back to; ``{code}`` is put in.
        external_id: whether a plain link may name its reader: ``?participant=...``.
        shared_browsers: whether somebody else may begin in a browser by a plain link, when whoever
            began there before is out, as in a laboratory.
        arrivals_per_hour: people that may come from one address of the network in an hour.
    """

    plain: bool = True
    prolific: bool = False
    mturk: bool = False
    sona: bool = False
    sona_url: str = ""
    completion_url: str = "https://app.prolific.com/submissions/complete?cc={code}"
    external_id: bool = True
    shared_browsers: bool = False
    arrivals_per_hour: int = 200


Device = Literal["desktop", "tablet", "mobile"]


class AtProlific(_Settings, frozen=True, kw_only=True):
    """What Prolific is told of a study that is made there by command.

    Attributes:
        address: of the study, as they reach it.
        places: people who may take part.
        allow: file in the study's folder with one Prolific id per line: only these may come;
            empty for all.
        block: likewise, of those who may not.
        project: id of the project at Prolific; empty for the account's own.
    """

    title: str = ""
    description: str = ""
    address: str = ""
    places: int = 0
    minutes: int = 0
    devices: list[Device] = msgspec.field(default_factory=lambda: ["desktop"])
    allow: str = ""
    block: str = ""
    project: str = ""


class Watch(_Settings, frozen=True, kw_only=True):
    """An estimate that is watched while the study runs, so that it may stop when it is sure enough.

    Attributes:
        measure: ``score``, the points of a game; ``words``, of its messages; ``alpha``, how far
            people agree who label.
        half_width: that the interval of 95 % is to come down to, in points, words or alpha.
        most: words that a dialogue may have; more count as this many.
        stop: whether nobody else begins once that is reached.
    """

    measure: Literal["score", "words", "alpha"]
    half_width: float
    most: float = 1000
    stop: bool = False


class Settings(_Settings, frozen=True, kw_only=True):
    """``study.toml``.

    Attributes:
        name: of the study, as participants see it.
        seed: decides who is paired with whom where the rules of pairing leave it open.
        languages: that participants may choose from; the first is the default.
        languages_meet: whether people may be partners whose pages are in different languages.
        images: folder of the pictures, absolute or below the study; empty for none.
        consent_version: of the consent texts; raise it when they change.
        model_partners: whether a partner may be a model, which the consent then says.
        contact: whom participants can ask.
        controller: who is responsible for the data, as the consent says.
        kept_years: how long data that is not published is kept, as the consent says; 0 where that
            is not said yet.
        warm_up: whether people try a page before the waiting room.
        device_check: whether browsers try what the study needs, after consent.
        least_width_px: of the window, for that check; 0 for as much as the pages need.
        ready_click: whether people who are paired have to say that they are there before the game
            begins; studies of earlier versions do not ask.
        models: None for people only.
        prolific: None where the study is not made there by command.
    """

    version: int
    name: str
    scenario: str
    seed: int
    languages: list[str] = msgspec.field(default_factory=lambda: ["en"])
    languages_meet: bool = False
    images: str = ""
    consent_version: str = "1"
    model_partners: bool = False
    contact: str = ""
    controller: str = ""
    kept_years: int = 0
    warm_up: bool = True
    device_check: bool = True
    least_width_px: int = 0
    ready_click: bool = False
    times: Times = msgspec.field(default_factory=Times)
    quotas: Quotas = msgspec.field(default_factory=Quotas)
    words: WatchedWords = msgspec.field(default_factory=WatchedWords)
    payment: Payment = msgspec.field(default_factory=Payment)
    recruiting: Recruiting = msgspec.field(default_factory=Recruiting)
    questions: list[Question] = []
    models: Models | None = None
    prolific: AtProlific | None = None
    watch: Watch | None = None


class Consent(msgspec.Struct, frozen=True):
    """What people agree to.

    Attributes:
        version: as the researcher numbers it.
        digest: SHA-256 of the text, so that which words were agreed to is beyond doubt.
        text: paragraphs with ``**bold**`` words, ``#`` headings and ``-`` lists.
    """

    version: str
    digest: str
    text: str


class Study:
    """A study's folder and its settings."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings

    @property
    def log_path(self) -> Path:
        """The event log, from which everything about the sessions can be worked out again."""
        return self.folder / LOG

    @property
    def identities_path(self) -> Path:
        """The file of who the pseudonyms are."""
        return self.folder / IDENTITIES

    @property
    def images(self) -> Path | None:
        """The folder of the pictures; None where there are none."""
        return self.folder / self.settings.images if self.settings.images else None

    def find_picture(self, name: str) -> Path | None:
        """Returns the file of a picture by its name in the material; None where there is none."""
        return find_picture(self.images, name) if self.images is not None else None

    def open_log(self, *, write: bool = False) -> EventLog:
        """Opens the event log.

        Raises:
            StoreError: it is missing, locked, damaged or of another version.
        """
        return EventLog.open(self.log_path, write=write)

    def open_identities(self) -> Identities:
        """Opens the file of who the pseudonyms are; a study that nobody came to may have none yet.

        Raises:
            StoreError: it cannot be used, or is missing though people came.
        """
        if not self.identities_path.is_file():
            with closing(self.open_log()) as log:
                came = any(isinstance(e.what, ParticipantArrived) for e in log.read(LOBBY))
            if came:
                raise StoreError(
                    f"{self.identities_path} is missing: it links the people in the "
                    f"log to their ids, links and receipts.",
                    "Restore it from your copy, or from a backup.",
                )
        return Identities(self.identities_path)

    def consent(self, language: str) -> Consent:
        """Returns the consent text of a language.

        Raises:
            SourceError: there is none.
            FormatError: its ``{% if model_partners %}`` or ``{% if alone %}`` parts are not
                well-formed, or partners may be models and no such part says so.
        """
        path = self.folder / "consent" / f"{language}.md"
        try:
            template = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{path}: {error}.", "Each language has a consent text.") from error
        alone = len(get_scenario(self.settings.scenario).rules.roles) == 1
        with_models, without = (
            self._render_consent(path, template, language, alone=alone, models=each)
            for each in (True, False)
        )
        # A text that reads the same in both cases says nothing of models, or says it to all.
        if self.settings.model_partners and not alone and with_models == without:
            raise FormatError(
                f"{path} does not say that a partner may be a model, and model_partners is true.",
                "Say so between `{% if model_partners %}` and `{% endif %}`.",
            )
        text = with_models if self.settings.model_partners else without
        # What was read is what counts, not the file with its conditions.
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Consent(self.settings.consent_version, digest, text)

    def _render_consent(
        self, path: Path, template: str, language: str, *, alone: bool, models: bool
    ) -> str:
        payment = self.settings.payment
        try:
            return _ENVIRONMENT.from_string(template).render(
                model_partners=models,
                contact=self.settings.contact,
                controller=self.settings.controller,
                kept_years=self.settings.kept_years,
                unpaid=payment.unpaid,
                pay=lambda way_out: write_money(payment, payment.amount_of(way_out), language),
                alone=alone,
            )
        except jinja2.TemplateError as error:
            raise FormatError(f"{path}: {error}.") from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps all others from serving the study or erasing from it.

        The lock goes with its process, however that ends.

        Raises:
            StoreError: another process has it.
        """
        # Not waited for: a server holds it for as long as a study runs.
        connection = sqlite3.connect(self.folder / LOCK, timeout=0)
        try:
            (self.folder / LOCK).chmod(0o600)
            # SQLite's lock works on every system that SQLite does, and a process that dies lets go
            # of it.
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            connection.close()
            raise StoreError(
                f"{self.folder} is being served already.",
                "Stop that server first; a person's data can be erased in its monitor, too.",
            ) from error
        try:
            yield
        finally:
            connection.close()

    @cached_property
    def stock(self) -> Stock:
        """What is played with.

        Raises:
            UsageError: there is no scenario of the study's name.
            SourceError: the file of the material cannot be read.
            FormatError: it holds none, or none of the scenario's.
        """
        scenario = get_scenario(self.settings.scenario)
        path = self.folder / MATERIAL
        stock = read_stock(path, scenario.rules.material, scenario.material_source())
        # A picture that lies in two sets is still one that somebody has seen.
        stock.met = name_met(stock.met, read_hashes(self.folder) or {})
        return stock

    def require_pictures(self) -> None:
        """Makes sure that the pictures are those that the study was made with.

        Raises:
            SourceError: pictures are gone, were changed, or cannot be shown.
            FormatError: the file of their hashes is damaged.
        """
        require_pictures(self.folder, self.images, self.stock.pictures)


def create_study(
    folder: Path,
    *,
    scenario: str,
    languages: Sequence[str],
    images: Path | None,
    material: Sequence[Any],
    defaults: StudyDefaults,
    write_beside: Callable[[Path], None] | None = None,
) -> Study:
    """Makes a study's folder, which must not be there, with copies of its pictures.

    Args:
        languages: of the texts; the consent text of one that has none here is to be translated.
        images: folder of the pictures; None for none, or for those that ``write_beside`` writes.
        write_beside: writes to the folder what goes with the material, such as invented pictures.

    Raises:
        UsageError: the folder is there and holds something, or a language is none.
        FormatError: a picture cannot be shown, or is the same as another of its game.
        SourceError: the folder cannot be written.
    """
    for language in languages:
        if not is_language(language):
            raise UsageError(
                f"{language!r} is not a language code.", "Codes look like en or pt-BR."
            )
    values = {
        "version": VERSION,
        "name": folder.resolve().name,
        "scenario": scenario,
        "seed": secrets.randbelow(2**31),
        "languages": list(languages),
        "times": msgspec.structs.replace(Times(), **defaults.times),
        "sessions_each": defaults.sessions_each,
        "pieces": get_scenario(scenario).assigner() is not None,
        # One for each exit, so that a platform can tell by the code who is to be paid.
        "codes": {each: _code() for each in EXITS},
        "classes": EXITS,
    }
    with new_folder(folder, "study", replaces=False, kept={}) as beside:
        if write_beside is not None:
            write_beside(beside)
        hashes = _keep_pictures(beside, scenario, images or beside / IMAGES, material)
        in_order = msgspec.json.encode(dict(sorted(hashes.items())))
        (beside / HASHES).write_bytes(msgspec.json.format(in_order))
        values["images"] = IMAGES if (beside / IMAGES).is_dir() else ""
        (beside / "consent").mkdir()
        settings = _ENVIRONMENT.get_template(SETTINGS).render(values)
        (beside / SETTINGS).write_text(settings, encoding="utf-8")
        for language in languages:
            text = _read_consent(language)
            (beside / "consent" / f"{language}.md").write_text(text, encoding="utf-8")
        (beside / MATERIAL).write_bytes(encode_stock(material))
        EventLog.create(beside / LOG).close()
        Identities(beside / IDENTITIES).close()
        # It will hold what people say, and who they are.
        for path in (beside, *beside.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
    return open_study(folder)


def _keep_pictures(
    beside: Path, scenario: str, source: Path, material: Sequence[Any]
) -> dict[str, str]:
    names = frozenset(find_pictures(encode_stock(material)))
    distinct = get_scenario(scenario).material_source().distinct
    games = (list_texts(msgspec.to_builtins(each)) for each in material) if distinct else ()
    # A text may name a picture more than once: what counts is whether two are one.
    together = ([each for each in dict.fromkeys(texts) if each in names] for texts in games)
    return keep_pictures(names, source, beside / IMAGES, together)


def open_study(folder: Path) -> Study:
    """Reads a study's settings.

    Raises:
        SourceError: there is no study in the folder.
        FormatError: its settings are of another version, or say something that means nothing.
    """
    path = folder / SETTINGS
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        advice = "`commonground collect new` makes a study."
        raise SourceError(f"{path}: {error.strerror}.", advice) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is not TOML: {error}.") from error
    if raw.get("version") != VERSION:
        raise FormatError(
            f"{path} is of version {raw.get('version')!r}; this commonground knows {VERSION}.",
            "Use the commonground that made the study, or make a new one.",
        )
    try:
        settings = msgspec.convert(raw, Settings)
    except msgspec.ValidationError as error:
        raise FormatError(f"{path}: {error}.") from error
    _check(path, settings)
    return Study(folder, settings)


def _check(path: Path, settings: Settings) -> None:
    """Looks for settings that are well-formed and make no sense."""
    times = settings.times
    # NaN and infinity are caught here too: neither is less than the upper end.
    wrong = [name for name in times.__struct_fields__ if not 0 < getattr(times, name) < 10**7]
    if wrong:
        raise FormatError(f"{path}: times.{wrong[0]} must be more than 0 seconds.")
    rising = ("nudge_s", "tell_s", "offer_s", "close_s")
    for earlier, later in pairwise(rising):
        if getattr(times, earlier) > getattr(times, later):
            raise FormatError(f"{path}: times.{earlier} is more than times.{later}.")
    if times.heartbeat_s >= min(times.present_s, times.absent_s):
        raise FormatError(
            f"{path}: times.heartbeat_s must be less than present_s and absent_s.",
            "Otherwise no one counts as present.",
        )
    if not settings.languages:
        raise FormatError(f"{path}: languages names none.")
    for language in settings.languages:
        if not is_language(language):
            raise FormatError(f"{path}: languages: {language!r} is not a language code.")
    if settings.quotas.sessions_each < 1 or settings.quotas.quiz_tries < 1:
        raise FormatError(f"{path}: quotas.sessions_each and quotas.quiz_tries are at least 1.")
    if settings.recruiting.arrivals_per_hour < 1:
        raise FormatError(f"{path}: recruiting.arrivals_per_hour is at least 1.")
    for role, wanted in settings.quotas.roles.items():
        if wanted < 1:
            raise FormatError(f"{path}: quotas.roles.{role} is at least 1.")
    if faults := find_faults(settings.questions, settings.languages):
        raise FormatError(f"{path}: questions: {'; '.join(faults)}.")
    if settings.watch is not None and not (
        0 < settings.watch.half_width < 10**7 and 0 < settings.watch.most < 10**7
    ):
        raise FormatError(f"{path}: watch.half_width and watch.most must be more than 0.")
    if settings.models is not None:
        check_models(path, settings.models, model_partners=settings.model_partners)


# As browsers name languages; files have their names.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def is_language(code: str) -> bool:
    """Says whether a text is the code of a language, such as ``en`` or ``pt-BR``."""
    return _LANGUAGE.fullmatch(code) is not None


def _read_consent(language: str) -> str:
    """Returns the consent text of a new study; in English where it is to be translated."""
    path = _TEMPLATES / f"consent.{language}.md"
    if path.is_file():
        return path.read_text(encoding="utf-8")
    text = (_TEMPLATES / f"consent.{DEFAULT}.md").read_text(encoding="utf-8")
    return f"[[Translate this text into {language!r}.]]\n\n{text}"


def write_money(payment: Payment, amount: float, language: str) -> str:
    """Writes an amount and its currency as people read it in a language; empty for nothing."""
    written = f"{amount:.2f}"
    if language.partition("-")[0] == "de":
        written = written.replace(".", ",")
    return f"{written} {payment.currency}" if amount else ""


_TEMPLATES = Path(__file__).parent / "templates"
_ENVIRONMENT = jinja2.Environment(  # noqa: S701 - plain texts, which pages escape
    loader=jinja2.FileSystemLoader(_TEMPLATES),
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
_ENVIRONMENT.filters["toml"] = write_toml


def _code() -> str:
    """Invents a code that nobody guesses, of letters and digits that nobody mistakes."""
    return "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))
