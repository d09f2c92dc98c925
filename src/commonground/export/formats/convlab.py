"""ConvLab-3's unified format, a data set per corpus.

What it must be is said by ``data/unified_datasets/README.md`` of ConvLab-3 and enforced by
``check.py`` beside it, which is meant by "ConvLab's checker" below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from commonground import __version__
from commonground.corpora import Manifest
from commonground.export.dialogue_rows import DialogueRows, Row, read_dialogues, read_objects
from commonground.export.files import UNSPLIT, fill_template, format_json
from commonground.export.format import Export, Option
from commonground.export.loss import Carried, Feature, Loss, carry_all
from commonground.export.point_of_view import choose_speaker, refuse_speaker
from commonground.export.selection import Selection, quote
from commonground.model import Speaker

_VALIDATION = ("validation", "valid", "val", "dev")
_TABLES = ("spans", "acts", "states", "outcomes")
_DUMMIES = 10
"""Dialogues of ``dummy_data.json``, which people look at first."""

_JOINED_BY = " "
"""Stands between utterances that are made one turn."""

_FLAGS = ("true", "false")

_SAMPLE = 10
"""Values that are named for a slot; they are examples, as no corpus declares a closed list."""


_FEATURES = {
    "acts said twice": Feature(
        "Two layers say the same of an utterance; it is written once.", ("acts",)
    ),
    "actions of who says nothing": Feature(
        "An action stands on a turn of its speaker, who has none.", ("events",)
    ),
    "annotations of actions": Feature(
        "Acts and states are those of utterances.", ("spans", "acts", "states")
    ),
    "annotations of no event": Feature(
        "Acts and states stand on a turn, and there is no such event.", ("acts", "states")
    ),
    "dialogues without the speaker": Feature(
        "Nobody there is called as `--as` says.", ("dialogues",)
    ),
    "dialogues without utterances": Feature(
        "ConvLab's checker refuses dialogues without turns.", ("dialogues",)
    ),
    "places of spans": Feature(
        "Another text stands there, which ConvLab's checker refuses; the span is written without "
        "a place."
    ),
    "slots without a value": Feature(
        "A state has every slot, and an empty value for each of which nothing is known.",
        ("states",),
    ),
    "states of other frames": Feature(
        "A state has one value per slot: that of the active frame.", ("states",)
    ),
    "states of the system": Feature("Only turns of the user may have a state.", ("states",)),
    "states that are no slots with values": Feature(
        "Requests, comparisons and facts about objects.", ("states",)
    ),
    "states within a turn": Feature(
        "A turn has one state: that after its last utterance.", ("states",)
    ),
    "values said twice": Feature("A state names each value of a slot once.", ("states",)),
    "values ruled out": Feature("A state has no place for what a user does not want.", ("states",)),
}

Act = dict[str, Any]
"""A dialogue act as ConvLab has it: intent, domain, slot, and a value unless it is binary."""

Acts = dict[str, list[Act]]
"""The acts of a turn by kind: categorical, non-categorical, binary."""

Count = Callable[[str, int, int], None]
"""Counts a loss: its name, how many, and the event where."""

_encode = msgspec.json.Encoder().encode


def write(selection: Selection, out: Path, *, as_: str | None) -> Loss:
    """Writes ``CORPUS/data.zip`` and what belongs beside it.

    Args:
        selection: the dialogues.
        out: a new, empty folder.
        as_: label of the speaker who is the system; None for the assistant, or the first.

    Raises:
        UsageError: nobody has the name that is asked for.
    """
    loss = Loss(_FEATURES)
    written = 0
    for corpus in selection.corpora:
        name = re.sub(r"\W", "_", corpus)
        (out / name).mkdir()
        dataset = _Dataset(selection, corpus, name, as_, loss)
        with ZipFile(out / name / "data.zip", "w", ZIP_DEFLATED) as archive:
            dataset.write(archive, out / name)
        written += sum(dataset.summary.dialogues.values())
    if not written and as_:
        raise refuse_speaker(selection, as_)
    return loss


class Summary(msgspec.Struct):
    """Dialogues and turns by split, and the released name of each split."""

    dialogues: dict[str, int] = {}
    turns: dict[str, int] = {}
    released: dict[str, str | None] = {}

    def add(self, split: str, released: str | None, turns: int) -> None:
        """Counts a dialogue.

        Args:
            split: its split.
            released: name of the split as released; None for no split.
            turns: how many turns it has.
        """
        self.dialogues[split] = self.dialogues.get(split, 0) + 1
        self.turns[split] = self.turns.get(split, 0) + turns
        self.released[split] = released


class _Dataset:
    """Writes one corpus.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        name: of the data set, which ConvLab imports as a module.
        wanted: label of the speaker who is the system; None for the assistant, or the first.
        loss: counts what is not written.
    """

    def __init__(
        self, selection: Selection, corpus: str, name: str, wanted: str | None, loss: Loss
    ) -> None:
        self._selection = selection
        self._corpus = corpus
        self._name = name
        self._wanted = wanted
        self._loss = loss
        self._ontology = Ontology(
            selection.manifests[corpus].title, find_state_slots(selection, corpus)
        )
        manifest = selection.store.manifests[corpus]
        self._spans_are_acts = not manifest.counts.get("acts")
        self._splits = legal_splits(manifest.splits)
        self._numbers: Counter[str] = Counter()
        self.summary = Summary()

    def write(self, archive: ZipFile, folder: Path) -> None:
        """Writes the archive, and the files beside it."""
        dummies = []
        with archive.open("data/dialogues.json", "w", force_zip64=True) as file:
            for number, dialogue in enumerate(self._dialogues()):
                text = _encode(dialogue)
                file.write((b",\n" if number else b"[\n") + text)
                if number < _DUMMIES:
                    dummies.append(msgspec.Raw(text))
            file.write(b"\n]\n" if dummies else b"[]\n")
        archive.writestr("data/ontology.json", format_json(self._ontology.to_json()))
        entities = list(list_entities(read_objects(self._selection, self._corpus)))
        if entities:
            archive.writestr("data/database.json", _encode(entities))
            database = fill_template("convlab/database.py.txt")
            (folder / "database.py").write_text(database, encoding="utf-8")
        (folder / "dummy_data.json").write_bytes(format_json(dummies))
        manifest = self._selection.manifests[self._corpus]
        readme = render_readme(manifest, self.summary, has_database=bool(entities))
        (folder / "README.md").write_text(readme, encoding="utf-8")
        preprocess = fill_template("convlab/preprocess.py.txt", corpus=self._corpus)
        (folder / "preprocess.py").write_text(preprocess, encoding="utf-8")

    def _dialogues(self) -> Iterator[Row]:
        for dialogue in read_dialogues(self._selection, self._corpus, _TABLES):
            made = self._make(dialogue)
            if made is not None:
                yield made

    def _make(self, dialogue: DialogueRows) -> Row | None:
        def count(name: str, number: int, event: int) -> None:
            self._loss.add(name, f"{self._corpus}/{dialogue.dialogue_id} event {event}", number)

        system = choose_speaker([Speaker(**row) for row in dialogue.speakers], self._wanted)
        if system is None:
            self._loss.leave_out(
                "dialogues without the speaker", self._corpus, dialogue.dialogue_id
            )
            return None
        domain = dialogue.row.get("domain", self._corpus)
        turns = Turns(
            dialogue,
            system.speaker,
            domain,
            self._ontology,
            spans_are_acts=self._spans_are_acts,
            count=count,
        )
        self._ontology.add_domain(domain)
        made = turns.make()
        if not made:
            self._loss.leave_out("dialogues without utterances", self._corpus, dialogue.dialogue_id)
            return None
        return self._describe(dialogue, domain, made)

    def _describe(self, dialogue: DialogueRows, domain: str, turns: list[Row]) -> Row:
        split = self._splits[dialogue.row.get("split", "")]
        number = self._numbers[split]
        self._numbers[split] += 1
        self.summary.add(split, dialogue.row.get("split"), len(turns))
        known = {name: value for name, value in dialogue.row.items() if name != "split"}
        if "split" in dialogue.row:
            known["original_split"] = dialogue.row["split"]
        return {
            "dataset": self._name,
            "data_split": split,
            "dialogue_id": f"{self._name}-{split}-{number}",
            "original_id": dialogue.dialogue_id,
            "domains": [domain],
            "goal": {"description": _instructions(dialogue.row), "inform": {}, "request": {}},
            "turns": turns,
            "speakers": dialogue.speakers,
            **known,
            **self._unplaced(dialogue),
        }

    def _unplaced(self, dialogue: DialogueRows) -> dict[str, list[Row]]:
        """Returns what belongs to no event; acts and states must stand on a turn."""
        rows = dict(dialogue.annotated_at(None))
        for name in ("acts", "states"):
            where = f"{self._corpus}/{dialogue.dialogue_id}"
            self._loss.add("annotations of no event", where, len(rows.pop(name, ())))
        return rows


def legal_splits(released: Iterable[str]) -> dict[str, str]:
    """Returns splits as ConvLab names them: no hyphens, and one of them ``validation``."""
    names = {name: re.sub(r"\W", "_", name) if name else UNSPLIT for name in released}
    first = next((name for name in _VALIDATION if name in names), None)
    if first is not None:
        names[first] = "validation"
    return names


def _instructions(row: Row) -> str:
    """Returns what the user was told to do, where the corpus has it."""
    found = msgspec.json.decode(row.get("attributes", b"null"))
    text = found.get("instructions") if isinstance(found, dict) else None
    return text if isinstance(text, str) else ""


class Turns:
    """Makes the turns of one dialogue.

    Args:
        dialogue: the dialogue.
        system: label of the speaker who is the system; all others are the user.
        domain: domain of everything in it.
        ontology: learns what occurs.
        spans_are_acts: take spans for acts, where a corpus has no others.
        count: counts losses.
    """

    def __init__(
        self,
        dialogue: DialogueRows,
        system: str,
        domain: str,
        ontology: Ontology,
        *,
        spans_are_acts: bool,
        count: Count,
    ) -> None:
        self._dialogue = dialogue
        self._system = system
        self._domain = domain
        self._ontology = ontology
        self._spans_are_acts = spans_are_acts
        self._count = count

    def make(self) -> list[Row]:
        """Returns the turns; none where nothing is said."""
        said = [event for event in self._dialogue.events if event["kind"] == "utterance"]
        turns = [
            self._make_turn(number, side, list(events))
            for number, (side, events) in enumerate(groupby(said, self._side))
        ]
        if turns:
            for event in self._dialogue.events:
                if event["kind"] != "utterance":
                    self._place_action(event, turns)
        return turns

    def _side(self, event: Row) -> str:
        return "system" if event["speaker"] == self._system else "user"

    def _make_turn(self, number: int, side: str, events: list[Row]) -> Row:
        acts: Acts = {"categorical": [], "non-categorical": [], "binary": []}
        spans: list[Row] = []
        offset = 0
        for event in events:
            # Which utterance of several it was would else not be known.
            origin = {"event": event["event"]} if len(events) > 1 else {}
            moved = [origin | _move(span, offset) for span in self._rows(event, "spans")]
            spans += moved
            self._add_acts(event, acts, moved if self._spans_are_acts else [], origin, offset)
            offset += len(event["text"]) + len(_JOINED_BY)
        text = _JOINED_BY.join(event["text"] for event in events)
        self._check_spans(text, acts["non-categorical"], events)
        turn = {
            "speaker": side,
            "utterance": text,
            "utt_idx": number,
            "dialogue_acts": acts,
            "events": _facts(events),
        }
        if spans:
            turn["spans"] = spans
        for kind, listed in acts.items():
            self._ontology.add_acts(kind, listed, side)
        if side == "user":
            with_states = [event for event in events if self._rows(event, "states")]
            turn["state"] = self._state(with_states)
            if turn["state"] and len(events) > 1:
                turn["state_event"] = with_states[-1]["event"]
        else:
            turn["db_results"] = {}
            for event in events:
                states = self._rows(event, "states")
                self._count("states of the system", len(states), event["event"])
        return turn

    def _rows(self, event: Row, table: str) -> list[Row]:
        return self._dialogue.annotated_at(event["event"]).get(table, [])

    def _add_acts(
        self,
        event: Row,
        acts: Acts,
        spans: list[Row],
        origin: Row,
        offset: int,
    ) -> None:
        """Adds the acts of an utterance; what two layers say alike is written once.

        Args:
            event: the utterance.
            acts: acts of the turn by kind, which are added to.
            spans: spans to be taken for acts.
            origin: what says which utterance of the turn it is.
            offset: characters of the turn before the utterance.
        """
        known: dict[Any, set[Any]] = {}
        found = self._rows(event, "acts")
        places = find_places(event["text"], found)
        for act in [
            *(self._act(row, places, offset) for row in found),
            *map(self._act_of_span, spans),
        ]:
            key = tuple(act.get(name) for name in ("intent", "slot", "value", "start"))
            about = act.get("frame"), act.get("relation")
            others = known.setdefault(key, set())
            if about in others or (others and about == (None, None)):
                self._count("acts said twice", 1, event["event"])
                continue
            others.add(about)
            acts["non-categorical" if "value" in act else "binary"].append(act | origin)

    def _act(self, row: Row, places: dict[str, tuple[int, int]], offset: int) -> Act:
        act = {"intent": row["act"], "domain": self._domain, "slot": row.get("slot", "")}
        act |= {name: row[name] for name in ("value", "frame", "relation") if name in row}
        if is_said(row) and row["value"] in places:
            start, end = places[row["value"]]
            act |= {"start": start + offset, "end": end + offset}
        return act

    def _act_of_span(self, row: Row) -> Act:
        return {
            "intent": "inform",
            "domain": self._domain,
            "slot": row["label"],
            "value": row["text"],
            "start": row["start_char"],
            "end": row["end_char"],
        }

    def _check_spans(self, text: str, acts: list[Act], events: list[Row]) -> None:
        """Takes away places where another text stands; ConvLab refuses them."""
        for act in acts:
            if "start" in act and text[act["start"] : act["end"]] != act["value"]:
                del act["start"], act["end"]
                self._count("places of spans", 1, events[0]["event"])

    def _state(self, with_states: list[Row]) -> dict[str, dict[str, str]]:
        """Returns the state after the last utterance that has one, all slots filled or empty."""
        slots = self._ontology.states.get(self._domain)
        if not slots or not with_states:
            for event in with_states:
                others = len(self._rows(event, "states"))
                self._count("states that are no slots with values", others, event["event"])
            return {}
        *earlier, last = with_states
        for event in earlier:
            self._count("states within a turn", len(self._rows(event, "states")), event["event"])
        values: dict[str, dict[str, None]] = {}
        for row in self._rows(last, "states"):
            reason = _misfit(row)
            if reason:
                self._count(reason, 1, last["event"])
            elif "value" not in row:
                self._count("slots without a value", 1, last["event"])
            else:
                known = values.setdefault(row["slot"], {})
                self._count("values said twice", row["value"] in known, last["event"])
                known[row["value"]] = None
                self._ontology.add_value(self._domain, row["slot"], row["value"])
        return {self._domain: {slot: "|".join(values.get(slot, ())) for slot in slots}}

    def _place_action(self, event: Row, turns: list[Row]) -> None:
        """Puts an action on the turn of its speaker that it belongs to, or is nearest."""
        for table in ("spans", "acts", "states"):
            count = len(self._rows(event, table))
            self._count("annotations of actions", count, event["event"])
        side = self._side(event)
        turn = _nearest(turns, event["event"], side)
        if turn is None:
            self._count("actions of who says nothing", 1, event["event"])
            return
        turn.setdefault("actions", []).append(event)
        if side == "system" and "result" in event:
            found = msgspec.json.decode(event["result"])
            listed = found if isinstance(found, list) else [found]
            entities = [e if isinstance(e, dict) else {"result": e} for e in listed]
            turn["db_results"].setdefault(self._domain, []).extend(entities)


def find_places(text: str, acts: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """Finds where the values of acts stand in the text that they were annotated in.

    Corpora such as Frames release values without places. A value has one where it stands in the
    text just once, as words of its own, and only one slot has it: nothing is guessed.

    Args:
        text: the utterance.
        acts: rows of its acts.

    Returns:
        Start and end, in code points, by value.
    """
    slots: dict[str, set[str | None]] = {}
    for row in filter(is_said, acts):
        slots.setdefault(row["value"], set()).add(row.get("slot"))
    places = {}
    for value, of_slots in slots.items():
        at = _find_words(text, value)
        if len(of_slots) == 1 and len(at) == 1:
            places[value] = at[0], at[0] + len(value)
    return places


def is_said(act: Row) -> bool:
    """Says whether an act has a value that can stand in a text: no flag, no number of a frame."""
    return bool(act.get("value")) and act["value"] not in _FLAGS and act.get("relation") != "id"


def _find_words(text: str, words: str) -> list[int]:
    """Returns where words stand in a text with no letter or digit beside them."""
    found = []
    at = text.find(words)
    while at >= 0:
        beside = text[at - 1 : at] + text[at + len(words) : at + len(words) + 1]
        if not any(map(str.isalnum, beside)):
            found.append(at)
        at = text.find(words, at + 1)
    return found


def _facts(events: list[Row]) -> list[Row]:
    """Returns what else is known of utterances; their own texts where there are several."""
    left_out = {"kind", "text"} if len(events) == 1 else {"kind"}
    return [{name: e[name] for name in e if name not in left_out} for e in events]


def _move(span: Row, offset: int) -> Row:
    start, end = span["start_char"] + offset, span["end_char"] + offset
    return {**span, "start_char": start, "end_char": end}


def _misfit(row: Row) -> str | None:
    """Says why a row of a state has no place in ConvLab's, if so."""
    if row["kind"] != "info" or "slot" not in row:
        return "states that are no slots with values"
    if row.get("active") is False:
        return "states of other frames"
    return "values ruled out" if row.get("negated") else None


