"""What a game is played with: twelve images and five pages that show six of them to each player.

Every released game follows one of two schedules (``schedule.toml``). Whatever keeps the invariants
below can be played; what follows neither schedule is another version of the game, and the reader
of its logs says so.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Annotated

import msgspec

from commonground.corpora.photobook.native import Domain, Label, parse_domains, render_domains
from commonground.corpora.photobook.schedule import (
    ROUNDS,
    SLOTS,
    Use,
    follows_schedule,
    load_schedules,
    schedule_name,
)
from commonground.errors import FormatError, SourceError, close_names
from commonground.findings import Place
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.photobook.pictures import (
    FOLDERS,
    build_pictures,
    describe_picture,
    draw_picture,
)
from commonground.printing import count_of

DOMAINS = 61
"""Domain ids of the released games; each two stand for one folder of images, the last for none."""

DESCRIPTIONS = "descriptions.toml"
DOMAIN_LIST = "domain_ids.txt"
_IMAGE_ENDINGS = {".jpg", ".jpeg", ".png", ".webp"}


class Board(msgspec.Struct, frozen=True):
    """What one player sees of a page.

    Attributes:
        images: six paths below the image folder, row by row, three in a row.
        highlighted: for each of them whether it is to be marked.
    """

    images: tuple[str, ...]
    highlighted: tuple[bool, ...]

    @property
    def targets(self) -> list[str]:
        """The images that the player is to mark, in the order of the board."""
        return [path for path, flag in zip(self.images, self.highlighted, strict=False) if flag]


class GamePage(msgspec.Struct, frozen=True):
    """A page, as A and as B see it."""

    A: Board
    B: Board

    def goal(self, role: str) -> dict[str, Label]:
        """Returns the right label of each image that a player is to mark."""
        mine, other = (self.A, self.B) if role == "A" else (self.B, self.A)
        shown = set(other.images)
        return {path: "common" if path in shown else "different" for path in mine.targets}

    def common(self) -> list[str]:
        """Returns the images that both players see, in the order of A's."""
        shown = set(self.B.images)
        return [path for path in self.A.images if path in shown]


class PhotobookMaterial(msgspec.Struct, frozen=True):
    """What a game is played with.

    Attributes:
        domain_id: number that stands for these pages; games of one id show the same pages.
        schedule: name of the schedule that the pages follow; anything but ``I`` and ``II`` for
            one of your own.
        pages: the five pages.
        order: the order to show them in, as numbers from 0; None to draw it for each game.
        descriptions: what to call each image, for scripted players: the ways to say it at the
            first mention, at the second, and so on to the shortest. They invent something for
            an image that is not there.
    """

    domain_id: int
    schedule: str
    pages: tuple[GamePage, ...]
    order: tuple[int, ...] | None = None
    descriptions: dict[str, tuple[tuple[str, ...], ...]] = {}


def check_material(material: PhotobookMaterial) -> list[Place]:
    """Returns what of the material breaks the rules of the game, each with where it is.

    These hold in all released rounds: five pages, six different images for each player with three
    highlighted, twelve images of one folder, each shown five times in all; on three pages four
    images are common, on one three and on one two; at most two are highlighted for both players.
    At least four images are targets on three or four pages, none on all five. Material that names
    one of the two schedules follows it, under an id that stands for it.
    """
    places = [*_check_boards(material.pages)]
    if not places:  # the rest makes no sense of pages that are none
        places += _check_uses(material.pages)
        places += _check_common(material.pages)
        places += _check_schedule(material)
    return [*places, *_check_order(material)]


def require_sound(material: PhotobookMaterial) -> None:
    """Does nothing for material that the game can be played with.

    Raises:
        FormatError: it breaks an invariant; the message names the first, with where and what.
    """
    if faults := check_material(material):
        first, rest = faults[0], len(faults) - 1
        more = f" And {count_of(rest, 'more error')}." if rest else ""
        raise FormatError(
            f"Domain {material.domain_id}, {first.path[1:]}: expected {first.expected}, "
            f"found {first.found}.{more}",
            "Deal the images by one of the two schedules, or correct the pages.",
        )


def _check_schedule(material: PhotobookMaterial) -> Iterator[Place]:
    name = material.schedule
    if name not in load_schedules():
        return
    if schedule_name(material.domain_id) != name:
        # Released ids say by being even or odd which schedule their games follow.
        expected = "an even number" if name == "I" else "an odd number"
        yield Place(".domain_id", f"{expected}, for schedule {name}", str(material.domain_id))
    if not follows_schedule([_uses(page) for page in material.pages], name):
        yield Place(".schedule", "another name, or the pages of that schedule", name)


def _uses(page: GamePage) -> dict[str, Use]:
    """Returns how both players see each image of a page."""
    a, b = (
        {
            path: "X" if flag else "o"
            for path, flag in zip(board.images, board.highlighted, strict=True)
        }
        for board in (page.A, page.B)
    )
    return {path: (a.get(path, "-"), b.get(path, "-")) for path in a | b}


