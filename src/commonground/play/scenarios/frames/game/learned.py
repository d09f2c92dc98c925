"""What is suggested, learned from released dialogues: a linear model of acts with their slots.

It is learned from a file of the user's own, since the licence of Frames lets nobody pass on what
was made of it. Each pair of an act and a slot is there or not, whatever the others are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.corpora.frames.native import FORMATS, DialogueAct, FramesDialogue, Turn
from commonground.errors import FormatError, SourceError
from commonground.files.documents import decode_all
from commonground.files.outputs import new_file
from commonground.play.scenarios.frames.game.cues import Pair, read_pairs
from commonground.play.scenarios.frames.game.frame_book import (
    Book,
    bare_slots,
    created_by,
    noted_slots,
    open_book,
)
from commonground.play.scenarios.frames.game.hearing import (
    Found,
    Heard,
    find_mentions,
    find_values,
    hear,
    names_value,
)
from commonground.play.scenarios.frames.game.state import FramesState, MessageRun, Noted, Setting
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.travel.cards import TaskCard
from commonground.play.worlds.travel import find_facts, read_courses

_WORD = re.compile(r"\w+|[^\w\s]")
# The words of these differ from trip to trip: only what they are is learned from.
_MASKED = ("name", "dst_city", "or_city", "str_date", "end_date", "price")
_LONGEST = 3
_LEAST = 3
_FEWEST = 10
_STRENGTH = 0.5


class PairModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        features: index of each by its name.
        weights: float32, shape (features, pairs).
    """

    pairs: list[Pair]
    features: dict[str, int]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]


def list_pairs(acts: Iterable[DialogueAct]) -> set[Pair]:
    """Lists the pairs of acts and slots of a turn."""
    found: set[Pair] = set()
    for act in acts:
        slots = [slot.key for slot in bare_slots(act)] + [key for _, key, _ in noted_slots(act)]
        found.update((act.name, slot) for slot in slots or [""])
    return found


def describe(heard: Heard) -> set[str]:
    """Names what there is to go by: words, what they may be, and the frames before them."""
    found = find_values(heard)
    masked = _mask(heard.text, found)
    names = {f"w {each}" for each in _list_ngrams(masked, _LONGEST)}
    names.add(f"size {min(8, len(masked.split()))}")
    names.update(f"cue {act} {slot}" for act, slot in read_pairs(heard, found))
    names.update(_describe_before(heard))
    names.update(_describe_values(heard, found))
    return names


def _mask(text: str, found: dict[str, list[Found]]) -> str:
    spans = [each for slot in _MASKED for each in found.get(slot, ()) if each.end > each.start]
    parts, at = [], 0
    for each in sorted(spans, key=lambda s: (s.start, -s.end)):
        if each.start >= at:
            slot = {"or_city": "city", "dst_city": "city", "end_date": "date", "str_date": "date"}
            parts += [text[at : each.start], f" _{slot.get(each.slot, each.slot)}_ "]
            at = each.end
    plain = "".join([*parts, text[at:]]).lower().replace("’", "'")
    return re.sub(r"\b\d+\b", "0", plain)


def _list_ngrams(text: str, longest: int) -> Iterator[str]:
    words = ["^", *_WORD.findall(text), "$"]
    for size in range(1, longest + 1):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


def _describe_before(heard: Heard) -> Iterator[str]:
    if heard.before is None:
        yield "first"
        return
    last = _WORD.findall(heard.before.text.lower())
    for word in {*last}:
        yield f"before {word}"
    for each in _list_ngrams(" ".join(last[-8:]), 2):
        yield f"end {each}"
    acts = [note.act for note in heard.before.notes if note.act is not None]
    for name, slot in list_pairs(acts):
        yield f"act {name}"
        yield f"act {name} {slot}"
    yield f"made {min(3, len(heard.made))} {heard.book.active in heard.made}"
    yield f"frames {min(5, len(heard.book.frames))}"
    yield f"newest {heard.book.active == len(heard.book.frames)}"