def _nearest(turns: list[Row], event: int, side: str) -> Row | None:
    """Returns the turn around an action, else the next, else the nearest of its speaker."""
    mine = [turn for turn in turns if turn["speaker"] == side]
    before = [turn for turn in turns if turn["events"][0]["event"] < event]
    if before and before[-1]["speaker"] == side:
        return before[-1]
    after = turns[len(before) :]
    if after and after[0]["speaker"] == side:
        return after[0]
    earlier = [turn for turn in before if turn["speaker"] == side]
    return next(iter([*reversed(earlier), *mine]), None)


def list_entities(objects: Iterator[tuple[str, Row]]) -> Iterator[dict[str, Any]]:
    """Yields objects as a database has them: attributes side by side with what each is.

    Attributes that are no names with values, or are named as ours are, stay together, too.
    """
    for key, row in objects:
        facts = {"object_id": key, **row}
        attributes = msgspec.json.decode(facts.pop("attributes", b"null"))
        if isinstance(attributes, dict):
            fitting = {name: value for name, value in attributes.items() if name not in facts}
            facts |= fitting
            attributes = attributes if len(fitting) < len(attributes) else None
        yield facts if attributes is None else {**facts, "attributes": attributes}


class _Uses(msgspec.Struct):
    """Which of the two sides use an act."""

    user: bool = False
    system: bool = False


