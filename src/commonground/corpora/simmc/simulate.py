"""Simulates SIMMC corpora: invented shops, dialogues that fit what is seen, every file kind."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from commonground.corpora.simmc.native import ApiCalls, Dialogue1
from commonground.corpora.simmc.simulate_simmc2 import simulate_simmc2
from commonground.corpora.simmc.talk_fashion import talk_fashion
from commonground.corpora.simmc.talk_furniture import talk_furniture
from commonground.corpora.simmc.world import Shop, draw_item, make_fashion, make_furniture
from commonground.corpora.simmc.writing import (
    SplitFiles,
    write_fashion_metadata,
    write_furniture_metadata,
)

SPLITS = ("train", "devtest", "public", "dev", "train", "train", "train", "train", "train", "train")
"""Split of each dialogue of a domain, over and over; ``public`` ones are of devtest too, but only
in the form in which test sets are given out."""

Talk = Callable[[random.Random, Shop, int], tuple[Dialogue1, ApiCalls]]


def simulate(out: Path, *, corpus: str, dialogues: int, seed: int) -> None:
    """Writes an invented corpus below ``out``, as the released files are laid out.

    Memory does not grow with the number of dialogues.

    Args:
        out: folder, made if need be.
        corpus: ``simmc`` or ``simmc2``.
        dialogues: how many; every second one is about furniture (``simmc``).
        seed: the same seed gives the same files.
    """
    if corpus == "simmc2":
        simulate_simmc2(out, dialogues=dialogues, seed=seed)
        return
    fashion = make_fashion(random.Random(f"{seed} fashion"))
    furniture = make_furniture(random.Random(f"{seed} furniture"))
    write_fashion_metadata(out / "simmc_fashion" / "fashion_metadata.json", fashion)
    write_furniture_metadata(out / "simmc_furniture" / "furniture_metadata.csv", furniture)
    _draw(out, fashion, furniture)
    _write(out / "simmc_fashion", fashion, talk_fashion, (dialogues + 1) // 2, seed)
    _write(out / "simmc_furniture", furniture, talk_furniture, dialogues // 2, seed)


def _draw(out: Path, fashion: Shop, furniture: Shop) -> None:
    folders = {"fashion": "simmc_fashion", "furniture": "simmc_furniture/figures"}
    for shop in (fashion, furniture):
        for item in shop.items:
            draw_item(item, out / "images" / folders[shop.domain] / f"{item.number}.png")


def _write(folder: Path, shop: Shop, talk: Talk, count: int, seed: int) -> None:
    with ExitStack() as stack:
        files = {
            split: stack.enter_context(SplitFiles(folder, shop, split))
            for split in ("train", "dev", "devtest")
        }
        for index in range(count):
            rng = random.Random(f"{seed} {shop.domain} {index}")
            dialogue, calls = talk(rng, shop, 1001 + index)
            split = SPLITS[index % len(SPLITS)]
            if split == "public":
                files["devtest"].add_public(rng, dialogue, calls)
            else:
                files[split].add(rng, dialogue, calls)
