"""MPChat's released files: one file of threads per task, and two maps of image addresses.

No released file was at hand when this was written: the types follow the authors' description
(DATASET.md) and what their loaders read. Where the two leave something open, both forms are
accepted.
"""

from __future__ import annotations

from typing import Literal

from commonground.files.formats import FileFormat
from commonground.records import UNSET, Record, UnsetType

Task = Literal["nrp", "gpp", "si"]
Epoch = int | float | str
"""Seconds since 1970 in UTC; the description shows whole and decimal numbers and says text."""

LABELS = {3: "(strong) E", 2: "E", 1: "I", 0: "(strong) I"}
"""The label of an element, by how many of its three workers found the response entailed by it."""

CANDIDATES = 100
"""Options of every ranking, the right one first."""
MAX_PERSONAS = 5
"""Candidate elements of an author; without the one that a message is grounded on, one less."""

Vote = tuple[str, int]
"""A worker's id, and 1 where the worker found the response entailed by the element, else 0."""


class Persona(Record):
    """A persona element: a picture that its author once posted, with the title of the post.

    The fields that may be absent here are documented, but no loader reads them.

    Attributes:
        id: of the post on Reddit.
        author: user name of who posted it.
        title: of the post.
        file_name: the picture's, made of ``id`` and the last part of ``direct_url``.
        subreddit: where it was posted, without ``r/``.
        url: address that the post gives.
        score: of the post on Reddit.
        created_utcs: seconds since 1970. The same time has two names, often both in one file.
        created_utc: the other name.
        permalink: the post's path on Reddit.
        direct_url: address of the picture itself.
    """

    id: str
    author: str
    title: str
    file_name: str
    subreddit: str | UnsetType = UNSET
    url: str | UnsetType = UNSET
    score: int | UnsetType = UNSET
    created_utcs: Epoch | UnsetType = UNSET
    created_utc: Epoch | UnsetType = UNSET
    permalink: str | UnsetType = UNSET
    direct_url: str | UnsetType = UNSET


class LabelledPersona(Persona, kw_only=True):
    """A persona element that workers held against one message.

    ``label_overall`` is ``(strong) E``, ``E``, ``I`` or ``(strong) I``.
    """

    label_overall: str | UnsetType = UNSET
    label_per_worker: list[Vote] | UnsetType = UNSET


class Thread(Record, kw_only=True):
    """What all three task files say of a thread; the lists up to ``created_utcs`` are parallel.

    Attributes:
        subreddit: where the thread stands, without ``r/``.
        messages: the post, then the comments, each an answer to the one before it.
        message_ids: Reddit ids; the first is that of the post.
        main_author: the user whose persona is known and whose messages are asked about.
        authors: who wrote each message.
        created_utcs: when each was written, seconds since 1970.
        has_image: whether the post shows a picture.
        all_personas: every persona element of the main author.
        direct_url: address of the post's picture; may be null or absent where ``has_image`` is
            false.
        file_name: name of the picture's file; null or absent likewise.
    """

    subreddit: str
    messages: list[str]
    message_ids: list[str]
    main_author: str
    authors: list[str]
    created_utcs: list[Epoch | None]
    has_image: bool
    all_personas: list[Persona]
    direct_url: str | UnsetType | None = UNSET
    file_name: str | UnsetType | None = UNSET


class NrpThread(Thread, kw_only=True):
    """A thread of ``mpchat_nrp.json``: which response comes next?

    Three of the lists have one list per message, empty where it is not the main author's.

    Attributes:
        grounded_personas: elements that workers found the message grounded on.
        ungrounded_personas: elements that workers found it was not.
        candidate_personas: up to five of ``all_personas`` that a model is given.
        nrp_candidate_responses: 100 texts per message, the right one first; val and test only.
    """

    grounded_personas: list[list[LabelledPersona]]
    ungrounded_personas: list[list[LabelledPersona]]
    candidate_personas: list[Persona]
    nrp_candidate_responses: list[list[str]] | UnsetType = UNSET


class GppThread(Thread, kw_only=True):
    """A thread of ``mpchat_gpp.json``: which persona element is a message grounded on?

    Each list has one place per message: null or empty where there is nothing to predict.

    Attributes:
        gpp_grounded_persona: the element that is right.
        gpp_candidate_personas: up to four further elements of the main author, which a model is
            given.
        gpp_candidate_authors_candidate_personas: 100 elements of as many authors, the right one
            first; val and test only.
    """

    gpp_grounded_persona: list[LabelledPersona | None]
    gpp_candidate_personas: list[list[Persona]]
    gpp_candidate_authors_candidate_personas: list[list[Persona]] | UnsetType = UNSET


class SiThread(Thread, kw_only=True):
    """A thread of ``mpchat_si.json``: whose persona is it that the last message's author has?

    Only val and test have ``si_candidate_authors_candidate_personas``, a list per author.
    """

    si_main_author_candidate_personas: list[Persona]
    si_candidate_authors_candidate_personas: list[list[Persona]] | UnsetType = UNSET


def task_of(thread: Thread) -> Task:
    """Returns the task whose file a thread is from."""
    if isinstance(thread, NrpThread):
        return "nrp"
    return "gpp" if isinstance(thread, GppThread) else "si"


def thread_id(thread: Thread) -> str | None:
    """Returns an id that is unique over the three files; null where there is no message.

    Comments form a tree under their post, so a post and a last comment name one path in it. The
    same path may be repeated for another main author, and in each of the three files.
    """
    if not thread.message_ids:
        return None
    first, last = thread.message_ids[0], thread.message_ids[-1]
    return f"{task_of(thread)}-{first}-{last}-{thread.main_author}"


_YEARS_S = (-62_135_596_800, 253_402_300_799)
"""The first and the last second of the years 1 to 9999."""


def parse_time(created: Epoch | None) -> float | None:
    """Turns a released time into seconds since 1970, in UTC; None where it is none."""
    try:
        seconds = float("nan" if created is None else created)
    except (ValueError, OverflowError):
        return None
    return seconds if _YEARS_S[0] <= seconds <= _YEARS_S[1] else None


def image_file_name(native_id: str, url: str) -> str:
    """Returns the name under which the authors' script saves the image of a post."""
    # As `preprocess/download_images.py` of the authors does.
    return f"{native_id}_{url.rpartition('/')[2]}"


# By these a file of another name is known; the last one tells the tasks apart.
_COMMON_KEYS = frozenset({"messages", "message_ids", "authors", "main_author"})


def _threads(name: str, title: str, record: type[Thread], key: str) -> FileFormat:
    return FileFormat(
        name=name,
        title=title,
        pattern=rf"mpchat_{name}\.json",
        record=record,
        layout="splits",
        keys=_COMMON_KEYS | {key},
        role="main",
        dialogue_id=lambda thread, _document: thread_id(thread),
    )


FORMATS = (
    _threads("nrp", "next response prediction", NrpThread, "grounded_personas"),
    _threads("gpp", "grounding persona prediction", GppThread, "gpp_grounded_persona"),
    _threads("si", "speaker identification", SiThread, "si_main_author_candidate_personas"),
    FileFormat(
        name="dialog_urls",
        title="addresses of the images of posts",
        pattern=r"dialog_image_urls\.json",
        record=str,
        layout="map",
    ),
    FileFormat(
        name="persona_urls",
        title="addresses of the images of persona elements",
        pattern=r"persona_image_urls\.json",
        record=str,
        layout="map",
    ),
)