class Ontology:
    """Domains, slots, intents and acts that occur.

    Args:
        title: title of the corpus, for descriptions.
        states: slots of states by domain; every state has them all.
    """

    def __init__(self, title: str, states: dict[str, tuple[str, ...]]) -> None:
        self.states = states
        self._title = title
        self._slots: dict[str, dict[str, dict[str, None]]] = {}
        self._intents: dict[str, None] = {}
        self._acts: dict[str, dict[tuple[str, str, str], _Uses]] = {
            "categorical": {},
            "non-categorical": {},
            "binary": {},
        }
        for domain, slots in states.items():
            self.add_domain(domain)
            for slot in slots:
                self.add_value(domain, slot, "")

    def add_domain(self, domain: str) -> None:
        """Notes a domain, so that it is there even if it has no slot."""
        self._slots.setdefault(domain, {})

    def add_value(self, domain: str, slot: str, value: str) -> None:
        """Notes a slot, and its value as one of the examples.

        Args:
            domain: a domain that is noted.
            slot: name of the slot.
            value: a value; an empty one is no example.
        """
        values = self._slots[domain].setdefault(slot, {})
        if value and len(values) < _SAMPLE:
            values[value] = None

    def add_acts(self, kind: str, acts: Iterable[Act], speaker: str) -> None:
        """Notes acts that occur.

        Args:
            kind: categorical, non-categorical or binary.
            acts: the acts, all of that kind.
            speaker: who uses them: ``user`` or ``system``.
        """
        for act in acts:
            self._intents[act["intent"]] = None
            if kind != "binary":
                self.add_value(act["domain"], act["slot"], act["value"])
            key = act["intent"], act["domain"], act["slot"]
            setattr(self._acts[kind].setdefault(key, _Uses()), speaker, True)

    def to_json(self) -> dict[str, Any]:
        """Returns what ``ontology.json`` holds, in the order in which it occurred."""
        return {
            "domains": {name: self._domain(name) for name in self._slots},
            "intents": {
                name: {"description": f"The act `{name}`, as released in {self._title}."}
                for name in self._intents
            },
            "state": {
                domain: dict.fromkeys(slots, "") for domain, slots in self.states.items() if slots
            },
            "dialogue_acts": {
                kind: [_spell(key, uses) for key, uses in acts.items()]
                for kind, acts in self._acts.items()
            },
        }

    def _domain(self, name: str) -> dict[str, Any]:
        slots = {
            slot: {
                "description": f"The slot `{slot}`, as released in {self._title}.",
                "is_categorical": False,
                "possible_values": list(values),
            }
            for slot, values in self._slots[name].items()
        }
        return {"description": f"`{name}` in {self._title}.", "slots": slots}


