"""Layers of labels that join the tables of an import: added, listed, taken away.

A layer is rows of the table ``acts`` at the events that it is about: the act is ``label``, the
slot the candidate, the value the answer of the majority, and the votes are among the attributes.
What the authors released is never touched: the rows stand in a part file of their own, and a name
that a released layer has is refused.

Each change is a generation of its own, as an import is: the previous parts are linked, not
copied, and anyone who reads the store meanwhile goes on reading what was there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import get_corpus
from commonground.errors import StoreError, UsageError, close_names
from commonground.files.listings import hash_file
from commonground.model import Act, Dialogue
from commonground.schema import LABEL_ACT
from commonground.store.arrow import pa, read_parquet
from commonground.store.index import write_index
from commonground.store.label_files import (
    EVENT,
    Decision,
    Label,
    LabelFile,
    Vote,
    measure_layer,
)
from commonground.store.label_places import (
    OF,
    find_places,
    read_hashes,
    read_of,
    rows_of,
    with_of,
)
from commonground.store.layout.generations import (
    link_part,
    lock_corpus,
    new_generation,
    put_in_force,
    remove_stale,
)
from commonground.store.layout.manifest import (
    ASIDE,
    MANIFEST_NAME,
    LayerPart,
    PartFile,
    StoreManifest,
    data_folder,
    import_command,
    load_manifest,
    part_files,
)
from commonground.store.layout.mirrors import name_store
from commonground.store.layout.remote import bring_store
from commonground.store.tables.columns import arrow_schema, build_part
from commonground.store.tables.writing import part_name, write_part

_TABLE = "acts"
_FIRST_PART = 50_000
"""Number of the first part file of a layer: above those of shards, below that of listings."""

_LAYERED = ("spans", "acts", "states")
"""Tables whose rows name a layer."""


class Layer(msgspec.Struct, frozen=True):
    """A layer of labels in a store.

    Attributes:
        decided: labels that more than half of the people agree on.
        aside: labels whose events are not in the import; ``labels`` does not count them.
        agreement: Krippendorff's ``alpha``, the share of ``pairwise`` equal votes, the share of
            ``unanimous`` labels; None where nothing could differ.
    """

    corpus: str
    name: str
    question: str
    labels: int
    decided: int
    aside: int
    agreement: dict[str, float | None]


def add_layer(store: Path, name: str, file: LabelFile) -> Layer:
    """Adds a layer to the import of its corpus; one of the same name that was added is replaced.

    Args:
        name: of the file, for messages about it.

    Raises:
        UsageError: there is no such corpus.
        StoreError: the corpus was not imported, an event is not in it, a released layer has that
            name, or the store cannot be written.
    """
    corpus = get_corpus(file.corpus).name
    store = bring_store(store, [corpus])
    with lock_corpus(store, corpus):
        before = _load(store, corpus)
        _check_name(store, before, file.layer)
        if not file.labels:
            raise StoreError(
                f"{name} has no labels.",
                "Wait until an annotator has finished an event, and export again.",
            )
        rows: Any = build_part(corpus, _TABLE, _make_dialogues(_place(store, before, name, file)))
        rows = rows.select(arrow_schema(_TABLE).names).cast(arrow_schema(_TABLE))
        layers = {each.name: each for each in before.layers}
        present = layers.get(file.layer)
        used = {_number_of(each.part) for each in before.layers if each is not present}
        # One number more than are taken, so at least one of them is free.
        number = next(n for n in range(_FIRST_PART, _FIRST_PART + len(used) + 1) if n not in used)
        part = LayerPart(file.layer, part_name(_TABLE, number), file.question)
        _write(store, before, layers | {file.layer: part}, {part.part: rows})
        remove_stale(store, corpus)
    return _describe(corpus, part, rows, 0)


def remove_layer(store: Path, corpus: str, name: str) -> None:
    """Takes a layer away that was added.

    Raises:
        UsageError: no such layer was added.
        StoreError: the corpus was not imported, or the store cannot be written.
    """
    store = bring_store(store, [corpus])
    with lock_corpus(store, corpus):
        before = _load(store, corpus)
        gone = _find_layer(before, name)
        left = {each.name: each for each in before.layers if each is not gone}
        _write(store, before, left, {})
        remove_stale(store, corpus)


def read_layer(store: Path, corpus: str, name: str) -> LabelFile:
    """Reads a layer that was added, as the file of labels that it came of.

    Raises:
        UsageError: no such layer was added.
        StoreError: the corpus was not imported, or the layer is damaged.
    """
    store = bring_store(store, [corpus])
    manifest = _load(store, corpus)
    layer = _find_layer(manifest, name)
    rows = rows_of(data_folder(store, manifest) / layer.part)
    labels = [_read_label(row) for row in rows]
    return LabelFile(
        layer=name,
        corpus=corpus,
        question=layer.question,
        answers=list(dict.fromkeys(answer for each in labels for _, answer in each.votes)),
        people=max((len(each.votes) for each in labels), default=0),
        labels=labels,
    )


def _find_layer(manifest: StoreManifest, name: str) -> LayerPart:
    layers = {each.name: each for each in manifest.layers}
    if name not in layers:
        advice = close_names(name, list(layers))
        raise UsageError(f"No layer {name!r} was added to {manifest.corpus}.", advice)
    return layers[name]


def _read_label(row: Mapping[str, Any]) -> Label:
    said = msgspec.json.decode(row["attributes"])
    return Label(
        dialogue_id=row["dialogue_id"],
        event=row["event"],
        votes=[(who, answer) for who, answer in said["votes"]],
        label=row["value"],
        candidate=None if row["slot"] == EVENT else row["slot"],
        text=said.get("text"),
        of=said.get(OF),
        decision=msgspec.convert(said["decision"], Decision) if "decision" in said else None,
    )


def list_layers(store: Path, manifests: Iterable[StoreManifest]) -> list[Layer]:
    """Lists the layers that were added to some imports, and how far people agree on each."""
    return [
        _describe(
            each.corpus,
            layer,
            read_parquet(data_folder(store, each) / layer.part),
            sum(part.rows for part in each.parts if part.name == layer.aside),
        )
        for each in manifests
        for layer in each.layers
    ]


class KeptLayer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a layer when its corpus was imported again; all are numbers of labels.

    Attributes:
        kept: stand at the same events.
        moved: stand at events that have other numbers now.
        back: had been set aside, and stand at their events again.
        aside: have no event any more, and wait for it to come back.
    """

    name: str
    kept: int = 0
    moved: int = 0
    back: int = 0
    aside: int = 0

    def describe(self) -> str:
        """Says what became of it, as a sentence."""
        counts = [
            f"{self.kept:,} kept",
            *([f"{self.moved:,} moved with their events"] if self.moved else []),
            *([f"{self.back:,} back"] if self.back else []),
            *([f"{self.aside:,} set aside, since their events are missing"] if self.aside else []),
        ]
        return f"Labels of layer {self.name}: {', '.join(counts)}."


