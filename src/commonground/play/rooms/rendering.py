"""The Jinja environment of the rooms, and what a study's pages are made of."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from commonground.errors import SourceError
from commonground.explorer.web.templates import make_environment
from commonground.play.collect.setup.plan import RoomPlan, read_plan
from commonground.play.collect.setup.study import Study
from commonground.play.collect.setup.texts import complete_texts
from commonground.play.scenarios import get_scenario

HERE = Path(__file__).parent
STATIC = HERE / "static"
KITS = HERE / "kits"
"""Rooms that several scenarios share, one folder each."""

ROOM_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Files of a scenario's room that browsers may ask for."""

PICTURE_TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
}


class Rooms:
    """The pages of a study: its texts, its scenario's room, its templates.

    A scenario's room is the folder ``room`` in its own: ``rules.html`` and ``game.html``
    (templates), ``warm_up.html`` where people are to try a page first, ``room.js`` and
    ``room.css``, ``room.toml``, and texts in ``xx.toml``. A file that has the name of one of ours
    takes its place: ``seat.js`` draws what the researcher sees of a seat. What several rooms share
    stands in folders that ``room.toml`` names.

    Attributes:
        alone: whether people play by themselves, so that nothing is said of partners.

    Raises:
        SourceError: the scenario has no room, or a language has no consent text.
        FormatError: a file of texts, or a consent text, is not well-formed.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        scenario = get_scenario(study.settings.scenario)
        self.folder = scenario.room
        self.alone = len(scenario.rules.roles) == 1
        if not self.folder.is_dir():
            raise SourceError(
                f"{self.folder}: {study.settings.scenario} has no pages that people can play on."
            )
        folders = (HERE / "texts", *self.folders, study.folder / "texts")
        languages = study.settings.languages
        self.texts = {each: complete_texts(each, folders) for each in languages}
        self.consents = {each: study.consent(each) for each in languages}
        self._pictures = study.stock.pictures
        # Ours first: a room cannot replace the pages around it. Of rooms the last counts, so it is
        # asked first.
        searched = [HERE / "templates", *reversed(self.folders)]
        self._environment = make_environment(jinja2.FileSystemLoader(searched))
        self._environment.filters["paragraphs"] = render_paragraphs

    @cached_property
    def plan(self) -> RoomPlan:
        """What ``room.toml`` says, read when it is first asked for."""
        return read_plan(self.folder)

    @cached_property
    def folders(self) -> list[Path]:
        """Where the room's files lie; see :func:`list_folders`."""
        return list_folders(self.folder, self.plan)

    @cached_property
    def has_warm_up(self) -> bool:
        """Whether people try a page before they play: the study wants it, and there is one."""
        return self.study.settings.warm_up and any(
            (each / "warm_up.html").is_file() for each in self.folders
        )

    @cached_property
    def files(self) -> dict[str, Path]:
        """Static files by name: ours, and those of the scenario's room."""
        folders = (STATIC, *self.folders)
        found = [path for folder in folders for path in folder.iterdir()]
        return {path.name: path for path in found if path.suffix in ROOM_TYPES}

    @cached_property
    def styles(self) -> list[str]:
        """Names of the room's style sheets, in the order in which later ones count more."""
        found = [path.name for folder in self.folders for path in sorted(folder.glob("*.css"))]
        return list(dict.fromkeys(found))

    def choose_language(self, wanted: str, accepted: str) -> str:
        """Returns the language of a newcomer's pages.

        Args:
            wanted: what the address asks for; empty for nothing.
            accepted: the header that tells which languages a browser is set to.
        """
        known = self.study.settings.languages
        # `de-AT,de;q=0.9,en;q=0.8`: browsers list what they want most first, so weights are not
        # needed.
        named = [each.partition(";")[0].strip().lower() for each in accepted.split(",")]
        for each in (wanted.lower(), *named):
            for language in known:
                own = language.lower()
                # `pt` is served by `pt-BR`, and `de-AT` by `de`.
                if each and (own in (each, each.partition("-")[0]) or own.startswith(f"{each}-")):
                    return language
        return known[0]

    @cached_property
    def samples(self) -> list[str]:
        """A picture of each type that the study has: what browsers try whether they show it."""
        found: dict[str, str] = {}
        # What material names need not be there: labelling goes on without missing pictures.
        for name in sorted(self._pictures):
            path = self.find_picture(name)
            if path is not None and path.suffix.lower() not in found and path.is_file():
                found[path.suffix.lower()] = name
        return list(found.values())

    def find_picture(self, name: str) -> Path | None:
        """Returns the file of a picture that the study plays with; None for anything else."""
        found = self.study.find_picture(name) if name in self._pictures else None
        return found if found and found.suffix.lower() in PICTURE_TYPES else None

    def render(self, template: str, language: str, **values: Any) -> str:
        """Renders a template in a language.

        Args:
            template: its file, of the rooms' own or of the scenario's room.
            language: of the texts; one that the study has.
            values: further names that the template knows.
        """
        shown = {"study": self.study.settings, "plan": self.plan, "alone": self.alone, **values}
        shown["styles"] = self.styles
        return self._environment.get_template(template).render(
            t=self.texts[language], language=language, warm_up=self.has_warm_up, **shown
        )


def list_folders(room: Path, plan: RoomPlan) -> list[Path]:
    """Returns where a room's files lie: first what it shares with others, then its own.

    Of files that have the same name, that of the last folder counts.

    Raises:
        SourceError: a folder that ``room.toml`` names is not there.
    """
    # A bare name is that of a kit; all else is seen from the room.
    shared = [KITS / each if "/" not in each else room / each for each in plan.shared]
    for each in shared:
        if not each.is_dir():
            raise SourceError(f"{room / 'room.toml'}: shared: {each} is not a folder.")
    return [*(each.resolve() for each in shared), room]


_BOLD = re.compile(r"\*\*(.+?)\*\*")


def render_paragraphs(text: str) -> Markup:
    """Writes a text with headings, lists and ``**bold**`` words as HTML; all else is escaped."""
    parts: list[Markup] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.splitlines()]
        if lines[0].startswith("#"):
            parts.append(Markup('<h2 dir="auto">{}</h2>').format(lines[0].lstrip("# ")))
            lines = lines[1:]
        if lines and all(line.startswith("- ") for line in lines):
            items = Markup("").join(
                Markup("<li>{}</li>").format(_render_words(line[2:])) for line in lines
            )
            parts.append(Markup('<ul dir="auto">{}</ul>').format(items))
        elif lines:
            parts.append(Markup('<p dir="auto">{}</p>').format(_render_words(" ".join(lines))))
    return Markup("\n").join(parts)


def _render_words(text: str) -> Markup:
    # Escaped first, so that the only tags in it are those put in here.
    return Markup(_BOLD.sub(r"<strong>\1</strong>", str(escape(text))))  # noqa: S704 - escaped