def _describe_values(heard: Heard, found: dict[str, list[Found]]) -> Iterator[str]:
    book = heard.book
    held = book.held(book.active)
    others = [book.held(f.frame_id) for f in book.frames if f.frame_id != book.active]
    short = len(heard.text) < 40
    for slot, values in found.items():
        if slot in ("intent", "action"):
            continue
        yield f"has {slot} {min(3, len(values))}"
        for each in values:
            state = "active" if names_value(each, held) else "none"
            if state == "none" and any(names_value(each, other) for other in others):
                state = "other"
            yield f"is {slot} {state}"
            yield f"is {slot} {state} {slot in held}"
            yield f"is {slot} {state} short {short}"
    mentions = find_mentions(heard, found)
    made = [number for number in heard.made if number != book.active]
    yield f"mentions {min(2, len(mentions))}"
    for number, mine in mentions.items():
        slots = sorted({each.slot for each in mine})
        yield f"mention {'made' if number in made else 'older'} {' '.join(slots)}"
        for slot in slots:
            yield f"mention {'made' if number in made else 'older'} of {slot}"
            if len(mentions) == 1:
                yield f"only mention of {slot}"
    if not mentions and made:
        yield "made without mention"


_CARD = TaskCard("released", "strict", "", {})


class HeardTurn(NamedTuple):
    """A user turn as annotated, with the state before anything was noted of it."""

    state: FramesState
    turn: Turn


def read_dialogues(place: Path) -> list[FramesDialogue]:
    """Reads a released file, or ``frames.json`` in a folder.

    Raises:
        SourceError: it cannot be read.
        FormatError: it is no file of dialogues; the message says where.
    """
    file = place / "frames.json" if place.is_dir() else place
    try:
        data = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror}.") from error
    return [each.record for each in decode_all(str(file), data, FORMATS[0])]


def read_turns(dialogues: Sequence[FramesDialogue]) -> Iterator[HeardTurn]:
    """Yields every user turn with the state before it, which is the released one.

    The database is what searches found: the one that the wizards had was never released.
    """
    courses = [course for each in dialogues for course in read_courses(each)]
    material = FramesMaterial((_CARD,), find_facts(courses).packages)
    for dialogue in dialogues:
        before, runs = open_book(), list[MessageRun]()
        for turn in dialogue.turns:
            run = MessageRun(turn.author, before, (turn.text,), 0)
            if turn.author == "user":
                setting = Setting(material, _CARD, 0)
                yield HeardTurn(FramesState(setting, (*runs, run), last_us=0), turn)
            before = Book(tuple(turn.labels.frames), turn.labels.active_frame)
            notes = [Noted(a, before, made=created_by(a)) for a in turn.labels.acts]
            runs.append(msgspec.structs.replace(run, notes=tuple(notes)))


