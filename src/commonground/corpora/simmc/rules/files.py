"""Rules on SIMMC 1's catalogues, state tracking targets and lists of dialogues."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import UNSET

from commonground.corpora.simmc.convert.labels import THING
from commonground.corpora.simmc.convert.objects import catalogue_id, fashion_object
from commonground.corpora.simmc.native.catalogue import FashionItem, FurnitureItem
from commonground.corpora.simmc.native.reprs import parse_literal
from commonground.corpora.simmc.native.targets import DialogueNumber, Target
from commonground.corpora.simmc.rules.annotations import ACT, NUMBERED
from commonground.findings import Examined, Place, Ruleset

fashion_metadata = Ruleset("CG-SIMMC-", "fashion_metadata", known=0)
furniture_metadata = Ruleset("CG-SIMMC-", "furniture_metadata")
targets = Ruleset("CG-SIMMC-", "targets", known=0)
dialogue_numbers = Ruleset("CG-SIMMC-", "dialogue_numbers")


@fashion_metadata.note(121, known=1990)
def sizes_text(record: FashionItem) -> Iterator[Place]:
    """The sizes of an item are a list written as text.

    Code that expects a list gets single characters.

    Read the text as a Python list.
    """
    sizes = record.metadata.availableSizes
    if isinstance(sizes, str):
        yield Place(".metadata.availableSizes", "a list", sizes)


@fashion_metadata.error(122)
def sizes_unreadable(record: FashionItem) -> Iterator[Place]:
    """The sizes of an item are a text that cannot be read as a list.

    The sizes are not known.

    Correct the text.
    """
    sizes = record.metadata.availableSizes
    if isinstance(sizes, str) and not isinstance(parse_literal(sizes), list):
        yield Place(".metadata.availableSizes", "a list", sizes)


@fashion_metadata.note(123, known=135)
def spelt_twice(record: FashionItem) -> Iterator[Place]:
    """An item has an attribute under two spellings.

    `hemlength` stands beside `hemLength`, `embellishment` beside `embellishments`.

    Treat both as one.
    """
    for wrong, right in (("hemlength", "hemLength"), ("embellishment", "embellishments")):
        if getattr(record.metadata, wrong) is not UNSET:
            yield Place(f".metadata.{wrong}", right, wrong)


@fashion_metadata.note(124, known=31)
def shared_picture(record: FashionItem, examined: Examined) -> Iterator[Place]:
    """Two items share a picture.

    `url` does not identify an item.

    Use the catalogue id.
    """
    context = examined.context
    first = context.first_urls.get(record.url)
    if first is not None:
        item = context.catalogue[catalogue_id("fashion", first)]
        # The record does not hold its own key: what is described alike is the first item itself.
        if item.attributes != fashion_object(record, first, {}).attributes:
            yield Place(".url", f"a picture other than item {first}'s", record.url)


@fashion_metadata.error(125)
def no_number(record: FashionItem) -> Iterator[Place]:
    """A price or rating is not a number.

    Comparisons of items come out wrong.

    Correct the text.
    """
    # $187 or $187.5.
    if not re.fullmatch(r"\$\d+(\.\d+)?", record.metadata.price):
        yield Place(".metadata.price", "$ and a number", record.metadata.price)
    if not re.fullmatch(r"\d+(\.\d+)?", record.metadata.customerRating):
        yield Place(".metadata.customerRating", "a number", record.metadata.customerRating)


# Such as long_sleeveStyle.
_SLEEVE = re.compile(r".+_sleeveStyle")


@fashion_metadata.note(126, known=199)
def item_sleeves(record: FashionItem) -> Iterator[Place]:
    """A sleeve value of an item ends in `_sleeveStyle` where `_sleeve` is meant.

    A search and replace for `sleeve` changed the values, too.

    Read `_sleeveStyle` as `_sleeve`.
    """
    values = record.metadata.sleeveStyle
    for place, value in enumerate(values if isinstance(values, list) else ()):
        if _SLEEVE.fullmatch(value):
            yield Place(f".metadata.sleeveStyle[{place}]", None, value)


@furniture_metadata.error(131)
def broken_row(record: FurnitureItem) -> Iterator[Place]:
    """A row of the furniture catalogue does not have the columns of the first row.

    The row is in no table but `native`.

    Look for a quote that is not closed.
    """
    if record.cells is None and "product_name" not in record.line:
        yield Place("", "a value per column", record.line)


@furniture_metadata.error(132)
def row_without_id(record: FurnitureItem) -> Iterator[Place]:
    """A row of the furniture catalogue has no id.

    No dialogue can refer to it.

    The id is the file name in the column `obj`.
    """
    if record.cells is not None and record.item_id is None:
        yield Place("", "a number in the column `obj`", record.cells.get("obj"))


@furniture_metadata.warning(133)
def unreadable_cell(record: FurnitureItem) -> Iterator[Place]:
    """A cell of the furniture catalogue begins like a list but is not one.

    The values in it are kept as one text.

    Correct the quotes, as the authors' own scripts do.
    """
    for value in (record.cells or {}).values():
        if value.startswith("[") and not isinstance(parse_literal(value), list):
            yield Place("", "a list", value)


@targets.error(141)
def broken_line(record: Target) -> Iterator[Place]:
    """A line does not have the form of a state tracking target.

    It cannot be scored.

    Check whether a text with a line break was written.
    """
    # Every released turn has an act at least, so an empty list is as broken as none.
    if not record.acts:
        yield Place("", "context => Belief State : acts <EOB> answer <EOS>", record.line)


@targets.note(142, known=2585)
def line_localt(record: Target) -> Iterator[Place]:
    """A target line says `212 Localt` instead of `cost`.

    A brand was replaced by search and replace, and `cos` inside `cost` with it.

    Read `212 Localt` as `cost`. A text counts again where it is the context of a turn.
    """
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


@targets.note(143, known=1027)
def fashion_unseen(record: Target) -> Iterator[Place]:
    """A fashion target refers to an object that has not been in view.

    Images in memory are never in view. 15 % of the references are of this kind; each thing counts
    once a line.

    Do not expect a model to find these by looking.
    """
    return _never_in_view(record, "fashion-O")


@targets.note(144, known=99)
def furniture_unseen(record: Target) -> Iterator[Place]:
    """A furniture target refers to an object that has not been in view.

    1.6 % of the references are of this kind; each object counts once per line.

    Do not expect a model to find these by looking.
    """
    return _never_in_view(record, "furniture-O")


@targets.warning(145)
def target_act(record: Target) -> Iterator[Place]:
    """A dialogue act of a target is not one of the corpus's acts.

    Counts by act, activity or object come out wrong.

    Check whether it is a typo.
    """
    for act in record.acts or ():
        if not ACT.fullmatch(act.act):
            yield Place("", "DA:<act>:<activity> or ERR:<error>", act.act)


@targets.warning(146)
def target_object(record: Target) -> Iterator[Place]:
    """An object slot of a target holds something other than `OBJECT_n`.

    The reference cannot be followed.

    Check which object is meant.
    """
    # Looks at the values of the slots `fashion-O` and `furniture-O`.
    for act in record.acts or ():
        for slot, value in act.slots:
            if slot.endswith("-O") and not THING.match(value):
                yield Place("", "OBJECT_n", value)


@targets.note(147, known=150)
def target_numbered(record: Target) -> Iterator[Place]:
    """A slot of a target has a number after its name.

    A query for `size` misses `size_1`.

    Treat the numbered slots like the others.
    """
    for act in record.acts or ():
        for slot, _ in act.slots:
            if NUMBERED.fullmatch(slot):
                yield Place("", None, slot)


@dialogue_numbers.error(151)
def no_dialogue_number(record: DialogueNumber) -> Iterator[Place]:
    """A line of a list of dialogues holds no number.

    A dialogue may be missing from its split.

    The list has one number per line.
    """
    if record.number is None:
        yield Place("", "a number", record.line)
