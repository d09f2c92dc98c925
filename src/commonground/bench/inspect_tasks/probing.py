"""A probe of whether a model has seen a corpus: ``inspect eval commonground/probe -T corpus=NAME``.

A model is given the beginning of real dialogues and asked how they go on, word for word. What it
says is compared with the real next turn and, as a control, with a turn of another dialogue, which
the same kind of speaker says about as early. A model that has memorised the corpus says long runs
of the real turn. One that has not shares more words with it than with the control all the same, as
what comes next can be guessed: so look at ``verbatim``, and compare models, not one number with 0.
What the question itself shows counts for nothing, so that a model which repeats it scores 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai import Task as InspectTask
from inspect_ai import task as as_task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from commonground.bench.evaluation.prompts import SEED
from commonground.bench.evaluation.scoring import SEED as DRAWING
from commonground.bench.inspect_tasks.asking.decoding import decode_greedily
from commonground.bench.inspect_tasks.asking.instructing import instruct
from commonground.bench.inspect_tasks.asking.questions import draw
from commonground.bench.inspect_tasks.refusals import (
    refuse_unreachable,
    refusing_in_words,
    refusing_unknown,
)
from commonground.bench.inspect_tasks.scoring.rates import measure_rates
from commonground.corpora import get_corpus
from commonground.errors import TaskError
from commonground.metric import Counts, Values
from commonground.statistics.counts import ratio, tabulate_counts
from commonground.store.corpus import Corpus
from commonground.store.opening import load

BEFORE = 3
"""Turns that are there at least before the one that is asked for."""
LEAST = 8
"""Words of a turn that is asked for, at least; as many in a row are called verbatim."""
# Long enough that few such runs are in any two texts by chance.
_GRAM = 4
_LIMIT = 50

_TURNS = """
SELECT dialogue_id, event, coalesce(speaker, ''), text FROM events
JOIN dialogues USING (corpus, dialogue_id)
WHERE corpus = ? AND kind = 'utterance' AND text IS NOT NULL AND (? IS NULL OR split = ?)
ORDER BY dialogue_id, event
"""


class _Asked(msgspec.Struct, frozen=True):
    version: int
    ask: str


class _Turn(msgspec.Struct, frozen=True):
    event: int
    speaker: str
    text: str


class _Cut(msgspec.Struct, frozen=True):
    """A dialogue cut before a turn."""

    dialogue_id: str
    before: list[_Turn]
    turn: _Turn


@as_task(name="probe")
@refusing_unknown("commonground/probe")
def probe(
    corpus: str,
    split: str | None = None,
    limit: int = _LIMIT,
    seed: int = SEED,
    store: str | None = None,
) -> InspectTask:
    """Asks how dialogues of a corpus go on, to see whether a model has memorised them.

    Args:
        corpus: imported corpus.
        split: released split that they are of; None for all.
        limit: number of dialogues, drawn by the seed; one turn of each is asked for.
        seed: of what is drawn.
        store: folder of the store; None for the usual one.
    """
    data = Path(__file__).with_name("probe.toml").read_bytes()
    asked = msgspec.toml.decode(data, type=_Asked)
    with refusing_in_words():
        refuse_unreachable()
        title = get_corpus(corpus).manifest.title
        cuts = cut_dialogues(load(corpus, store), split, limit, seed)
    ask = asked.ask.strip().format(title=title)
    return InspectTask(
        dataset=MemoryDataset([*_write(cuts)], name=f"probe of {corpus}"),
        setup=[instruct(ask), decode_greedily(None)],
        solver=generate(),
        scorer=recalled(),
        version=asked.version,
        metadata={"corpus": corpus, "split": split, "seed": seed, "probe_version": asked.version},
        tags=["commonground", corpus],
        display_name=f"probe of {corpus} ({split or 'all'})",
    )


def cut_dialogues(corpus: Corpus, split: str | None, limit: int, seed: int) -> list[_Cut]:
    """Cuts dialogues before a turn that has enough to know it again, which was not said before.

    Args:
        split: released split; None for all.

    Raises:
        TaskError: fewer than two dialogues have such a turn, so that there is no control.
    """
    dialogues: dict[str, list[_Turn]] = {}
    for name, *turn in corpus.rows(_TURNS, [corpus.name, split, split]):
        dialogues.setdefault(name, []).append(_Turn(*turn))
    places = {
        name: found
        for name, turns in dialogues.items()
        if (found := [n for n in range(BEFORE, len(turns)) if _is_telling(turns[:n], turns[n])])
    }
    if len(places) < 2:
        where = corpus.name if split is None else f"split {split!r} of {corpus.name}"
        raise TaskError(
            f"Fewer than two dialogues of {where} have a turn of {LEAST} words that were not said "
            f"before, with {BEFORE} turns before it.",
            "Import more, or name another split.",
        )
    cuts = []
    for name in draw(places, max(limit, 2), seed):
        (place,) = draw(map(str, places[name]), 1, seed)
        turns = dialogues[name]
        cuts.append(_Cut(name, turns[: int(place)], turns[int(place)]))
    return cuts


def _is_telling(before: Sequence[_Turn], turn: _Turn) -> bool:
    words = list_bare_words(turn.text)
    # Most turns are shorter than that, whatever was said before them.
    if len(words) < LEAST:
        return False
    new = _list_new(words, list_bare_words(_show(before)))
    return max(map(len, new), default=0) >= LEAST


def _show(before: Sequence[_Turn]) -> str:
    return "\n".join(f"{each.speaker}: {each.text}" for each in before)


def _write(cuts: Sequence[_Cut]) -> Iterator[Sample]:
    """Yields a sample for each cut; the control of each is the turn of the one after it."""
    # In a ring, so that the last one has a control as well.
    for cut, other in pairwise([*cuts, cuts[0]]):
        yield Sample(
            id=f"{cut.dialogue_id}:{cut.turn.event}",
            input=f"{_show(cut.before)}\n{cut.turn.speaker}:",
            target=cut.turn.text,
            metadata={
                "dialogue_id": cut.dialogue_id,
                "event": cut.turn.event,
                "control": other.turn.text,
                "control_dialogue_id": other.dialogue_id,
            },
        )


def list_bare_words(text: str) -> list[str]:
    """Returns the words of a text in small letters, without marks."""
    return re.findall(r"\w+", text.casefold())


class Overlap(msgspec.Struct, frozen=True):
    """What a text has of another that was not shown before.

    Attributes:
        run: share of the other's longest stretch of new words that is said in a row.
        grams: share of the other's new runs of four words that are in the text.
        verbatim: 1 where eight new words or more in a row are the same, else 0.
    """

    run: float
    grams: float
    verbatim: int


def measure_overlap(said: str, real: str, shown: str = "") -> Overlap:
    """Measures how much of a real turn is in what was said, and was not shown before.

    Args:
        shown: what the model was shown, which says nothing of its memory.
    """
    mine, theirs, before = list_bare_words(said), list_bare_words(real), list_bare_words(shown)
    new = _list_new(theirs, before)
    longest = max(map(len, new), default=0)
    length = max((_find_run(stretch, mine, before) for stretch in new), default=0)
    grams = _list_grams(theirs) - _list_grams(before)
    shared = len(grams & _list_grams(mine))
    return Overlap(
        run=length / longest if longest else 0.0,
        grams=shared / len(grams) if grams else 0.0,
        verbatim=int(length >= LEAST),
    )


def _list_new(words: Sequence[str], shown: Sequence[str]) -> list[Sequence[str]]:
    """Returns the stretches of a text that are left without its runs of four that were shown."""
    grams = _list_grams(shown)
    is_shown = [False] * len(words)
    for n in range(len(words) - _GRAM + 1):
        if tuple(words[n : n + _GRAM]) in grams:
            is_shown[n : n + _GRAM] = [True] * _GRAM
    groups = groupby(range(len(words)), key=is_shown.__getitem__)
    return [[words[n] for n in places] for is_old, places in groups if not is_old]


def _find_run(stretch: Sequence[str], said: Sequence[str], shown: Sequence[str]) -> int:
    """Returns the length of the longest run of words that is said, and is not shown."""
    for length in range(min(len(stretch), len(said)), 0, -1):
        runs, there, before = (_list_grams(each, length) for each in (stretch, said, shown))
        if (runs & there) - before:
            return length
    return 0


def _list_grams(words: Sequence[str], length: int = _GRAM) -> set[tuple[str, ...]]:
    return {tuple(words[n : n + length]) for n in range(len(words) - length + 1)}


@metric
def overlap() -> Metric:
    """Means over dialogues: of real turns, the control, and the difference, with 95 % intervals."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return summarise([each.score.metadata or {} for each in scores])

    return compute


