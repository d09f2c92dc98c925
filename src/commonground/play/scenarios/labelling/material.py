"""What is labelled: events of a corpus in the store that a query chooses, or invented ones.

``labelling.toml`` says what is asked, and of which events. People know neither the corpus nor its
files: a corpus may have a ``view/words.py`` whose ``say_action(dialogue, event)`` says in half a
sentence what was done; others' actions are said by their names and what they were given.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from commonground.corpora import get_corpus
from commonground.errors import FormatError, SourceError, StoreError, UsageError
from commonground.files.remote import is_remote
from commonground.findings import shorten
from commonground.model import Action, Dialogue, Object, Utterance, Withheld
from commonground.play.labelling.layers import LabelledUnit
from commonground.play.labelling.units import PEOPLE, YES_OR_NO, Candidate, ContextLine, check_unit
from commonground.play.phrase_files import load_beside
from commonground.play.scenario import MaterialSource
from commonground.printing import count_of
from commonground.store.corpus import Corpus
from commonground.store.label_files import EVENT, is_layer_name
from commonground.store.label_places import read_hashes
from commonground.store.layout.manifest import default_store, part_files
from commonground.store.opening import open_store
from commonground.store.pictures import Missing, PictureFolder
from commonground.view import write_leaves

NAME = "labelling.toml"
_ADVICE = "The page on labelling says what it holds: docs/how-to/label.md."
NEEDED = ("dialogue_id", "event")
OPTIONAL = ("candidate", "text", "picture", "gold")

_Say = Callable[[Dialogue, int], str | None]
_LONGEST = 300
"""Characters of an action that are shown."""

WITHHELD = "(The authors of the corpus do not publish what was said here.)"


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a study asks.

    Attributes:
        layer: name of the layer that the labels become.
        question: that people answer, of each candidate.
        query: SQL over the store, with a row for each candidate, or for each event where the
            question is about the event itself; or the name of a file beside this one that ends
            in ``.sql``.
        people: how many answer it for each event.
        context: events before it that are shown, too.
        store: folder of the store, as seen from this file, or its address such as
            ``s3://bucket/prefix``; None for ``$COMMONGROUND_STORE`` or ``./commonground-store``.
    """

    layer: str
    corpus: str
    question: str
    query: str
    answers: tuple[str, ...] = YES_OR_NO
    people: int = PEOPLE
    context: int = 6
    store: str | None = None


def read_plan(folder: Path) -> Plan:
    """Reads the plan of a study.

    Raises:
        SourceError: it, or the file that it names, cannot be read.
        FormatError: it is not TOML, lacks a field, has a strange one, or a value that is not
            allowed.
    """
    path = folder / NAME
    try:
        raw = tomllib.loads(_read_text(path))
        plan = msgspec.convert(raw, Plan, strict=True)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: {error}.", _ADVICE) from error
    for name, wrong in (
        ("layer", not is_layer_name(plan.layer)),
        ("question", not plan.question.strip()),
        ("people", plan.people < 1),
        ("context", plan.context < 0),
    ):
        if wrong:
            raise FormatError(f"{path}: {name} = {getattr(plan, name)!r} is not allowed.", _ADVICE)
    # A name of a file has one line; a query that happens to end so has more.
    if plan.query.endswith(".sql") and "\n" not in plan.query:
        return msgspec.structs.replace(plan, query=_read_text(folder / plan.query))
    return plan


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.", _ADVICE) from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not text in UTF-8: {error}.") from error


def read_material(folder: Path) -> list[LabelledUnit]:
    """Makes units of the events that the query of ``labelling.toml`` chooses, in its order.

    Raises:
        SourceError: a file cannot be read.
        StoreError: the corpus is not in the store, or the query is wrong.
        FormatError: the file, or a row that the query gives, is not as it must be; says where.
    """
    plan, path = read_plan(folder), folder / NAME
    corpus = _open(folder, plan)
    rows = _query(path, plan, corpus)
    maker = _Maker(plan, path, corpus)
    units = list(maker.units(rows))
    for number, unit in enumerate(units):
        for first in check_unit(unit):
            where = f"event {unit.event} of {unit.dialogue_id}, {first.path[1:]}"
            raise FormatError(
                f"{path}: unit {number}: {where}: expected {first.expected}, found {first.found}."
            )
    return units


def _open(folder: Path, plan: Plan) -> Corpus:
    store: str | Path = default_store()
    if plan.store is not None:
        store = plan.store if is_remote(plan.store) else folder / plan.store
    return open_store(store).corpus(plan.corpus)


