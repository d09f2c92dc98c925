"""Whatever dialogues a store holds, ``hf`` and ``chat`` give back the tables that they carry."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonground.corpora import Entry
from commonground.exports.format import get_export
from commonground.exports.run import run_export
from commonground.exports.selection import Selection
from commonground.model import Dialogue, Withheld
from commonground.schema import TABLE_NAMES
from commonground.store.importing import import_corpus
from commonground.store.opening import Store, open_store
from tests.unit.exports.chat_reading import read_chat
from tests.unit.exports.hf_reading import read_hf

from .dialogues import Converter, corpora
from .formats.test_chat import expected, sort
from .formats.test_hf import in_order_of

# More of them in `make fuzz`.
EXAMPLES = 200 if "COMMONGROUND_FUZZ" in os.environ else 5
PROPERTY = settings(
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def converter(toy: Entry, monkeypatch: pytest.MonkeyPatch) -> Converter:
    made = Converter()
    monkeypatch.setattr(toy.module("convert"), "convert", made.convert)
    return made


def fill(store: Path, toy: Entry, converter: Converter, dialogues: Sequence[Dialogue]) -> Store:
    converter.write(dialogues, store.parent / "talks.json")
    import_corpus(toy, [store.parent / "talks.json"], store=store, jobs=1)
    found = open_store(store)
    assert len(found.corpus("toy")) == len(dialogues)
    return found


@PROPERTY
@given(dialogues=corpora)
def test_hf_gives_every_table_back(
    toy: Entry, converter: Converter, dialogues: list[Dialogue]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = fill(Path(folder, "store"), toy, converter, dialogues)
        out = Path(folder, "out")
        run_export(get_export("hf"), Selection(store, ["toy"]), out, {"native": True})
        corpus, found = store.corpus("toy"), read_hf(out)
        for name in TABLE_NAMES:
            before = in_order_of(corpus.ids(), corpus.table(name))
            assert in_order_of(corpus.ids(), found[name]).equals(before), name


@PROPERTY
@given(
    dialogues=corpora,
    arguments=st.sampled_from(("string", "object")),
    merge=st.booleans(),
    metadata=st.sampled_from(("inline", "beside")),
)
def test_chat_gives_what_it_carries_back(
    toy: Entry,
    converter: Converter,
    dialogues: list[Dialogue],
    arguments: str,
    merge: bool,
    metadata: str,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = fill(Path(folder, "store"), toy, converter, dialogues)
        out = Path(folder, "out")
        options = {"arguments": arguments, "merge": merge, "metadata": metadata, "silent": True}
        run_export(get_export("chat"), Selection(store, ["toy"]), out, options)
        views = {each.dialogue_id: choose(each) for each in dialogues if has_turn(each)}
        if not views:
            assert not [*out.rglob("*.jsonl")]
            return
        found = read_chat(out)
        beside = [*out.rglob("*.metadata.jsonl")]
        assert bool(beside) == (metadata == "beside")
        for name, table in expected(store, "toy", views).items():
            assert sort(found[name]).equals(sort(table)), name


def choose(dialogue: Dialogue) -> str:
    """Returns whose actions are shown: the first assistant's, or else the first speaker's."""
    first = dialogue.speakers[0]
    return next((s for s in dialogue.speakers if s.role == "assistant"), first).speaker


def has_turn(dialogue: Dialogue) -> bool:
    """Says whether the one whose actions are shown says or does anything, and is no lone user."""
    is_alone = len(dialogue.speakers) == 1 and dialogue.speakers[0].role == "user"
    mine = [each for each in dialogue.events if each.speaker == choose(dialogue)]
    return not is_alone and any(not isinstance(each, Withheld) for each in mine)