class _Before(msgspec.Struct):
    """What is read of a manifest to take its layers over, also from one of another version."""

    data: str
    layers: list[LayerPart] = []
    parts: list[PartFile] = []


def keep_layers(store: Path, manifest: StoreManifest) -> list[KeptLayer]:
    """Takes the layers of the import in force over into the one that follows.

    Labels go where their events are now; those whose events are not there are set aside, and come
    back with them.

    Args:
        manifest: the import that follows, whose parts are written; the layers are noted in it.

    Raises:
        StoreError: a layer is damaged.
        OSError: the new import cannot be written.
    """
    folder = store / manifest.corpus
    try:
        data = (folder / MANIFEST_NAME).read_bytes()
        before = msgspec.json.decode(data, type=_Before)
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError):
        before = _find_layers(folder, manifest.data)
    else:
        for layer in before.layers:
            _check_whole(folder / before.data, before, manifest.corpus, layer)
    taken = _released_layers(store, manifest) if before.layers else set()
    return [
        _keep(folder / before.data, store, manifest, layer, released=layer.name in taken)
        for layer in before.layers
    ]


def _find_layers(folder: Path, but: str) -> _Before:
    """Finds the layers of an import whose manifest is damaged: their parts say what they are.

    Args:
        but: name of the data folder that is being written.

    Raises:
        StoreError: a part is damaged, too.
    """
    found: dict[Path, dict[int, dict[str, str]]] = {}
    for table in (_TABLE, ASIDE):
        for path in folder.glob(f"data-*/{table}-*.parquet"):
            number = _number_of(path.name)
            if path.parent.name != but and number >= _FIRST_PART:
                found.setdefault(path.parent, {}).setdefault(number, {})[table] = path.name
    if not found:
        return _Before("")
    # Of several, the others are what killed imports left behind.
    data = max(found, key=lambda each: each.stat().st_mtime)
    return _Before(data.name, [_read_layer(data, found[data][n]) for n in sorted(found[data])])


