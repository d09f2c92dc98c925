"""What agents may call: lists, searches, dialogues, SQL, checks, figures and worlds.

Nothing here writes, and every answer is bounded. The protocol that agents speak is no matter of
this module; ``commonground mcp`` serves the tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from threading import Lock
from typing import Annotated, Any

import msgspec

from commonground.corpora import find_corpus
from commonground.errors import CommongroundError, find_named
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.terminal import render_transcript
from commonground.figures.access import stats
from commonground.figures.figure_files import find_figures
from commonground.files.pictures import shrink_picture
from commonground.findings import shorten
from commonground.model import Dialogue, Json, Utterance
from commonground.play.world import Desk, read_arguments, write_schema
from commonground.printing import count_of
from commonground.schema import TABLES, VIEWS
from commonground.store.access import check
from commonground.store.opening import Store
from commonground.store.pictures import PictureFile, folder_of
from commonground.store.sql.limits import page_limits
from commonground.store.sql.query import Database

MOST_CHARACTERS = 24_000
"""Characters of an answer; a longer one is cut, and says so."""

MOST_ROWS = 200
"""Rows of a query, figures' rows and places of findings."""

MOST_FOUND = 50
"""Dialogues that a search lists at once."""

MOST_PICTURES = 8
"""Pictures that come with a dialogue."""

MOST_LINES = 400
"""Lines of a transcript that come at once."""

CELL_CHARACTERS = 1_000
"""Characters of a cell of a query; longer ones are cut, and say how long they are."""

PICTURE_PX = 384
"""Longest side of the pictures that come with a dialogue."""

_MESSAGE = 2_000
"""Characters of what is wrong with a call, beside what to do about it."""

_OPENING = 120
"""Characters of the first utterance that a search shows."""


class Picture(msgspec.Struct, frozen=True):
    """A picture of an answer: which object's it is, and its bytes, JPEG."""

    object_id: str
    data: bytes


class ToolAnswer(msgspec.Struct, frozen=True):
    """What a tool answers.

    Attributes:
        text: JSON or a transcript.
        pictures: those that belong to it, small.
        is_error: whether the text says what was wrong with the call.
    """

    text: str
    pictures: list[Picture] = []
    is_error: bool = False