def _spell(key: tuple[str, str, str], uses: _Uses) -> str:
    """Writes an act as the text of a Python dict, which is how ConvLab reads it."""
    intent, domain, slot = key
    return repr(
        {
            "user": uses.user,
            "system": uses.system,
            "intent": intent,
            "domain": domain,
            "slot": slot,
        }
    )


def find_state_slots(selection: Selection, corpus: str) -> dict[str, tuple[str, ...]]:
    """Returns the slots that states have, by domain, in order of name."""
    query = (
        "SELECT DISTINCT coalesce(domain, corpus), slot "
        f"FROM {selection.source('states')} JOIN dialogues USING (corpus, dialogue_id) "
        f"WHERE corpus = {quote(corpus)} AND kind = 'info' AND slot IS NOT NULL ORDER BY ALL"
    )
    found: dict[str, tuple[str, ...]] = {}
    for domain, slot in selection.rows(query):
        found[domain] = (*found.get(domain, ()), slot)
    return found


def render_readme(manifest: Manifest, summary: Summary, *, has_database: bool) -> str:
    """Returns the data set card, with ConvLab's headings.

    Args:
        manifest: what the corpus says of itself.
        summary: what was written.
        has_database: whether there are objects.
    """
    rows = "".join(
        f"| {split} | {released or 'in none'} | {summary.dialogues[split]} "
        f"| {summary.turns[split]} |\n"
        for split, released in summary.released.items()
    )
    database = "- the objects of the corpus as `database.json`, read by `database.py`\n"
    return fill_template(
        "convlab/README.md",
        title=manifest.title,
        homepage=manifest.homepage,
        version=__version__,
        summary=manifest.summary,
        name=manifest.name,
        database=database if has_database else "",
        rows=rows,
        splits_from=manifest.splits_from,
        citation=manifest.citation.strip(),
        licence=manifest.licence,
        terms=manifest.terms,
    )