def _read_layer(data: Path, parts: Mapping[str, str]) -> LayerPart:
    """Describes a layer by its own rows.

    Args:
        parts: names of its part files, by table.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        row, *_ = [row for name in parts.values() for row in rows_of(data / name)]
        question = msgspec.json.decode(row["attributes"])["question"]
        return LayerPart(row["layer"], parts[_TABLE], question, parts.get(ASIDE, ""))
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise StoreError(
            f"{data.parent / MANIFEST_NAME} is damaged, and labels in {data} cannot be read.",
            f"Restore the files, or move {data} away, import, and add the files of labels again.",
        ) from error


def _check_whole(folder: Path, before: _Before, corpus: str, layer: LayerPart) -> None:
    """Refuses to go on without a layer that is damaged, whose labels would be gone.

    Raises:
        StoreError: it is damaged.
    """
    written = {each.name: each.sha256 for each in before.parts}
    for name in layer.files:
        try:
            whole = hash_file(folder / name) == written.get(name)
        except OSError:
            whole = False
        if not whole:
            raise StoreError(
                f"The layer {layer.name} of {corpus} is damaged: {name}.",
                f"Restore the file, or remove the layer (commonground layer remove {corpus} "
                f"{layer.name}), import, and add its file of labels again.",
            )


def _keep(
    old: Path, store: Path, manifest: StoreManifest, layer: LayerPart, *, released: bool
) -> KeptLayer:
    """Takes a layer over.

    Args:
        old: previous data folder.
        manifest: the import that follows.
        layer: the previous one.
        released: whether the authors have released a layer of this name since; theirs wins.
    """
    stood = list(rows_of(old / layer.part))
    waited = list(rows_of(old / layer.aside)) if layer.aside else []
    dialogues = {row["dialogue_id"] for row in (*stood, *waited)}
    try:
        hashes = read_hashes(sorted(old.glob("events-*.parquet")), dialogues)
    except (OSError, pa.ArrowException, StoreError):
        hashes = {}  # the previous import is damaged; labels that know their words need it not
    now = read_hashes(part_files(store, manifest, "events"), dialogues)
    placed, aside, counts = [], [], Counter[str]()
    waiting = {id(row) for row in waited}
    for row, of, place in _find(stood, waited, hashes, now):
        if place is None or released:
            aside.append(with_of(row, row["event"], of))
            counts["aside"] += 1
        else:
            placed.append(with_of(row, place, of))
            came = "back" if id(row) in waiting else "kept" if place == row["event"] else "moved"
            counts[came] += 1
    folder = data_folder(store, manifest)
    _add_part(manifest, _write_rows(folder / layer.part, placed))
    number = _number_of(layer.part)
    name = part_name(ASIDE, number) if aside else ""
    if name:
        _add_part(manifest, _write_rows(folder / name, aside))
    manifest.layers.append(msgspec.structs.replace(layer, aside=name))
    return KeptLayer(name=layer.name, **counts)


def _find(
    stood: list[dict[str, Any]],
    waited: list[dict[str, Any]],
    before: Mapping[str, list[str]],
    now: Mapping[str, list[str]],
) -> Iterator[tuple[dict[str, Any], str, int | None]]:
    """Yields each label by dialogue and event, with the hash and the new number of its event.

    Args:
        stood: labels at events of the previous import.
        waited: labels that had been set aside.
        before: hashes of the previous events, by dialogue.
        now: those of now.
    """
    by_dialogue: dict[str, list[tuple[dict[str, Any], str]]] = {}
    for row in (*stood, *waited):
        # Labels that were added before there were hashes stand where they belong.
        of = read_of(row) or "".join(before.get(row["dialogue_id"], [])[row["event"] :][:1])
        by_dialogue.setdefault(row["dialogue_id"], []).append((row, of))
    for dialogue, labels in by_dialogue.items():
        wanted = [(row["event"], of) for row, of in labels]
        places = find_places(before.get(dialogue), now.get(dialogue, []), wanted)
        yield from ((row, of, places[row["event"], of]) for row, of in labels)


def _load(store: Path, corpus: str) -> StoreManifest:
    manifest = load_manifest(store, corpus)
    if manifest is None:
        advice = f"Import it first: {import_command(corpus, store)}"
        raise StoreError(f"{corpus} is not in the store {name_store(store)}.", advice)
    return manifest


def _check_name(store: Path, manifest: StoreManifest, name: str) -> None:
    if name in _released_layers(store, manifest):
        raise StoreError(
            f"{manifest.corpus} has a released layer {name!r}, which cannot be replaced.",
            "Give the labels another name: `layer` in the file of the study.",
        )


def _released_layers(store: Path, manifest: StoreManifest) -> set[str]:
    added = {each.part for each in manifest.layers}
    return {
        name
        for table in _LAYERED
        for path in part_files(store, manifest, table)
        if path.name not in added
        for name in read_parquet(path, ["layer"])["layer"].unique().to_pylist()
    }


def _place(store: Path, manifest: StoreManifest, name: str, file: LabelFile) -> LabelFile:
    """Returns the labels at the events that they are of, each with the hash of its event.

    Raises:
        StoreError: an event is not in the import, or is another one by now.
    """
    dialogues = {each.dialogue_id for each in file.labels}
    hashes = read_hashes(part_files(store, manifest, "events"), dialogues)
    placed = []
    for place, label in enumerate(file.labels):
        events = hashes.get(label.dialogue_id, [])
        where = f"{name}: $.labels[{place}]: {manifest.corpus} has no event {label.event} in a "
        where += f"dialogue {label.dialogue_id!r}"
        event: int | None = label.event if label.event < len(events) else None
        if label.of is not None:
            key = (label.event, label.of)
            event = find_places(None, events, [key])[key]
            where += " with the words that were labelled"
        if event is None:
            raise StoreError(f"{where}.", "Were the labels made from another import?")
        placed.append(msgspec.structs.replace(label, event=event, of=events[event]))
    return msgspec.structs.replace(file, labels=placed)


def _make_dialogues(file: LabelFile) -> list[Dialogue]:
    """Makes a row of each label, by dialogue; those of one event are slots of one act."""
    made: dict[str, Dialogue] = {}
    slots: Counter[tuple[str, int]] = Counter()
    for label in file.labels:
        dialogue = made.setdefault(label.dialogue_id, Dialogue(dialogue_id=label.dialogue_id))
        key = (label.dialogue_id, label.event)
        dialogue.acts.append(_make_act(file, label, slots[key]))
        slots[key] += 1
    return list(made.values())


def _make_act(file: LabelFile, label: Label, slot_index: int) -> Act:
    attributes: dict[str, Any] = {"question": file.question, "votes": label.votes, OF: label.of}
    if label.text is not None:
        attributes["text"] = label.text
    if label.decision is not None:
        attributes["decision"] = msgspec.to_builtins(label.decision)
    return Act(
        event=label.event,
        layer=file.layer,
        act_index=0,
        act=LABEL_ACT,
        slot_index=slot_index,
        # A label of the event itself has a slot, too, since it has a value.
        slot=label.candidate or EVENT,
        value=label.label,
        attributes=attributes,
    )


def _number_of(part: str) -> int:
    return int(part.rpartition("-")[2].partition(".")[0])


def _write(
    store: Path,
    before: StoreManifest,
    layers: dict[str, LayerPart],
    written: dict[str, Any],
) -> None:
    """Puts an import in force that has the previous parts and these layers.

    Args:
        before: the previous import.
        layers: those that it is to have, by name.
        written: rows by part file, of layers that are new.
    """
    # A layer that is replaced may be given the name of its old part, which is not linked then.
    kept = {name for each in layers.values() for name in each.files} - written.keys()
    gone = {name for each in before.layers for name in each.files} - kept
    parts = [each for each in before.parts if each.name not in gone]
    try:
        with new_generation(store, before.corpus) as folder:
            for part in parts:
                link_part(data_folder(store, before) / part.name, folder / part.name)
            manifest = msgspec.structs.replace(
                before,
                data=folder.name,
                parts=parts,
                # Those of new layers are added below, part by part.
                counts={**before.counts, _TABLE: sum(e.rows for e in parts if e.table == _TABLE)},
                layers=list(layers.values()),
            )
            for name, rows in written.items():
                _add_part(manifest, write_part(folder / name, rows))
            manifest.index = write_index(store, manifest)
            put_in_force(store, manifest)
    except OSError as error:
        advice = "What was there before is untouched."
        message = f"{store / before.corpus} cannot be written: {error.strerror or error}."
        raise StoreError(message, advice) from error


def _write_rows(path: Path, rows: list[dict[str, Any]]) -> PartFile:
    """Writes rows of labels, those of one dialogue together."""
    ordered = sorted(rows, key=lambda row: (row["dialogue_id"], row["event"], row["slot_index"]))
    return write_part(path, pa.Table.from_pylist(ordered, schema=arrow_schema(_TABLE)))


def _add_part(manifest: StoreManifest, part: PartFile) -> None:
    manifest.parts = sorted([*manifest.parts, part], key=lambda each: each.name)
    if part.table != ASIDE:
        manifest.counts[part.table] = manifest.counts.get(part.table, 0) + part.rows


def _describe(corpus: str, layer: LayerPart, rows: Any, aside: int) -> Layer:
    values = rows["value"].to_pylist()
    attributes = [msgspec.json.decode(each) for each in rows["attributes"].to_pylist()]
    votes: list[list[Vote]] = [each["votes"] for each in attributes]
    return Layer(
        corpus=corpus,
        name=layer.name,
        question=layer.question,
        labels=len(values),
        decided=sum(each is not None for each in values),
        aside=aside,
        agreement=measure_layer(votes),
    )
