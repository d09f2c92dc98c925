"""What a figure is; corpora fill it, ``figures`` runs and draws it.

A figure is a table of numbers about one corpus, with a chart of it and the numbers that somebody
published for it. It is a file ``corpora/<name>/figures/<figure>.sql`` (see
``figures.figure_files``) or, where something is computed that SQL cannot say, a header alone,
``<figure>.toml``, that names a function of a module of that folder; a corpus without the folder has
none. Nothing here knows how to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

import msgspec

T = TypeVar("T")

Row = Sequence[Any]
"""The cells of a row, in the order of the figure's columns."""

ChartKind = Literal["bar", "line", "histogram", "heatmap", "none"]


class Data(Protocol):
    """What a computed figure may ask: the store, seen by one corpus."""

    @property
    def corpus(self) -> str:
        """Name of the corpus whose rows the figure counts."""

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Runs one SQL query; ``$corpus`` in it is the name of the corpus.

        Raises:
            StoreError: the query is wrong.
        """

    def share(self, function: Callable[[Data], T]) -> T:
        """Calls a function of this object once, and gives the same answer from then on.

        Several figures can use one costly piece of work, such as all tokens.
        """


class FigureColumn(msgspec.Struct, frozen=True):
    """A column of a figure.

    Attributes:
        name: as in SQL and CSV.
        title: for people, in a few words.
        unit: ``s``, ``%``, ``games``; empty where the title says it.
        digits: digits after the point to show; None shows whole numbers whole and six
            significant digits of others.
    """

    name: str
    title: str
    unit: str = ""
    digits: int | None = None


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """How a figure is drawn: names of columns, and nothing of any drawing library.

    Attributes:
        kind: ``bar``: one bar a row, side by side where ``color`` divides them; ``line``: points
            joined in order of ``x``; ``histogram``: rows are bins, ``x`` their lower ends, all
            of one width; ``heatmap``: a cell a row, at ``x`` and ``y``, its value in ``color``;
            ``none``: a table only.
        x: column along the horizontal axis.
        y: columns along the vertical axis, a panel for each; exactly one for heatmaps. Where a
            figure has two more columns with ``_low`` and ``_high`` after the name of one, lines
            have a band between them, and bars a rule.
        color: column that divides rows into series; the value of a heatmap; None for neither.
        log: whether the vertical axis is logarithmic.
        zero: whether the vertical axis of a line chart begins at zero (bars always do).
        step: width of the bins of a histogram; None for the least distance between two of them,
            which is too much where rows are few.
    """

    kind: ChartKind = "bar"
    x: str = ""
    y: tuple[str, ...] = ()
    color: str | None = None
    log: bool = False
    zero: bool = True
    step: int | None = None


class RowDialogues(msgspec.Struct, frozen=True, kw_only=True):
    """The dialogues that each row of a figure comes from.

    Exactly one of ``query`` and ``compute`` is given.

    Attributes:
        keys: columns of the figure whose cells together name a row.
        query: SQL over the tables of the store that gives these columns, under their names, and
            ``dialogue_id``; ``$corpus`` is the name of the corpus. Rows may come more than once.
        compute: a pure function that gives the same, for what SQL cannot say.
        partial: whether a row may come from no dialogue of the store, such as one of a file that
            names none; that row has no link then.
    """

    keys: tuple[str, ...]
    query: str | None = None
    compute: Callable[[Data], Iterable[Row]] | None = None
    partial: bool = False


class PublishedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A number that somebody published, and the cell of ours that it is to be compared with.

    Attributes:
        name: what it is, in a few words.
        column: column of the cell.
        row: values that the row has in some columns, as text or number; empty means the only
            or first row.
        value: the number, in the unit of the column.
        unit: its unit; empty for a plain number.
        source: where it stands: paper with table or page, or file at commit.
        tolerance: greatest difference that counts as equal, such as half of the last digit
            that was published.
        why: why ours differs; empty where it does not.
        corpus: name of the corpus it is for; empty where the folder has one corpus only.
        file_format: format of the files it is counted in, where these hold no dialogues: whether
            all of these were imported decides then; empty where dialogues are counted.
    """

    name: str
    column: str
    row: Mapping[str, Any] = {}
    value: float
    unit: str = ""
    source: str
    tolerance: float = 0.0
    why: str = ""
    corpus: str = ""
    file_format: str = ""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A table of numbers about a corpus, how to draw it, and what was published of it.

    Exactly one of ``query`` and ``compute`` is given.

    Attributes:
        name: unique in its corpus, as in file names: ``rounds``, ``score-shares``.
        order: where it stands among the others: lower numbers come first.
        title: for people, in a few words.
        caption: one sentence: what is counted, and how.
        columns: the columns, in order.
        query: SQL over the tables of the store that gives these columns under these names;
            ``$corpus`` is the name of the corpus.
        compute: a pure function that gives the rows, for what SQL cannot say.
        chart: how it is drawn.
        link: the query, in the explorer's language, that finds the dialogues of a row, with
            names of columns in braces: ``score:{score}``; None where no query can say it.
        row_dialogues: the dialogues of each row, where no query of the explorer finds them; None
            where ``link`` does.
        published: the published numbers.
        corpora: names of the corpora it is for; empty for all of its folder.
        wording: whether its rows hold what somebody wrote, and not labels and numbers only; such
            rows are shown, and stay out of the docs.
        listing: whether it lists games or the like one by one: the docs have the first rows, and
            its CSV and JSON all.
    """

    name: str
    order: int = 1000
    title: str
    caption: str
    columns: tuple[FigureColumn, ...]
    query: str | None = None
    compute: Callable[[Data], Sequence[Row]] | None = None
    chart: Chart = Chart(kind="none")
    link: str | None = None
    row_dialogues: RowDialogues | None = None
    published: tuple[PublishedValue, ...] = ()
    corpora: tuple[str, ...] = ()
    wording: bool = False
    listing: bool = False

    def has_interval(self, name: str) -> bool:
        """Says whether a column has two more with the ends of its interval."""
        known = {column.name for column in self.columns}
        return {f"{name}_low", f"{name}_high"} <= known

    def find_units(self) -> FigureColumn | None:
        """Returns the column that counts the dialogues of a row; None where there is none."""
        units = ("dialogues", "games", "threads")
        return next((each for each in self.columns if each.name in units), None)

    def find_column(self, name: str) -> FigureColumn:
        """Returns the column of that name.

        Raises:
            KeyError: there is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)