_ACT = ("act", "slot", "value", "frame", "relation")
_CARRIED = Carried(
    columns={
        **carry_all("dialogues", "speakers", "events", "spans", "outcomes", "objects"),
        "acts": ("corpus", "dialogue_id", "event", *_ACT),
        "states": ("corpus", "dialogue_id", "event", "slot", "value"),
    },
    why={
        "acts": "Acts are a flat list, a slot each.",
        "states": "A state is a value per slot, of the active frame.",
    },
    otherwise="The unified format has no place for it.",
)

EXPORT = Export(
    name="convlab",
    title="ConvLab-3's unified format",
    summary="A folder per corpus for `data/unified_datasets/`: `data.zip` with `dialogues.json`, "
    "`ontology.json` and, where it has objects, `database.json`; `dummy_data.json`, "
    "`README.md`, `preprocess.py` and `database.py`. ConvLab's `check.py` passes on it. The system "
    "is the speaker of the role `assistant`, or else the first, or whom `--as` names; all others "
    "are the user, and what a side says in a row is one turn. Intents, slots and values are the "
    "released ones, all of them non-categorical; spans are acts (`inform`) in corpora that have "
    "no others. The value of an act has `start` and `end` where it stands in its utterance just "
    "once. Results of the system's actions are `db_results`. Turns keep their `events`, "
    "`actions` and `spans`; the split `val`, or else `dev`, is called `validation`.",
    carries=_CARRIED,
    write=write,
    features=_FEATURES,
    options=(Option(name="as", help="Speaker who is the system: A, B, wizard, ..."),),
    example="convlab OUT --corpus frames",
)