def learn(turns: Iterable[HeardTurn]) -> PairModel:
    """Fits a logistic regression for each pair: of a turn's words, and the frames before it."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    examples, pairs = [], []
    for state, turn in turns:
        examples.append(describe(hear(state)))
        labelled = list_pairs(turn.labels.acts)
        pairs.append(labelled | {(name, _ANY_SLOT) for name, _ in labelled})
    counts = Counter(name for each in examples for name in each)
    names = sorted(name for name, count in counts.items() if count >= _LEAST)
    index = {name: number for number, name in enumerate(names)}
    sizes = Counter(pair for mine in pairs for pair in mine)
    known = sorted(pair for pair, size in sizes.items() if size >= _FEWEST)
    rows = [sorted(index[name] for name in each if name in index) for each in examples]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.array([place for row in rows for place in row], np.int32)
    table = csr_matrix((np.ones(len(columns), np.float32), columns, ends), (len(rows), len(names)))
    weights = np.zeros((len(names), len(known)), np.float32)
    bias = np.zeros(len(known), np.float32)
    for place, pair in enumerate(known):
        right = np.array([pair in mine for mine in pairs])
        solver = LogisticRegression(C=_STRENGTH, solver="liblinear", random_state=0, tol=1e-2)
        solver.fit(table, right)
        weights[:, place], bias[place] = solver.coef_[0], solver.intercept_[0]
    return PairModel(known, index, weights, bias)


def learn_from(place: Path) -> PairModel:
    """Learns from a released file.

    Raises:
        SourceError, FormatError: as :func:`read_dialogues` does.
        FormatError: it has too few dialogues to learn from.
    """
    model = learn(read_turns(read_dialogues(place)))
    if not model.pairs:
        raise FormatError(f"{place} has too few dialogues to learn from.")
    return model


def score_pairs(model: PairModel, names: Iterable[str]) -> dict[Pair, float]:
    """Returns the probability of each pair."""
    rows = [model.features[name] for name in names if name in model.features]
    scores = model.weights[rows].sum(axis=0) + model.bias
    shares = 0.5 * (1 + np.tanh(0.5 * scores))
    return dict(zip(model.pairs, shares.tolist(), strict=True))


_ANY_SLOT = "*"
"""Stands in a model for an act with whichever slots."""

_LIKELY, _LIKELIEST = 0.45, 0.3
"""From where on a pair is suggested, and the likeliest one of a turn without any."""

_SCATTERED = {"affirm": 0.4, "negate": 0.15, "request_compare": 0.15}
"""Acts whose slots are so many that none is likely by itself: from where on one of them is."""


def choose_pairs(scores: Mapping[Pair, float]) -> set[Pair]:
    """Chooses pairs by their probabilities.

    An act has slots or none: of the two, the likelier one.
    """
    shares = {pair: share for pair, share in scores.items() if pair[1] != _ANY_SLOT}
    chosen = {pair for pair, share in shares.items() if share >= _LIKELY}
    for name, least in _SCATTERED.items():
        if scores.get((name, _ANY_SLOT), 0) >= least and not any(n == name for n, _ in chosen):
            alike = (pair for pair in shares if pair[0] == name)
            chosen.add(max(alike, key=lambda pair: shares[pair], default=(name, "")))
    if not chosen and shares:
        best = max(shares, key=lambda pair: shares[pair])
        chosen = {best} if shares[best] >= _LIKELIEST else set()
    for name in {name for name, slot in chosen if not slot}:
        slots = {pair for pair in chosen if pair[0] == name and pair[1]}
        if slots and shares[name, ""] > max(shares[pair] for pair in slots):
            chosen -= slots
        elif slots:
            chosen.discard((name, ""))
    compared = {slot for name, slot in chosen if name == "request_compare"}
    return chosen - {("request", slot) for slot in compared}


def save_pairs(model: PairModel, out: Path) -> None:
    """Writes a model as arrays, which are read without running code.

    Raises:
        UsageError, SourceError: as :func:`~commonground.files.outputs.new_file` does.
    """
    names = msgspec.json.encode([model.pairs, list(model.features)])
    with new_file(out) as staged, staged.open("wb") as file:
        np.savez_compressed(
            file,
            names=np.frombuffer(names, np.uint8),
            weights=model.weights,
            bias=model.bias,
        )


def read_pairs_model(path: Path) -> PairModel:
    """Reads a model that was saved.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is no such model.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            names = arrays["names"].tobytes()
            weights, bias = arrays["weights"], arrays["bias"]
        pairs, features = msgspec.json.decode(names, type=tuple[list[Pair], list[str]])
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, EOFError, BadZipFile) as error:
        raise FormatError(f"{path} is not a model of suggestions.", _ADVICE) from error
    if weights.shape != (len(features), len(pairs)) or bias.shape != (len(pairs),):
        raise FormatError(f"{path} is not a model of suggestions: its parts do not fit.", _ADVICE)
    index = {name: number for number, name in enumerate(features)}
    return PairModel(pairs, index, weights, bias)


MODEL_FILE = "suggestions.npz"
"""Name of the file in the folder of a study."""

_ADVICE = "Learn it again: commonground collect learn STUDY FRAMES"
