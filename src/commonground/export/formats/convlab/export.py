"""Writes the data set of a corpus: its archive, and what ConvLab wants beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from commonground import __version__
from commonground.corpora import Manifest
from commonground.export.dialogue_rows import DialogueRows, Row, read_dialogues, read_objects
from commonground.export.files import UNSPLIT, fill_template, format_json
from commonground.export.format import Export, Option
from commonground.export.formats.convlab.ontology import Ontology, find_state_slots, list_entities
from commonground.export.formats.convlab.turns import Turns
from commonground.export.loss import Carried, Feature, Loss, carry_all
from commonground.export.point_of_view import choose_speaker, refuse_speaker
from commonground.export.selection import Selection
from commonground.model import Speaker

# Released names of ConvLab's split `validation`, the likeliest first; only one can be it.
_VALIDATION = ("validation", "valid", "val", "dev")
_TABLES = ("spans", "acts", "states", "outcomes")
_DUMMIES = 10
"""Dialogues of ``dummy_data.json``, which people look at first."""

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
        "No speaker has the name that `--as` gives, or nobody but a user speaks.", ("dialogues",)
    ),
    "dialogues without utterances": Feature(
        "ConvLab's checker refuses dialogues without turns.", ("dialogues",)
    ),
    "places of spans": Feature(
        "The text there differs, which ConvLab's checker refuses; the span is written without a "
        "place."
    ),
    "slots without a value": Feature(
        "A state has every slot, and an empty value for each that nothing is known about.",
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
        # ConvLab imports the folder as a module, so its name must be one of Python.
        name = re.sub(r"\W", "_", corpus)
        (out / name).mkdir()
        dataset = _Dataset(selection, corpus, name, as_, loss)
        with ZipFile(out / name / "data.zip", "w", ZIP_DEFLATED) as archive:
            dataset.write(archive, out / name)
        written += sum(dataset.summary.dialogues.values())
    if not written and as_:
        raise refuse_speaker(selection, as_, loss)
    return loss


class Summary(msgspec.Struct):
    """What was written, by split.

    Attributes:
        dialogues: their number.
        turns: their number.
        released: the released name of each of ConvLab's splits; None for dialogues without one.
    """

    # An empty default is no trap here: msgspec makes a new one for each object.
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
        # Taskmaster has spans and no acts; to ConvLab an annotation is an act.
        self._spans_are_acts = not manifest.counts.get("acts")
        self._splits = legal_splits(manifest.splits)
        self._numbers: Counter[str] = Counter()
        self.summary = Summary()

    def write(self, archive: ZipFile, folder: Path) -> None:
        """Writes the archive, and the files beside it."""
        dummies = []
        # Written as it comes: its size is not known before, and may pass the 2 GiB of plain ZIP.
        with archive.open("data/dialogues.json", "w", force_zip64=True) as file:
            for number, dialogue in enumerate(self._dialogues()):
                text = _encode(dialogue)
                file.write((b",\n" if number else b"[\n") + text)
                if number < _DUMMIES:
                    dummies.append(msgspec.Raw(text))
            # A dummy is there as soon as a dialogue is: without one, no bracket was opened.
            file.write(b"\n]\n" if dummies else b"[]\n")
        archive.writestr(ZipInfo("data/ontology.json"), format_json(self._ontology.to_json()))
        entities = list(list_entities(read_objects(self._selection, self._corpus)))
        if entities:
            archive.writestr(ZipInfo("data/database.json"), _encode(entities))
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
        # Before the turns are made, which add their slots to it.
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


def render_readme(manifest: Manifest, summary: Summary, *, has_database: bool) -> str:
    """Returns the data set card, with ConvLab's headings.

    Args:
        manifest: what the corpus says of itself.
        summary: what was written.
        has_database: whether there are objects.
    """
    rows = "".join(
        f"| {split} | {released or 'none'} | {summary.dialogues[split]} "
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
    divides="corpora",
    features=_FEATURES,
    options=(Option(name="as", help="Speaker who is the system: A, B, wizard, ..."),),
    example="convlab OUT --corpus frames",
)
