"""SIMMC as dialogues: a released turn becomes utterance, action and answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from commonground.corpora.simmc.context import Context, gather_context
from commonground.corpora.simmc.convert_simmc1 import convert_simmc1, silent_dialogue
from commonground.corpora.simmc.convert_simmc2 import convert_simmc2
from commonground.corpora.simmc.native import Dialogue1
from commonground.corpora.simmc.native_simmc2 import Dialogue2
from commonground.model import Dialogue, Object
from commonground.reading import Main, Options, Side, Where


def prepare(sides: Iterable[Side], mains: Iterable[Main], options: Options) -> Context:
    """Gathers API calls, candidates, catalogues and tasks."""
    return gather_context(sides, mains, options)


def convert(record: Dialogue1 | Dialogue2, where: Where, context: Context) -> Dialogue:
    """Turns a released dialogue, of version 1 or 2, into a dialogue.

    Raises:
        ConversionError: a number is out of all bounds, or a belief state slot is no pair.
    """
    if isinstance(record, Dialogue2):
        return convert_simmc2(record, where, context)
    return convert_simmc1(record, where, context)


def orphans(context: Context) -> Iterator[Dialogue]:
    """Gives the dialogues of which only the API calls are there: actions without words."""
    for dialogue_id in context.calls:
        if dialogue_id not in context.lengths:
            yield silent_dialogue(dialogue_id, context)


def shared_objects(context: Context) -> Iterator[Object]:
    """Gives the items of the catalogues."""
    yield from context.catalogue.values()
