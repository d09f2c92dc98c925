"""What is labelled: a dialogue without labels, what was done in it, and the things in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

import msgspec

from commonground.corpora.simmc.native.simmc1 import (
    ApiCalls,
    Dialogue1,
    Envelope,
    Task,
    domain_of_name,
)
from commonground.errors import FormatError, SourceError
from commonground.findings import Place
from commonground.play.player import Seat
from commonground.play.scenario import MaterialSource, Sitting
from commonground.play.scenarios.simmc.fashion import material as fashion_material
from commonground.play.scenarios.simmc.fashion import rules as fashion_rules
from commonground.play.scenarios.simmc.fashion import script as fashion_script
from commonground.play.scenarios.simmc.furniture import material as furniture_material
from commonground.play.scenarios.simmc.furniture import rules as furniture_rules
from commonground.play.scenarios.simmc.furniture import script as furniture_script
from commonground.play.scenarios.simmc.shop import catalogues
from commonground.play.scenarios.simmc.shop.items import Item
from commonground.play.scenarios.simmc.shop.pictures import find_pictures
from commonground.play.session import play
from commonground.records import UNSET

MOST_INVENTED = 60
"""Dialogues that are invented at most; more sessions than that label some again."""


class AnnotationMaterial(msgspec.Struct, frozen=True):
    """What somebody labels.

    Attributes:
        dialogue: without labels; those that it has are not looked at, and go.
        calls: what the assistant did; None where that is not known.
        task: of the dialogue; None where its domain has none, or it is not known.
        items: the things of the dialogue, as far as a catalogue knows them.
        shop: all that the catalogue has, with the first dialogue of a file; nothing with others.
        people: how many label it, each alone.
    """

    dialogue: Dialogue1
    calls: ApiCalls | None = None
    task: Task | None = None
    items: tuple[Item, ...] = ()
    shop: tuple[Item, ...] = ()
    people: int = 1

    @property
    def domain(self) -> str:
        """The domain of the dialogue."""
        return self.dialogue.domains[0]


def _check(material: AnnotationMaterial) -> Iterator[Place]:
    """Yields what of the material cannot be labelled, each with where it is."""
    dialogue = material.dialogue
    if material.people < 1:
        yield Place(".people", "1 or more", str(material.people))
    if not dialogue.domains:
        yield Place(".dialogue.domains", "a domain", "none")
    if not dialogue.dialogue:
        yield Place(".dialogue.dialogue", "a turn or more", "none")
    if dialogue.dialogue_coref_map is UNSET:
        yield Place(".dialogue.dialogue_coref_map", "the things of the dialogue", "nothing")
    for name in dialogue.dialogue_coref_map or ():
        if not name.isdecimal():
            yield Place(".dialogue.dialogue_coref_map", "numbers of the catalogue", repr(name))
    for place, turn in enumerate(dialogue.dialogue):
        if not isinstance(turn.state_graph_0, dict) or not isinstance(turn.state_graph_2, dict):
            yield Place(f".dialogue.dialogue[{place}]", "state graphs", "nothing")
    turns = len(dialogue.dialogue)
    if material.calls is not None and len(material.calls.actions) != turns:
        found = str(len(material.calls.actions))
        yield Place(".calls.actions", f"an action for each of {turns} turns", found)


def require_sound(material: AnnotationMaterial, source: str = "") -> None:
    """Does nothing for material that can be labelled.

    Raises:
        FormatError: it cannot; the message names the source, if any, and the first fault.
    """
    for fault in _check(material):
        where = f"{source}: " if source else ""
        raise FormatError(
            f"{where}Dialogue {material.dialogue.dialogue_idx}, {fault.path[1:]}: "
            f"expected {fault.expected}, found {fault.found}.",
            "Label dialogues that were collected with commonground, or released in full.",
        )


def material_of(records: Sequence[Any], shelf: Mapping[int, Item]) -> AnnotationMaterial:
    """Returns the material that the records of one session of a shopping game give."""
    found = {type(record): record for record in records}
    dialogue = found[Dialogue1]
    things = [int(each) for each in dialogue.dialogue_coref_map or () if each.isdecimal()]
    items = tuple(shelf[number] for number in things if number in shelf)
    return AnnotationMaterial(dialogue, found.get(ApiCalls), found.get(Task), items)


def invent_material(sessions: int, seed: int) -> list[AnnotationMaterial]:
    """Lets scripted players talk, every second time about furniture."""
    clothes = fashion_material.invent_material(seed)
    furniture = furniture_material.invent_material(seed)[0]
    made = []
    # Two at least, so that there is one of each domain.
    for number in range(max(2, min(sessions, MOST_INVENTED))):
        rng = Random(f"{seed} talk {number}")
        shop = furniture if number % 2 else rng.choice(clothes)
        made.append(invent_talk(shop, Sitting(number, {}), rng))
    return made


def invent_talk(
    material: fashion_material.FashionMaterial | furniture_material.FurnitureMaterial,
    sitting: Sitting,
    rng: Random,
) -> AnnotationMaterial:
    """Lets scripted players talk about what a shop sells."""
    is_fashion = isinstance(material, fashion_material.FashionMaterial)
    scenario: Any = fashion_rules.SCENARIO if is_fashion else furniture_rules.SCENARIO
    player, _ = fashion_script.PLAYER if is_fashion else furniture_script.PLAYER
    players = {
        role: player.enter(Seat(role, material, rng.getrandbits(32))) for role in scenario.roles
    }
    session = play(scenario, material, rng.getrandbits(32), players)
    shelf = {each.number: each for each in material.items}
    return material_of(scenario.finish(session.state, sitting), shelf)


def read_material(folder: Path) -> list[AnnotationMaterial]:
    """Reads the dialogues below a folder, with the API calls and catalogues beside them.

    An export of a study is such a folder. Files in the test format have no dialogues to label.
    Pictures are files anywhere below the folder that are named by the number of the thing.

    Raises:
        SourceError: a file cannot be read.
        FormatError: a file has a fault, or there are no dialogues.
    """
    paths = [each for each in sorted(folder.rglob("*_dials*.json")) if _has_dialogues(each.name)]
    if not paths:
        is_study = (folder / "study.toml").is_file()
        place = shlex.quote(str(folder))
        raise FormatError(
            f"{folder} is a study, not an export of one." if is_study else _NOTHING.format(folder),
            f"Export it first: commonground collect export {place} OUT --pictures"
            if is_study
            else "Name a folder with files such as fashion_collected_dials.json.",
        )
    pictures, people = find_pictures(folder), _read_people(folder / PLAN)
    found = (each for path in paths for each in _read_dialogues(path, folder, pictures))
    return [msgspec.structs.replace(each, people=people) for each in found]


PLAN = "annotation.toml"
"""Name of the file beside dialogues that says how many people label each of them."""


class _Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    people: Annotated[int, msgspec.Meta(ge=1)] = 1


def _read_people(path: Path) -> int:
    if not path.exists():
        return 1
    try:
        return msgspec.toml.decode(path.read_bytes(), type=_Plan).people
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(
            f"{path}: {error}.",
            "It needs one line, such as `people = 2`: how many people label each dialogue.",
        ) from error


_NOTHING = "{} holds no dialogues."


def _has_dialogues(name: str) -> bool:
    # Files that lie beside dialogues and are named after them.
    others = ("api_calls", "retrieval", "teststd")
    return name.startswith(("fashion_", "furniture_")) and not any(each in name for each in others)


def _read_dialogues(path: Path, root: Path, pictures: _Pictures) -> Iterator[AnnotationMaterial]:
    beside = path.with_name(f"{path.stem}_api_calls.json")
    calls: dict[int, ApiCalls] = {}
    if beside.is_file():
        for _, record in catalogues.read_records(beside, "api_calls"):
            calls[record.dialog_id] = record
    shelf = _read_shelf((path.parent, root), domain_of_name(path.name) or "", pictures)
    shop = tuple(shelf.values())
    tasks: dict[int, Task] = {}
    for _, record in catalogues.read_records(path, "dials"):
        if isinstance(record, Envelope):
            # What stands around dialogues is read before them, wherever in the file it stands.
            tasks = {each.task_id: each for each in record.task_mapping or ()}
        else:
            number = record.dialogue_task_id
            task = None if number is UNSET else tasks.get(number)
            own = [each for each in (record, calls.get(record.dialogue_idx), task) if each]
            material = material_of(own, shelf)
            require_sound(material, path.name)
            yield msgspec.structs.replace(material, shop=shop)
            shop = ()


_Pictures = Mapping[str, dict[str, str]]
"""Names of pictures below the folder that was read, by number of the thing and by side."""


def _read_shelf(folders: Sequence[Path], domain: str, pictures: _Pictures) -> dict[int, Item]:
    """Reads the catalogue of a domain; nothing where no folder has one."""
    released, read, other = (
        (catalogues.FASHION_FILE, catalogues.read_fashion, "simmc_furniture")
        if domain == "fashion"
        else (catalogues.FURNITURE_FILE, catalogues.read_furniture, "simmc_fashion")
    )
    # The nearest first: a folder of several collections may have a catalogue in each.
    for folder in folders:
        if any((folder / name).is_file() for name in (released, catalogues.OWN_FILE)):
            items = {each.number: each for each in read(folder)}
            return {
                number: msgspec.structs.replace(item, pictures=_of(number, pictures, other))
                for number, item in items.items()
            }
    return {}


def _of(number: int, pictures: _Pictures, other: str) -> dict[str, str]:
    """Returns the pictures of a thing; those of the other domain may have the same number."""
    found = pictures.get(str(number), {})
    return {side: name for side, name in found.items() if other not in name.split("/")}


def write_material(used: Sequence[AnnotationMaterial], out: Path, seed: int | None) -> None:
    """Writes the catalogues that dialogues are about, and pictures where a seed invented them."""
    by_domain: dict[str, dict[int, Item]] = {"fashion": {}, "furniture": {}}
    for material in used:
        for each in (*material.shop, *material.items):
            by_domain[material.domain][each.number] = each
    for domain, found in by_domain.items():
        items = [found[number] for number in sorted(found)]
        if domain == "furniture":
            # Its file has all columns: things without some of them cannot be written there.
            items = [each for each in items if each.facts.keys() >= set(catalogues.COLUMNS)]
        if items:
            catalogues.write_shop(domain, items, out, seed)


MATERIAL = MaterialSource(
    title="Dialogues that were collected or released in full, with API calls and catalogues.",
    invent=invent_material,
    read=read_material,
    write=write_material,
    whole=True,
)