class AgentTool(msgspec.Struct, frozen=True):
    """A tool that agents may call.

    Attributes:
        name: letters, digits, underscores and hyphens.
        description: what it is for.
        parameters: JSON Schema of its arguments.
        run: takes an object of arguments.
        is_pure: whether calling it twice is the same as once; an order is not.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    run: Callable[[Json], ToolAnswer]
    is_pure: bool = True


_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Search(msgspec.Struct, forbid_unknown_fields=True):
    corpus: str
    query: str = ""
    first: _Count = 0


class _Show(msgspec.Struct, forbid_unknown_fields=True):
    corpus: str
    dialogue_id: str
    first_line: _Count = 0
    annotations: bool = False
    pictures: bool = False


class _Sql(msgspec.Struct, forbid_unknown_fields=True):
    query: str
    corpora: list[str] = []


class _Check(msgspec.Struct, forbid_unknown_fields=True):
    corpus: str
    code: str | None = None


class _Stats(msgspec.Struct, forbid_unknown_fields=True):
    corpus: str
    figure: str | None = None


class AgentTools:
    """The tools over one store, and over worlds.

    Args:
        store: that is asked.
        worlds: by name; each has tools of its own.

    Attributes:
        tools: by name.
    """

    def __init__(self, store: Store, worlds: Iterable[Desk] = ()) -> None:
        self._store = store
        self._opened = OpenCorpora(store)
        self._lock = Lock()
        own: Sequence[tuple[str, str, type[msgspec.Struct], Callable[[Any], ToolAnswer]]] = (
            ("list_corpora", "Lists the imported corpora, with their terms.", _Nothing, self._list),
            (
                "search",
                "Finds dialogues by words and fields; an empty query finds all. A page of the "
                f"answer has {MOST_FOUND}; `first` is the number of its first, from 0.",
                _Search,
                self._search,
            ),
            (
                "show",
                f"Shows a dialogue as a transcript, {MOST_LINES} lines from `first_line` on, with "
                f"acts and spans where `annotations` is true, and up to {MOST_PICTURES} pictures "
                "where `pictures` is.",
                _Show,
                self._show,
            ),
            ("tables", "Lists the tables that SQL can query.", _Nothing, self._list_tables),
            (
                "sql",
                "Runs one SELECT of DuckDB's SQL on the tables, of all corpora or of those named. "
                f"It cannot write or read files; {MOST_ROWS} rows at most.",
                _Sql,
                self._sql,
            ),
            (
                "check",
                "Counts what is wrong or odd in an imported corpus by rule; with a code, such as "
                "CG-FRAMES-007, lists the places of that rule.",
                _Check,
                self._check,
            ),
            (
                "stats",
                "Lists the figures of a corpus; with a figure, gives its numbers.",
                _Stats,
                self._stats,
            ),
        )
        self.tools = {
            name: AgentTool(name, text, write_schema(kind), partial(_answer, name, kind, run))
            for name, text, kind, run in own
        }
        for desk in worlds:
            for tool in self._list_world(desk):
                self.tools[tool.name] = tool

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """Calls a tool with an object of JSON, or None; what is wrong with it is an answer, too."""
        try:
            tool = find_named("tool", name, self.tools)
            return bound(tool.run({} if arguments is None else arguments))
        except CommongroundError as error:
            # What was sent may be endless, and what to do stands after it.
            said = f"{shorten(error.message, _MESSAGE)} {error.advice}".strip()
            return bound(ToolAnswer(said, is_error=True))

    def _list_world(self, desk: Desk) -> Iterable[AgentTool]:
        for function in desk.world.functions.values():
            yield AgentTool(
                f"{desk.world.name}_{function.name}",
                function.description,
                function.parameters,
                partial(self._call_world, desk, function.name),
                is_pure=function.name.startswith(("find", "get", "resolve", "search", "check")),
            )

    def _call_world(self, desk: Desk, name: str, arguments: Json) -> ToolAnswer:
        # Calls may come at once, and each begins where the one before ended.
        with self._lock:
            return _write(desk.call(name, arguments))

    def _list(self, _asked: _Nothing) -> ToolAnswer:
        found = []
        for opened in self._opened:
            about, corpus = find_corpus(opened.name).manifest, opened.corpus
            terms = {"licence": about.licence, "terms": about.terms}
            counts: dict[str, Any] = {"dialogues": len(corpus), "splits": corpus.splits()}
            found.append({"corpus": opened.name, "title": about.title, **counts, **terms})
        return _write(found)

    def _search(self, asked: _Search) -> ToolAnswer:
        opened = self._opened.get(asked.corpus)
        ordinals = opened.select(asked.query).ordinals.tolist()
        page = ordinals[asked.first : asked.first + MOST_FOUND]
        ids = [opened.index.blocks.ids[each] for each in page]
        dialogues = [
            {"dialogue_id": each, "begins": _begin(opened.corpus.dialogue(each))} for each in ids
        ]
        return _write({"found": len(ordinals), "first": asked.first, "dialogues": dialogues})

    def _show(self, asked: _Show) -> ToolAnswer:
        dialogue = self._opened.get(asked.corpus).corpus.dialogue(asked.dialogue_id)
        lines = render_transcript(asked.corpus, dialogue, annotations=asked.annotations)
        shown = [line.plain for line in islice(lines, asked.first_line, None)]
        left = len(shown) - MOST_LINES
        if left > 0:
            go_on = asked.first_line + MOST_LINES
            shown[MOST_LINES:] = [f"[{count_of(left, 'more line')}: first_line {go_on}]"]
        pictures = _find_pictures(dialogue) if asked.pictures else []
        return ToolAnswer("\n".join(shown), pictures)

    def _list_tables(self, _asked: _Nothing) -> ToolAnswer:
        return _write(
            [{"table": t.name, "row": t.row, "columns": t.names} for t in (*TABLES, *VIEWS)]
        )

    def _sql(self, asked: _Sql) -> ToolAnswer:
        store = self._store.only(asked.corpora or self._store.all_corpora())
        database = Database(store.path, store.manifests)
        limits = page_limits(MOST_ROWS)
        found = database.select(asked.query, limits=limits, cut=True, width=CELL_CHARACTERS)
        rows = [list(row) for row in found.rows]
        about = {"columns": found.columns}
        return _write_rows(about, "rows", rows, is_cut=found.is_cut, width=CELL_CHARACTERS)

    def _check(self, asked: _Check) -> ToolAnswer:
        checked = check(asked.corpus, store=self._store.path)
        if asked.code is None:
            return _write(checked.counts)
        places = checked.places(asked.code)
        return _write_rows({"count": len(places)}, "places", places)

    def _stats(self, asked: _Stats) -> ToolAnswer:
        self._store.corpus(asked.corpus)  # says what is there where it is not
        if asked.figure is None:
            figures = find_figures(asked.corpus)
            return _write([{"figure": each.name, "title": each.title} for each in figures])
        (plot,) = stats(asked.corpus, asked.figure, store=self._store.path)
        columns = [each.name for each in plot.table.figure.columns]
        about = {"title": plot.table.figure.title, "published": plot.agreement()}
        return _write_rows({**about, "columns": columns}, "rows", plot.rows)


def _answer(
    name: str, kind: type[msgspec.Struct], run: Callable[[Any], ToolAnswer], arguments: Json
) -> ToolAnswer:
    return run(read_arguments(name, arguments, kind))


def _write(value: Any) -> ToolAnswer:
    return ToolAnswer(_encode(value))


def _encode(value: Any) -> str:
    # Times, decimals and the like have no form in JSON: they become text.
    plain = msgspec.to_builtins(value, enc_hook=str)
    return json.dumps(plain, ensure_ascii=False, default=str)


def _write_rows(
    about: dict[str, Any],
    name: str,
    rows: Sequence[Any],
    *,
    is_cut: bool = False,
    width: int | None = None,
) -> ToolAnswer:
    """Writes as many rows as an answer may hold, and whether there are more.

    They stand after ``about``. ``is_cut`` says that rows are missing already, and ``width`` beyond
    how many characters cells were cut, which is counted; None where none were.
    """
    room = MOST_CHARACTERS - len(_encode(about)) - 100  # for the names of what follows
    shown: list[Any] = []
    for row in rows[:MOST_ROWS]:
        room -= len(_encode(row)) + 2
        if room < 0:
            break
        shown.append(row)
    answer = {**about, name: shown, "is_cut": is_cut or len(shown) < len(rows)}
    if width is not None:
        # With the note of how long it was, a cell that was cut is longer than any other.
        cells = (cell for row in shown for cell in row if isinstance(cell, str))
        answer["cut_cells"] = sum(len(cell) > width for cell in cells)
    return _write(answer)


def bound(answer: ToolAnswer) -> ToolAnswer:
    """Cuts an answer that is longer than it may be, and says so."""
    if len(answer.text) <= MOST_CHARACTERS:
        return answer
    note = f"\n[cut: it had {len(answer.text):,} characters; ask for less]"
    return msgspec.structs.replace(answer, text=answer.text[: MOST_CHARACTERS - len(note)] + note)


def _begin(dialogue: Dialogue) -> str:
    said = next((each.text for each in dialogue.events if isinstance(each, Utterance)), "")
    return said if len(said) <= _OPENING else said[:_OPENING] + "…"


def _find_pictures(dialogue: Dialogue) -> list[Picture]:
    """Returns the first different pictures that the dialogue shows, in order."""
    folder, addresses = folder_of(dialogue), {o.object_id: o.uri for o in dialogue.objects}
    shown = dict.fromkeys(each.object_id for each in dialogue.displays)
    files = ((each, folder.find(addresses.get(each))) for each in (shown or addresses))
    small = (
        (each, shrink_picture(file.path, (PICTURE_PX, PICTURE_PX), quality=80))
        for each, file in files
        if isinstance(file, PictureFile)
    )
    found = (Picture(object_id, data) for object_id, data in small if data is not None)
    return list(islice(found, MOST_PICTURES))
