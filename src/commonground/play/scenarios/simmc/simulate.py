"""Invents SIMMC corpora: scripted players talk in both shops, a scripted annotator labels it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from commonground.corpora.simmc.native.simmc1 import ApiCalls, Dialogue1, Task
from commonground.play.player import Seat
from commonground.play.scenario import Sitting
from commonground.play.scenarios.simmc.annotation import rules as annotation
from commonground.play.scenarios.simmc.annotation import script as annotator
from commonground.play.scenarios.simmc.annotation.material import AnnotationMaterial, invent_talk
from commonground.play.scenarios.simmc.fashion import material as fashion
from commonground.play.scenarios.simmc.furniture import material as furniture
from commonground.play.scenarios.simmc.invention.simmc2 import simulate_simmc2
from commonground.play.scenarios.simmc.invention.splits import SplitFiles
from commonground.play.session import play

SPLITS = ("train", "devtest", "public", "dev", "train", "train", "train", "train", "train", "train")
"""Split of each dialogue of a domain, over and over; ``public`` ones are of devtest too, but only
in the form in which test sets are given out."""

FIRST = 1001
"""Number of the first dialogue of each domain."""


def simulate(out: Path, *, corpus: str, dialogues: int, seed: int) -> None:
    """Writes an invented corpus below ``out``, as the released files are laid out.

    Args:
        out: folder, made if need be.
        corpus: ``simmc`` or ``simmc2``.
        dialogues: how many; every second one is about furniture (``simmc``).
        seed: the same seed gives the same files.
    """
    if corpus == "simmc2":
        simulate_simmc2(out, dialogues=dialogues, seed=seed)
        return
    tasks = fashion.invent_material(seed)
    (shop,) = furniture.invent_material(seed)
    fashion.write_material(tasks, out, seed)
    furniture.write_material([shop], out, seed)
    # Of an odd number fashion has one more.
    clothes = _talk("fashion", tasks, (dialogues + 1) // 2, seed)
    _write(out / "simmc_fashion", "fashion", clothes, seed, [each.task for each in tasks])
    _write(
        out / "simmc_furniture",
        "furniture",
        _talk("furniture", [shop], dialogues // 2, seed),
        seed,
        [],
    )


def _talk(
    domain: str,
    shops: Sequence[fashion.FashionMaterial | furniture.FurnitureMaterial],
    count: int,
    seed: int,
) -> Iterator[AnnotationMaterial]:
    for number in range(count):
        rng = Random(f"{seed} {domain} {number}")
        # Of a single shop nothing is drawn.
        shop = rng.choice(shops) if len(shops) > 1 else shops[0]
        yield invent_talk(shop, Sitting(FIRST + number, {}), rng)


def _write(
    folder: Path, domain: str, talks: Iterable[AnnotationMaterial], seed: int, tasks: list[Task]
) -> None:
    files = {split: SplitFiles(domain, split, tasks) for split in ("train", "dev", "devtest")}
    for index, talk in enumerate(talks):
        # A chance of its own for each dialogue, so that more dialogues leave the first ones as they
        # are.
        rng = Random(f"{seed} {domain} files {index}")
        dialogue, calls = label_talk(talk, rng.getrandbits(32))
        split = SPLITS[index % len(SPLITS)]
        if split == "public":
            files["devtest"].add_public(rng, dialogue, calls)
        else:
            files[split].add(rng, dialogue, calls)
    for each in files.values():
        each.write(folder)


def label_talk(talk: AnnotationMaterial, seed: int) -> tuple[Dialogue1, ApiCalls]:
    """Lets a scripted annotator, whom the seed decides, label a talk that has its API calls."""
    scenario, enter = annotation.SCENARIO, annotator.PLAYER.enter
    players = {role: enter(Seat(role, talk, seed)) for role in scenario.roles}
    session = play(scenario, talk, seed, players)
    dialogue, calls, *_ = scenario.finish(session.state, Sitting(0, {}))
    return dialogue, calls