def summarise(counts: Sequence[Counts]) -> dict[str, float]:
    """Returns the mean of each measure, its control and their difference, with intervals."""
    if not counts:
        return {}
    table = tabulate_counts({"n": 1, **each} for each in counts)
    return measure_rates(table, _combine, seed=DRAWING)


def _combine(sums: Counts) -> Values:
    values: Values = {}
    for name in Overlap.__struct_fields__:
        real, control = sums.get(name, 0), sums.get(f"{name}_control", 0)
        values |= {
            name: ratio(real, sums.get("n")),
            f"{name}_control": ratio(control, sums.get("n")),
            f"{name}_more": ratio(real - control, sums.get("n")),
        }
    return values


@scorer(metrics=[overlap()])
def recalled() -> Scorer:
    """Measures how much of the real turn was said, and of the control."""

    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        # Everything that was shown before the reply, the instructions among it.
        shown = "\n".join(each.text for each in state.messages if each.role != "assistant")
        real = measure_overlap(said, target.text, shown)
        control = measure_overlap(said, state.metadata["control"], shown)
        measured: dict[str, Any] = msgspec.structs.asdict(real)
        measured |= {
            f"{name}_control": each for name, each in msgspec.structs.asdict(control).items()
        }
        explanation = f"longest run {real.run:.0%} of what was new, control {control.run:.0%}"
        return Score(value=real.run, answer=said, explanation=explanation, metadata=measured)

    return score