def _check_order(material: PhotobookMaterial) -> Iterator[Place]:
    if material.order is not None and sorted(material.order) != list(range(ROUNDS)):
        yield Place(".order", "0 to 4, each once", str(list(material.order)))


def _boards(pages: Sequence[GamePage]) -> Iterator[tuple[str, Board]]:
    for number, page in enumerate(pages):
        yield f".pages[{number}].A", page.A
        yield f".pages[{number}].B", page.B


def _check_boards(pages: Sequence[GamePage]) -> Iterator[Place]:
    if len(pages) != ROUNDS:
        yield Place(".pages", f"{ROUNDS} pages", str(len(pages)))
    for path, board in _boards(pages):
        images, flags = board.images, board.highlighted
        if len(images) != 6 or len(set(images)) != 6:
            found = f"{count_of(len(images), 'image')}, {len(set(images))} different"
            yield Place(f"{path}.images", "6 different images", found)
        if len(flags) != 6 or sum(flags) != 3:
            yield Place(
                f"{path}.highlighted",
                "6 flags, 3 true",
                f"{count_of(len(flags), 'flag')}, {sum(flags)} true",
            )


def _check_uses(pages: Sequence[GamePage]) -> Iterator[Place]:
    shown = Counter(path for _, board in _boards(pages) for path in board.images)
    if len(shown) != len(SLOTS):
        yield Place(".pages", f"{len(SLOTS)} different images", str(len(shown)))
    folders = {path.rpartition("/")[0] for path in shown}
    # Images of one folder look alike, which is what makes the game hard.
    if len(folders) != 1 or "" in folders:
        yield Place(".pages", "images of one folder", ", ".join(sorted(folders)) or "none")
    for path, times in sorted(shown.items()):
        if times != ROUNDS:
            yield Place(".pages", f"{path} shown {ROUNDS} times", f"{times} times")
    pages_of: Counter[str] = Counter()
    for page in pages:
        pages_of.update({*page.A.targets, *page.B.targets})
    # Images that come back are what reference chains are studied by.
    core = sum(times in (3, 4) for times in pages_of.values())
    if core < 4:
        yield Place(".pages", "4 images or more highlighted on 3 or 4 pages", str(core))
    for path, times in sorted(pages_of.items()):
        if times == ROUNDS:
            yield Place(".pages", f"{path} highlighted on 4 pages at most", f"on all {ROUNDS}")


def _check_common(pages: Sequence[GamePage]) -> Iterator[Place]:
    counts = sorted((len(page.common()) for page in pages), reverse=True)
    if counts != [4, 4, 4, 3, 2]:
        expected = "4, 4, 4, 3 and 2 common images on the pages, in any order"
        yield Place(".pages", expected, ", ".join(map(str, counts)))
    for number, page in enumerate(pages):
        both = len({*page.A.targets} & {*page.B.targets})
        if both > 2:
            yield Place(f".pages[{number}]", "2 images or fewer highlighted for both", str(both))


def deal_pages(images: Sequence[str], domain_id: int, rng: Random) -> PhotobookMaterial:
    """Deals twelve images to the letters of a schedule and shuffles the six of every board.

    Args:
        images: paths below the image folder.
        domain_id: even for schedule I, odd for schedule II.
        rng: decides which image is which, and where it stands.
    """
    name = schedule_name(domain_id)
    schedule = load_schedules()[name]
    # `sample` of all is a shuffle that leaves the given list as it was.
    image_of = dict(zip(SLOTS, rng.sample(list(images), len(SLOTS)), strict=True))

    def deal(letters: str) -> Board:
        grid = rng.sample(letters, len(letters))
        images = tuple(image_of[letter.lower()] for letter in grid)
        return Board(images, tuple(letter.isupper() for letter in grid))

    both = zip(schedule.A, schedule.B, strict=True)
    pages = tuple(GamePage(deal(a), deal(b)) for a, b in both)
    return PhotobookMaterial(domain_id=domain_id, schedule=name, pages=pages)


