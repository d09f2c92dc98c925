"""Rules on SIMMC 1's catalogues, state tracking targets and lists of dialogues."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import UNSET

from commonground.corpora.simmc.catalogue import FashionItem, FurnitureItem
from commonground.corpora.simmc.context import Context
from commonground.corpora.simmc.labels import THING
from commonground.corpora.simmc.objects import catalogue_id, fashion_object
from commonground.corpora.simmc.reprs import parse_literal
from commonground.corpora.simmc.rules_annotations import ACT, NUMBERED
from commonground.corpora.simmc.targets import DialogueNumber, Target
from commonground.findings import Examined, Place, rule


@rule(
    "CG-SIMMC-121",
    "note",
    "The sizes of an item are a text that holds a list.",
    why="Code that expects a list gets single letters.",
    advice="Read the text as a Python list.",
    format="fashion_metadata",
    known=1990,
)
def sizes_text(record: FashionItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks at the type of the sizes."""
    sizes = record.metadata.availableSizes
    if isinstance(sizes, str):
        yield Place(".metadata.availableSizes", "a list", sizes)


@rule(
    "CG-SIMMC-122",
    "error",
    "The sizes of an item are a text that holds no list.",
    why="The sizes are not known.",
    advice="Mend the text.",
    format="fashion_metadata",
    known=0,
)
def sizes_unreadable(record: FashionItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Reads the text."""
    sizes = record.metadata.availableSizes
    if isinstance(sizes, str) and not isinstance(parse_literal(sizes), list):
        yield Place(".metadata.availableSizes", "a list", sizes)


@rule(
    "CG-SIMMC-123",
    "note",
    "An item has an attribute under two spellings.",
    why="`hemlength` stands beside `hemLength`, `embellishment` beside `embellishments`.",
    advice="Take both together.",
    format="fashion_metadata",
    known=135,
)
def spelt_twice(record: FashionItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for the rarer spellings."""
    for wrong, right in (("hemlength", "hemLength"), ("embellishment", "embellishments")):
        if getattr(record.metadata, wrong) is not UNSET:
            yield Place(f".metadata.{wrong}", right, wrong)


@rule(
    "CG-SIMMC-124",
    "note",
    "Two items share a picture.",
    why="`url` does not identify an item.",
    advice="Use the catalogue id.",
    format="fashion_metadata",
    known=31,
)
def shared_picture(record: FashionItem, examined: Examined) -> Iterator[Place]:
    """Looks for an earlier item with the same picture."""
    context = examined.context
    first = context.first_urls.get(record.url) if isinstance(context, Context) else None
    if first is not None:
        item = context.catalogue[catalogue_id("fashion", first)]
        if item.attributes != fashion_object(record, first, {}).attributes:
            yield Place(".url", f"a picture other than item {first}'s", record.url)


@rule(
    "CG-SIMMC-125",
    "error",
    "A price or rating is no number.",
    why="Comparisons of items go wrong.",
    advice="Mend the text.",
    format="fashion_metadata",
    known=0,
)
def no_number(record: FashionItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks at the two texts."""
    if not re.fullmatch(r"\$\d+(\.\d+)?", record.metadata.price):
        yield Place(".metadata.price", "$ and a number", record.metadata.price)
    if not re.fullmatch(r"\d+(\.\d+)?", record.metadata.customerRating):
        yield Place(".metadata.customerRating", "a number", record.metadata.customerRating)


_SLEEVE = re.compile(r".+_sleeveStyle")


@rule(
    "CG-SIMMC-126",
    "note",
    "A sleeve value of an item ends in `_sleeveStyle` where `_sleeve` is meant.",
    why="`sleeve` was replaced by text search in the values too.",
    advice="Read `_sleeveStyle` as `_sleeve`.",
    format="fashion_metadata",
    known=199,
)
def item_sleeves(record: FashionItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for values that end in the name of the attribute."""
    values = record.metadata.sleeveStyle
    for place, value in enumerate(values if isinstance(values, list) else ()):
        if _SLEEVE.fullmatch(value):
            yield Place(f".metadata.sleeveStyle[{place}]", None, value)


@rule(
    "CG-SIMMC-131",
    "error",
    "A row of the furniture catalogue has not the columns of the first row.",
    why="The row is in no table but `native`.",
    advice="Look for a quote that is not closed.",
    format="furniture_metadata",
)
def broken_row(record: FurnitureItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for rows without cells that are not the row of column names."""
    if record.cells is None and "product_name" not in record.line:
        yield Place("", "a value per column", record.line)


@rule(
    "CG-SIMMC-132",
    "error",
    "A row of the furniture catalogue has no id.",
    why="No dialogue can refer to it.",
    advice="The id is the file name in the column `obj`.",
    format="furniture_metadata",
)
def row_without_id(record: FurnitureItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks at the column `obj`."""
    if record.cells is not None and record.item_id is None:
        yield Place("", "a number in the column `obj`", record.cells.get("obj"))


@rule(
    "CG-SIMMC-133",
    "warning",
    "A cell of the furniture catalogue begins like a list and is none.",
    why="The values in it are kept as one text.",
    advice="Mend the quotes, as the authors' own scripts do.",
    format="furniture_metadata",
)
def unreadable_cell(record: FurnitureItem, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Reads the cells that begin with a bracket."""
    for value in (record.cells or {}).values():
        if value.startswith("[") and not isinstance(parse_literal(value), list):
            yield Place("", "a list", value)


@rule(
    "CG-SIMMC-141",
    "error",
    "A line is not of the form of a state tracking target.",
    why="It cannot be scored.",
    advice="See whether a text with a line break was written.",
    format="targets",
    known=0,
)
def broken_line(record: Target, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for lines without acts."""
    if not record.acts:
        yield Place("", "context => Belief State : acts <EOB> answer <EOS>", record.line)


@rule(
    "CG-SIMMC-142",
    "note",
    "A target line says `212 Localt` in place of `cost`.",
    why="A brand was replaced by text search, and `cos` inside `cost` with it.",
    advice="Read `212 Localt` as `cost`. A text counts again where it is the context of a turn.",
    format="targets",
    known=2585,
)
def line_localt(record: Target, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Counts the artefact in the line."""
    for _ in range(record.line.count("212 Localt")):
        yield Place("", "cost", "212 Localt")


def _never_in_view(record: Target, prefix: str) -> Iterator[Place]:
    if record.action is not None:
        return  # the same dialogues again, with actions
    known = {*record.visible, *record.shown}
    slots = [pair for act in record.acts or () for pair in act.slots]
    for name in dict.fromkeys(value for slot, value in slots if slot == prefix):
        if name not in known:
            yield Place("", "a thing in view so far", name)


@rule(
    "CG-SIMMC-143",
    "note",
    "A fashion target refers to a thing that has not been in view.",
    why="Images in memory are never in view. 15 % of the references are of this kind; each "
    "thing counts once a line.",
    advice="Do not expect a model to find these by looking.",
    format="targets",
    known=1027,
)
def fashion_unseen(record: Target, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares references with what was in view so far."""
    return _never_in_view(record, "fashion-O")


@rule(
    "CG-SIMMC-144",
    "note",
    "A furniture target refers to a thing that has not been in view.",
    why="1.6 % of the references are of this kind; each thing counts once a line.",
    advice="Do not expect a model to find these by looking.",
    format="targets",
    known=99,
)
def furniture_unseen(record: Target, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares references with what was in view so far."""
    return _never_in_view(record, "furniture-O")


@rule(
    "CG-SIMMC-145",
    "warning",
    "A dialogue act of a target is not one of the corpus's acts.",
    why="Counts by act, activity or object go wrong.",
    advice="See whether it is a typing error.",
    format="targets",
    known=0,
)
def target_act(record: Target, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares acts with their pattern."""
    for act in record.acts or ():
        if not ACT.fullmatch(act.act):
            yield Place("", "DA:<act>:<activity> or ERR:<error>", act.act)


@rule(
    "CG-SIMMC-146",
    "warning",
    "An object slot of a target holds something else than `OBJECT_n`.",
    why="The reference cannot be followed.",
    advice="See which thing is meant.",
    format="targets",
    known=0,
)
def target_object(record: Target, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks at the values of the slots `fashion-O` and `furniture-O`."""
    for act in record.acts or ():
        for slot, value in act.slots:
            if slot.endswith("-O") and not THING.match(value):
                yield Place("", "OBJECT_n", value)


@rule(
    "CG-SIMMC-147",
    "note",
    "A slot of a target has a number behind its name.",
    why="A query for `size` misses `size_1`.",
    advice="Take the numbered slots together with the others.",
    format="targets",
    known=150,
)
def target_numbered(record: Target, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for `_1`, `_2` behind a slot's name."""
    for act in record.acts or ():
        for slot, _ in act.slots:
            if NUMBERED.fullmatch(slot):
                yield Place("", None, slot)


@rule(
    "CG-SIMMC-151",
    "error",
    "A line of a list of dialogues holds no number.",
    why="A dialogue may be missing from its split.",
    advice="The list has one number a line.",
    format="dialogue_numbers",
)
def no_dialogue_number(record: DialogueNumber, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for lines that are no number."""
    if record.number is None:
        yield Place("", "a number", record.line)