def _query(path: Path, plan: Plan, corpus: Corpus) -> list[dict[str, Any]]:
    try:
        found = corpus.database.select(plan.query)
    except StoreError as error:
        raise StoreError(f"{path}: query: {error.message}", error.advice) from error
    known = (*NEEDED, *OPTIONAL)
    missing = [name for name in NEEDED if name not in found.columns]
    strange = [name for name in found.columns if name not in known]
    if missing or strange:
        wrong = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(strange)}"
        raise FormatError(
            f"{path}: query: the result {wrong}; its columns are {', '.join(found.columns)}.",
            f"It needs {' and '.join(NEEDED)}, and may have {', '.join(OPTIONAL)}.",
        )
    if not found.rows:
        advice = f"Try the query by itself: commonground sql QUERY --corpus {plan.corpus}"
        raise FormatError(f"{path}: query: the result has no rows.", advice)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


class _Maker:
    def __init__(self, plan: Plan, path: Path, corpus: Corpus) -> None:
        self._plan = plan
        self._path = path
        self._corpus = corpus
        self._pictures = PictureFolder(corpus.images)

    def units(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[LabelledUnit]:
        """Yields a unit for each event, in the order in which the rows name them first."""
        events: dict[tuple[str, int], list[tuple[int, Mapping[str, Any]]]] = {}
        for number, row in enumerate(rows):
            key = (self._text(number, row, "dialogue_id"), self._event(number, row))
            # With the number of the row, for messages.
            events.setdefault(key, []).append((number, row))
        ids = list(dict.fromkeys(dialogue_id for dialogue_id, _ in events))
        # A dialogue that is not there is named later, with its row.
        known = set(self._corpus.ids())
        part = self._corpus.select(ids=[each for each in ids if each in known])
        dialogues = {each.dialogue_id: each for each in part}
        hashes = read_hashes(
            part_files(self._corpus.store.path, self._corpus.manifest, "events"), dialogues
        )
        for (dialogue_id, event), chosen in events.items():
            dialogue = dialogues.get(dialogue_id)
            if dialogue is None or event >= len(dialogue.events):
                found = (
                    "no such dialogue"
                    if dialogue is None
                    else count_of(len(dialogue.events), "event")
                )
                where = f"event {event} of dialogue {dialogue_id!r}"
                self._refuse(chosen[0][0], f"expected {where}, found {found}")
            else:
                of = hashes[dialogue_id][event]
                yield self._make(dialogue, event, of, chosen)

    def _make(
        self,
        dialogue: Dialogue,
        event: int,
        of: str,
        chosen: Sequence[tuple[int, Mapping[str, Any]]],
    ) -> LabelledUnit:
        plan = self._plan
        objects = {each.object_id: each for each in dialogue.objects}
        first = max(0, event - plan.context)
        shown = range(first, event + 1)
        candidates = [self._candidate(number, row, objects) for number, row in chosen]
        answers = [self._gold(number, row) for number, row in chosen]
        gold = {each.id: answer for each, answer in zip(candidates, answers, strict=True)}
        if None in answers and any(answers):
            number = chosen[answers.index(None)][0]
            self._refuse(number, "gold: expected an answer, as its event's other rows have")
        return LabelledUnit(
            id=f"{dialogue.dialogue_id}:{event}",
            question=plan.question,
            context=tuple(self._line(dialogue, number, objects) for number in shown),
            candidates=tuple(candidates),
            answers=plan.answers,
            people=plan.people,
            corpus=plan.corpus,
            dialogue_id=dialogue.dialogue_id,
            event=event,
            layer=plan.layer,
            of=of,
            gold=gold if all(answers) else None,  # type: ignore[arg-type]
        )

    def _line(self, dialogue: Dialogue, number: int, objects: Mapping[str, Object]) -> ContextLine:
        event = dialogue.events[number]
        shown = [objects.get(each) for each in find_pictured(dialogue, number)]
        uris = [each.uri for each in shown if each is not None and each.uri is not None]
        text = describe_event(self._plan.corpus, dialogue, number)
        picture, lacks = self._find(uris[0] if uris else None)
        is_action = isinstance(event, Action)
        return ContextLine(event.speaker, text, picture, lacks, is_action)

    def _candidate(
        self, number: int, row: Mapping[str, Any], objects: Mapping[str, Object]
    ) -> Candidate:
        if row.get("candidate") is None:
            return Candidate(EVENT, str(row.get("text") or ""), *self._find(row.get("picture")))
        name = self._text(number, row, "candidate")
        known = objects.get(name)
        uri = row.get("picture") or (known.uri if known is not None else None)
        picture, lacks = self._find(uri)
        text = row.get("text") or (known.title if known is not None else None)
        # An id says something to people only where there is nothing else to tell by.
        return Candidate(name, str(text or ("" if picture else name)), picture, lacks)

    def _find(self, uri: str | None) -> tuple[str | None, bool]:
        """Returns the path of a picture below the image folder, and whether it is missing."""
        if uri is None:
            return None, False
        found = self._pictures.find(uri)
        return (None, True) if isinstance(found, Missing) else (found.name, False)

    def _gold(self, number: int, row: Mapping[str, Any]) -> str | None:
        answer = row.get("gold")
        if answer is not None and answer not in self._plan.answers:
            expected = f"one of {', '.join(self._plan.answers)}"
            self._refuse(number, f"gold: expected {expected}, found {answer!r}")
        return answer

    def _event(self, number: int, row: Mapping[str, Any]) -> int:
        event = row["event"]
        # True is an int to `isinstance`.
        if type(event) is not int or event < 0:
            self._refuse(number, f"event: expected a number from 0, found {event!r}")
        return int(event)

    def _text(self, number: int, row: Mapping[str, Any], name: str) -> str:
        if not isinstance(row[name], str):
            self._refuse(number, f"{name}: expected a text, found {row[name]!r}")
        return str(row[name])

    def _refuse(self, number: int, what: str) -> None:
        raise FormatError(f"{self._path}: query: row {number + 1}: {what}.")


def describe_event(corpus: str, dialogue: Dialogue, number: int) -> str:
    """Returns what is shown of an event: its words, or what was done."""
    event = dialogue.events[number]
    if isinstance(event, Utterance):
        return event.text
    if isinstance(event, Withheld):
        return WITHHELD
    say, given = _find_words(corpus), event.arguments
    said = say(dialogue, number) if say else None
    if not said:
        # By its name and what it was given: `find flights: city Rome`.
        if isinstance(given, dict):
            values = [(_space_out(name), write_leaves(value)) for name, value in given.items()]
            told = ", ".join(f"{name} {value}" for name, value in values if value)
        else:
            told = write_leaves(given)
        said = ": ".join(filter(None, [_space_out(event.name), told]))
    return shorten(said, _LONGEST)


def find_pictured(dialogue: Dialogue, number: int) -> list[str]:
    """Returns the ids of what is to be seen at an event: displayed with it, or acted on.

    What an utterance is grounded in is not among them, since that is what people are asked.
    """
    shown = [each.object_id for each in dialogue.displays if each.event == number]
    if isinstance(dialogue.events[number], Action):
        shown += [each.object_id for each in dialogue.groundings if each.event == number]
    return shown


@cache
def _find_words(corpus: str) -> _Say | None:
    try:
        entry = get_corpus(corpus)
    except UsageError:
        return None
    if not (entry.folder / "view" / "words.py").is_file():
        return None
    say: _Say = entry.module("view/words").say_action
    return say


def _space_out(name: str) -> str:
    """Returns the words that a name is made of: ``next page`` for ``NextPage``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_.]+", " ", name).strip().lower()


def find_pictures(folder: Path) -> Path | None:
    """Returns the image folder of the corpus that is labelled."""
    return _open(folder, read_plan(folder)).images


# Invented material: what somebody says, and whether it asks for a yes or a no.


class _Sayings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``phrases.toml`` holds: questions of two kinds, what is no question, who says it.

    Beside them what is asked of each line, and what scripted people write when they skip one.
    """

    question: str
    speakers: tuple[str, ...]
    things: tuple[str, ...]
    closed: tuple[str, ...]
    open: tuple[str, ...]
    plain: tuple[str, ...]
    skip: dict[str, tuple[str, ...]]


@cache
def load_phrases() -> _Sayings:
    """Returns what invented lines are made of, and what scripted people say of them."""
    return load_beside(__file__, "phrases.toml", _Sayings)


def invent_material(sessions: int, seed: int) -> list[LabelledUnit]:
    """Invents lines for about so many sessions; from a hundred on some have known answers."""
    known = sessions // 100
    # Three people for each unit; about an eighth of the sessions is for skips and known answers.
    wanted = max(1, int(sessions * 0.88 / 3))
    plain = [_invent(number, seed) for number in range(wanted)]
    gold = [_invent(wanted + number, seed) for number in range(known)]
    return plain + [msgspec.structs.replace(each, gold=each.known) for each in gold]


def _invent(number: int, seed: int) -> LabelledUnit:
    phrases, rng = load_phrases(), Random(f"{seed}:line:{number}")
    kind = rng.choice(("closed", "open", "plain"))
    speakers = rng.sample(phrases.speakers, 2)
    said = [rng.choice(getattr(phrases, rng.choice(("open", "plain")))) for _ in range(3)]
    said.append(rng.choice(getattr(phrases, kind)))
    lines = [
        ContextLine(speakers[at % 2], text.format(thing=rng.choice(phrases.things)))
        for at, text in enumerate(said)
    ]
    return LabelledUnit(
        id=f"invented-{number}:3",
        question=phrases.question,
        context=tuple(lines),
        candidates=(Candidate(EVENT, ""),),
        corpus="invented",
        dialogue_id=f"invented-{number}",
        event=3,
        layer="yes-no-questions",
        known={EVENT: "yes" if kind == "closed" else "no"},
    )


MATERIAL = MaterialSource(
    title=f"A folder with {NAME}, which names a query over a store and a question.",
    invent=invent_material,
    read=read_material,
    pictures=find_pictures,
)