def folder_of(domain_id: int) -> str:
    """Returns the folder of invented pictures that a domain id stands for."""
    # Ids 2n and 2n + 1 are the two schedules of one folder.
    return FOLDERS[domain_id // 2 % len(FOLDERS)]


def invent_material(sessions: int, seed: int) -> list[PhotobookMaterial]:
    """Invents pictures and deals them: one domain for about eight games, from 2 to 61."""
    made = []
    for domain_id in range(min(DOMAINS, max(2, sessions // 8))):
        pictures = _pictures(folder_of(domain_id), seed)
        rng = Random(f"{seed}:domain:{domain_id}")
        material = deal_pages([each.path for each in pictures], domain_id, rng)
        words = {each.path: describe_picture(each) for each in pictures}
        made.append(msgspec.structs.replace(material, descriptions=words))
    return made


_pictures = lru_cache(maxsize=64)(build_pictures)


def write_material(used: Sequence[PhotobookMaterial], out: Path, seed: int | None) -> None:
    """Writes the list of domains and, where they were invented, the pictures.

    Args:
        out: folder to write to: ``domain_ids.txt`` and ``images/``.
        seed: that invented the pictures; None for images from a folder, which stay there.
    """
    folders = {each.domain_id: each.pages[0].A.images[0].rpartition("/")[0] for each in used}
    if seed is not None:
        for folder in sorted(set(folders.values())):
            for picture in _pictures(folder, seed):
                draw_picture(picture, out / "images")
        # The list names all ids, as the released one does, though only some were played.
        folders = {each: folder_of(each) for each in range(DOMAINS)}
    lines = [Domain(domain_id=each, folder=folders[each]) for each in sorted(folders)]
    (out / DOMAIN_LIST).write_bytes(render_domains(lines))


def read_material(folder: Path) -> list[PhotobookMaterial]:
    """Deals the images of each folder below ``folder`` by both schedules.

    A folder must hold twelve images. Which image is which letter follows from the folder's name,
    so the same images give the same pages again. Ids are those of ``domain_ids.txt``, where that
    lies in the folder or beside it, else they count from 0 in order of name.

    Raises:
        SourceError: the folder or a file in it cannot be read.
        FormatError: it does not hold sets of twelve images, or a list is not one.
    """
    sets = _list_sets(folder)
    described = _read_descriptions(folder)
    ids = _domain_ids(folder, sorted(sets))
    made = []
    for domain_id, name in ids:
        # A schedule shows each folder in one way only, whatever its id is.
        rng = Random(f"{name}:{schedule_name(domain_id)}")
        material = deal_pages(sets[name], domain_id, rng)
        known = [path for path in sets[name] if path in described]
        words = {path: tuple((each,) for each in described[path]) for path in known}
        made.append(msgspec.structs.replace(material, descriptions=words))
    return made


def _list_sets(folder: Path) -> dict[str, list[str]]:
    """Returns the paths of the images of each set, below ``folder`` or the folder above it."""
    try:
        names = sorted(path.name for path in folder.iterdir() if path.is_dir())
        own = _list_images(folder)
        sets = {name: _list_images(folder / name) for name in names}
    except OSError as error:
        raise SourceError(f"{folder} cannot be read: {error.strerror}.") from error
    sets = {name: images for name, images in sets.items() if images and name[0] != "."}
    root = folder
    if own and not sets:  # the folder is itself a set
        sets, root = {folder.resolve().name: own}, folder.resolve().parent
    if not sets:
        raise FormatError(f"{folder} holds no images.", _ADVICE)
    for name, images in sets.items():
        if len(images) != len(SLOTS):
            found = f"expected {len(SLOTS)} images, found {len(images)}"
            raise FormatError(f"{root / name}: {found}.", _ADVICE)
    return {name: [f"{name}/{image}" for image in images] for name, images in sets.items()}


_ADVICE = "Name a folder with a folder of twelve similar images for each set (jpg, png or webp)."


def _list_images(folder: Path) -> list[str]:
    names = (path.name for path in folder.iterdir() if path.suffix.lower() in _IMAGE_ENDINGS)
    return sorted(name for name in names if name[0] != ".")


def _domain_ids(folder: Path, names: list[str]) -> list[tuple[int, str]]:
    listed = next(
        (p for p in (folder / DOMAIN_LIST, folder.parent / DOMAIN_LIST) if p.is_file()), None
    )
    if listed is None:
        # Both schedules of each folder, an even and an odd id.
        return [(2 * number + odd, name) for number, name in enumerate(names) for odd in (0, 1)]
    try:
        lines = [each.record for each in parse_domains(listed.read_text(encoding="utf-8"))]
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{listed} cannot be read: {error}.") from error
    ids = {line.domain_id: line.folder for line in lines}
    for name in names:
        if name not in ids.values():
            raise FormatError(
                f"{listed} has no id for the folder {name}.",
                f"{close_names(name, ids.values())} Add a line such as {len(ids)}: {name}".strip(),
            )
    return [(each, ids[each]) for each in sorted(ids) if ids[each] in names]


def _read_descriptions(folder: Path) -> dict[str, list[str]]:
    path = folder / DESCRIPTIONS
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(data, dict[str, Annotated[list[str], msgspec.Meta(min_length=1)]])
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        advice = 'Lines look like "folder/image.jpg" = ["a long description", "a short one"].'
        raise FormatError(f"{path}: {error}.", advice) from error


def _name_images(material: PhotobookMaterial) -> frozenset[str]:
    boards = (board for page in material.pages for board in (page.A, page.B))
    return frozenset(image for board in boards for image in board.images)


MATERIAL = MaterialSource(
    title="A folder with one folder of twelve similar images for each set.",
    invent=invent_material,
    read=read_material,
    write=write_material,
    met=_name_images,
    distinct=True,
)
