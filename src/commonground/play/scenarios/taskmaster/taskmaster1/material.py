"""Invented instructions in free form, one for each errand."""

from __future__ import annotations

from pathlib import Path

from commonground.corpora.taskmaster.native.ontology import PlainOntology
from commonground.corpora.taskmaster.script_language import (
    Check,
    Conversation,
    Enter,
    Prose,
    Script,
    ScriptList,
    print_script,
)
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.taskmaster.invention.errands import Errand, load_errands
from commonground.play.scenarios.taskmaster.material import (
    TaskmasterMaterial,
    read_material,
    write_json,
)


def invent_material() -> list[TaskmasterMaterial]:
    """Returns the instructions of all errands; there are as many of them as errands."""
    return [
        TaskmasterMaterial(errand.name, write_instructions(errand))
        for errand in load_errands().first
    ]


def write_instructions(errand: Errand) -> str:
    """Writes the instructions of an errand as a script without turns."""
    topic = errand.name.rpartition("-")[0].replace("-", " ")
    asked = [
        part
        for slot in errand.slots
        for part in (
            # Names of variables have no dots; `script.py` turns them back in the same way.
            Enter(slot.label.replace(".", "_"), f"{errand.prefix}.{slot.label}", slot.ask[0]),
            Prose("\n"),
        )
    ]
    words = load_errands().instructions
    start = (Prose(words.prose.format(topic)), ScriptList(words.points), Prose(words.before))
    check = Check("confirm_real", words.check)
    return print_script(Script((*start, *asked, Conversation(), Prose("\n"), check)))


def declare_labels() -> dict[str, PlainOntology]:
    """Returns the ontology that invented dialogues keep to."""
    return {
        errand.prefix: PlainOntology(
            id=errand.prefix,
            vertical=errand.name.rpartition("-")[0],
            required=[slot.label for slot in errand.slots[:-1]],
            optional=[slot.label for slot in errand.slots[-1:]],
        )
        for errand in load_errands().first
    }


def write_ontology(out: Path, seed: int | None) -> None:
    """Writes which labels invented dialogues have; those of other scripts are their authors'."""
    if seed is not None:
        write_json(out / "ontology.json", declare_labels())


MATERIAL = MaterialSource(
    title="A folder with one script in each file, whose conversation has no turns.",
    invent=lambda *_: invent_material(),
    read=read_material,
    write=lambda _, out, seed: write_ontology(out, seed),
)
