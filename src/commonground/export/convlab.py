"""ConvLab-3's unified format, a data set per corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from commonground.errors import UsageError
from commonground.export.base import Export, Option, Options
from commonground.export.chat_messages import choose_speaker
from commonground.export.convlab_files import DATABASE, Summary, render_preprocess, render_readme
from commonground.export.convlab_ontology import Ontology, find_state_slots
from commonground.export.convlab_turns import Turns, list_entities
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.export.wholes import Row, Whole, read_objects, read_wholes
from commonground.model import Speaker

UNSPLIT = "unsplit"
"""Split of the dialogues that are in none."""

_VALIDATION = ("validation", "valid", "val", "dev")
_LAYERS = ("spans", "acts", "states", "outcomes")
_DUMMIES = 10

_FEATURES = {
    "acts said twice": "Two layers say the same of an utterance; it is written once.",
    "actions of who says nothing": "An action stands on a turn of its speaker, who has none.",
    "annotations of actions": "Acts and states are those of utterances.",
    "annotations of no event": "Acts and states stand on a turn, and there is no such event.",
    "dialogues without the speaker": "Nobody there is called as `--as` says.",
    "dialogues without utterances": "ConvLab's checker refuses dialogues without turns.",
    "places of spans": "Another text stands there, which ConvLab's checker refuses; the span is "
    "written without a place.",
    "slots without a value": "A state has every slot, and an empty value for each of which "
    "nothing is known.",
    "states of other frames": "A state has one value per slot: that of the active frame.",
    "states of the system": "Only turns of the user may have a state.",
    "states that are no slots with values": "Requests, comparisons and facts about objects.",
    "states within a turn": "A turn has one state: that after its last utterance.",
    "values said twice": "A state names each value of a slot once.",
    "values ruled out": "A state has no place for what a user does not want.",
}

_encode = msgspec.json.Encoder().encode


def write(selection: Selection, out: Path, options: Options) -> Loss:
    """Writes ``CORPUS/data.zip`` and what belongs beside it."""
    loss = Loss()
    written = 0
    for corpus in selection.corpora:
        name = re.sub(r"\W", "_", corpus)
        (out / name).mkdir()
        dataset = _Dataset(selection, corpus, name, options["as"], loss)
        with ZipFile(out / name / "data.zip", "w", ZIP_DEFLATED) as archive:
            dataset.write(archive, out / name)
        written += sum(dataset.summary.dialogues.values())
    if not written and options["as"]:
        speakers = selection.rows(f"SELECT DISTINCT speaker FROM {selection.source('speakers')}")
        names = ", ".join(sorted(row[0] for row in speakers)[:20])
        raise UsageError(f"No dialogue has a speaker {options['as']!r}.", f"There are: {names}.")
    return loss


class _Dataset:
    """Writes one corpus."""

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
        archive.writestr("data/ontology.json", _format(self._ontology.to_json()))
        entities = list(list_entities(read_objects(self._selection, self._corpus)))
        if entities:
            archive.writestr("data/database.json", _encode(entities))
            (folder / "database.py").write_text(DATABASE, encoding="utf-8")
        (folder / "dummy_data.json").write_bytes(_format(dummies))
        manifest = self._selection.manifests[self._corpus]
        readme = render_readme(manifest, self.summary, has_database=bool(entities))
        (folder / "README.md").write_text(readme, encoding="utf-8")
        (folder / "preprocess.py").write_text(render_preprocess(self._corpus), encoding="utf-8")

    def _dialogues(self) -> Iterator[Row]:
        before = sum(
            len(self._selection.ids(name))
            for name in self._selection.corpora[: self._selection.corpora.index(self._corpus)]
        )
        wholes = read_wholes(self._selection, self._corpus, _LAYERS)
        for done, whole in enumerate(wholes, before + 1):
            dialogue = self._make(whole)
            if dialogue is not None:
                yield dialogue
            self._selection.report(done, len(self._selection))

    def _make(self, whole: Whole) -> Row | None:
        def count(name: str, number: int, event: int) -> None:
            where = f"{self._corpus}/{whole.dialogue_id} event {event}"
            self._loss.add(name, where, _FEATURES[name], count=number)

        system = choose_speaker([Speaker(**row) for row in whole.speakers], self._wanted)
        if system is None:
            self._leave_out("dialogues without the speaker", whole)
            return None
        domain = whole.row.get("domain", self._corpus)
        turns = Turns(
            whole,
            system.speaker,
            domain,
            self._ontology,
            spans_are_acts=self._spans_are_acts,
            count=count,
        )
        self._ontology.add_domain(domain)
        made = turns.make()
        if not made:
            self._leave_out("dialogues without utterances", whole)
            return None
        return self._dialogue(whole, domain, made)

    def _leave_out(self, name: str, whole: Whole) -> None:
        self._loss.leave_out(name, self._corpus, whole.dialogue_id, _FEATURES[name])

    def _dialogue(self, whole: Whole, domain: str, turns: list[Row]) -> Row:
        split = self._splits[whole.row.get("split", "")]
        number = self._numbers[split]
        self._numbers[split] += 1
        self.summary.add(split, whole.row.get("split"), len(turns))
        known = {name: value for name, value in whole.row.items() if name != "split"}
        if "split" in whole.row:
            known["original_split"] = whole.row["split"]
        return {
            "dataset": self._name,
            "data_split": split,
            "dialogue_id": f"{self._name}-{split}-{number}",
            "original_id": whole.dialogue_id,
            "domains": [domain],
            "goal": {"description": _instructions(whole.row), "inform": {}, "request": {}},
            "turns": turns,
            "speakers": whole.speakers,
            **known,
            **self._unplaced(whole),
        }

    def _unplaced(self, whole: Whole) -> dict[str, list[Row]]:
        """Returns what belongs to no event; acts and states must stand on a turn."""
        rows = dict(whole.layer(None))
        for name in ("acts", "states"):
            where = f"{self._corpus}/{whole.dialogue_id}"
            what = "annotations of no event"
            self._loss.add(what, where, _FEATURES[what], count=len(rows.pop(name, ())))
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


def _format(value: Any) -> bytes:
    return msgspec.json.format(_encode(value), indent=2) + b"\n"


_STATE = "A state is a value per slot, of the active frame."
_ACT = "Acts are a flat list, a slot each."


def carries(_options: Options) -> Carried:
    """Says what turns, acts, states and the attributes beside them hold."""
    acts = ("act", "slot", "value", "frame", "relation")
    return Carried(
        columns={
            **carry_all("dialogues", "speakers", "events", "spans", "outcomes", "objects"),
            "acts": ("corpus", "dialogue_id", "event", *acts),
            "states": ("corpus", "dialogue_id", "event", "slot", "value"),
        },
        why={
            "acts": _ACT,
            "states": _STATE,
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
    carries=carries,
    write=write,
    features=_FEATURES,
    options=(Option(name="as", help="Speaker who is the system: A, B, wizard, ..."),),
    example="convlab OUT --corpus frames",
)
