"""What a method of doing a task is: a baseline that is trained, a prompt for a language model.

Corpora declare them beside their tasks; ``evaluation`` trains, asks and scores them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from commonground.replies import UnknownNameError, read_number, read_whole
from commonground.task import Instance, Tally

V = TypeVar("V", str, tuple[str, ...])

Encode = Callable[[Sequence[str]], Any]
"""Gives the vectors of texts, each of length 1, or of pictures by their names: float32, shape
(texts or pictures, width)."""


Vectors = Mapping[str, Any]
"""Vectors of texts by the text, each float32, shape (width,); empty without an encoder."""


def encode_texts(texts: Iterable[str], encode: Encode) -> dict[str, Any]:
    """Returns the vectors of texts by the text; each is encoded once, and of no text nothing is."""
    wanted = sorted(set(texts))
    return dict(zip(wanted, encode(wanted), strict=True)) if wanted else {}


def encode_nothing(_texts: Sequence[str]) -> Any:
    """Stands where no encoder of texts or pictures was opened.

    Raises:
        ValueError: always.
    """
    raise ValueError("no encoder was opened: a baseline that needs one says `encodes` or `sees`")


class TrainingSet(msgspec.Struct, frozen=True):
    """What a baseline learns from.

    Attributes:
        instances: instances with a right answer, those of a dialogue together and in order.
        seed: of what is random.
        encode: gives the vectors of texts or pictures, where the baseline asks for them.
    """

    instances: Sequence[Instance]
    seed: int
    encode: Encode = encode_nothing


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """A simple way to do a task, for others to be compared with.

    Attributes:
        name: as on the command line: ``majority``, ``linear``.
        title: one sentence on how it answers.
        model: the struct that ``train`` returns; its attributes are plain values and numpy
            arrays, so that it can be saved and read without running code.
        train: learns; None where nothing is learned, and the model is the struct's default.
        predict: answers each instance, in order; instances of a dialogue come together and in
            order, and their gold is None. Arguments: model, instances; with ``encodes`` or
            ``sees`` also what gives the vectors.
        encodes: whether it reads texts as a sentence encoder does.
        sees: whether it looks at pictures, as vectors that are asked for by the pictures' names.
    """

    name: str
    title: str
    model: type[Any]
    train: Callable[[TrainingSet], Any] | None = None
    predict: Callable[..., Iterator[Any]]
    encodes: bool = False
    sees: bool = False

    def learn(self, training: TrainingSet) -> Any:
        """Returns the model: what was learned, or what needs no learning.

        Raises:
            NothingToLearnError: there is no example of what it learns.
        """
        return self.model() if self.train is None else self.train(training)

    def answer(
        self, model: Any, instances: Iterable[Instance], encode: Encode = encode_nothing
    ) -> Iterator[Any]:
        """Yields the answer to each instance, in order.

        Args:
            model: what was learned.
            instances: those of a dialogue together and in order, without right answers.
            encode: gives the vectors of texts or pictures, where the baseline asks for them.
        """
        is_asking = self.encodes or self.sees
        given = (model, instances, encode) if is_asking else (model, instances)
        return self.predict(*given)


class Baselines(msgspec.Struct, frozen=True, kw_only=True):
    """The baselines of a task: the constant ``BASELINES`` beside its ``TASK``.

    Attributes:
        task: name of the task.
        methods: the baselines, simplest first.
        write: writes instances and their answers as a file that the task's ``read`` reads.
        take: makes of an instance and an answer to it the prediction that ``read`` would find in
            such a file, and counts its faults; None where that is the answer itself.
        train_split: released split to learn from; None where none is meant for it.
        test_split: released split to answer.
        ending: of the file of predictions: ``.json``, ``.jsonl``, ``.txt``.
        part: says which part of the corpus an instance is of, such as SIMMC's domain, where a
            file of predictions holds one only; each is learned, answered and scored by itself.
    """

    task: str
    methods: tuple[Baseline, ...]
    write: Callable[[Iterable[tuple[Instance, Any]], Path], None]
    take: Callable[[Instance, Any, Tally], Any] | None = None
    train_split: str | None = None
    test_split: str | None = None
    ending: str = ".json"
    part: Callable[[Instance], str] | None = None


class Reply(msgspec.Struct, frozen=True):
    """What a language model answered to an instance.

    Attributes:
        instance: the instance, its gold included.
        value: what was said, as JSON gives it; the text itself where a prompt asks for text.
        order: where candidates were shown in another order than they were released in, the
            released number of each that was shown; empty where the order is the released one.
    """

    instance: Instance
    value: Any
    order: tuple[int, ...] = ()

    def score_candidates(self, count: int) -> list[float]:
        """Returns scores of released candidates: 1 for the one that was chosen, 0 for the others.

        Of a list of numbers, best first, each has a higher score than those after it. Who has a
        score for each candidate may say ``{"scores": [...]}``, in the order shown.

        Args:
            count: number of candidates.

        Raises:
            ValueError: what was said is no number of a candidate, nor a list of some.
            TypeError: it is none either.
        """
        if isinstance(self.value, dict):
            return self._sort_scores(count)
        chosen = self.value if isinstance(self.value, list) else [self.value]
        numbers = [_read_candidate(each, count) for each in chosen]
        if not numbers or len(set(numbers)) < len(numbers):
            raise ValueError("expected one number, or several different ones")
        scores = [0.0] * count
        for place, number in enumerate(numbers):
            scores[self.order[number] if self.order else number] = float(len(numbers) - place)
        return scores

    def _sort_scores(self, count: int) -> list[float]:
        """Returns scores given to all candidates shown, in the released order."""
        said = [read_number(each) for each in self.value["scores"]]
        if len(said) != count:
            raise ValueError(f"expected {count} scores, found {len(said)}")
        scores = [0.0] * count
        for place, score in enumerate(said):
            scores[self.order[place] if self.order else place] = score
        return scores

    def say_scores(self, scores: Sequence[float]) -> dict[str, list[float]]:
        """Writes scores of the released candidates as :meth:`score_candidates` reads them."""
        order = self.order or range(len(scores))
        return {"scores": [scores[number] for number in order]}


def _read_candidate(value: Any, count: int) -> int:
    """Reads the number of a candidate; ``3.0`` and ``"3"`` are 3."""
    number = read_whole(value)
    if number not in range(count):
        raise UnknownNameError(f"there is no candidate {value}")
    return number


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """How a language model is asked to do a task: the constant ``PROMPT`` beside its ``TASK``.

    Attributes:
        task: name of the task.
        answer: turns a reply into what the task's baselines would have answered. Raises
            TypeError, ValueError or LookupError where the reply has another form.
        say: the way back: turns what a baseline answered, given as the value of a reply, into
            the value that ``answer`` reads as the same.
        target: the right answer in the form that is asked for.
        ask: what is to be answered, and in which form; where tasks are found, that of their
            corpus's ``tasks/prompts.toml``, like the next.
        topics: what the dialogues of each corpus of the task are about, in place of ``{topic}`` in
            what is asked.
        version: raised whenever what is asked changes; 0 where nothing says.
        ask_with_tools: what is asked where a model may call tools, from the same file; empty where
            it may not.
        rubric: the instructions to a judge of replies, from the same file; empty where there are no
            words to judge.
        rubric_version: raised whenever the rubric changes.
        called: writes what a model said and the calls it made, by name with their arguments, as
            the answer that is asked for; None where there are no tools. Raises ValueError where
            that cannot be.
        labels: lists the names that answers may use, by kind, such as acts and slots, of instances
            with their right answers; None where answers use none. Models are given those of the
            training split, since they cannot guess the names that annotators chose.
        is_text: whether the answer is the text itself, not JSON.
        form: type of the answer as JSON, for providers that keep a model to a schema; None where
            the answer is text.
        shuffled: name of the input whose candidates are shown in another order than the released
            one, which tells the right one in some corpora; None where nothing is to be shown so.
        pictures: names of the pictures that people saw, or ids of the objects that they are of;
            None where there are none.
        fewer_pictures: names of those of them that are shown unless all are asked for; None where
            they are not too many for one request.
        is_numbered: whether inputs, answers and pictures have ``picture 1`` and so on in place of
            these names.
        names: gives the names that a reply uses of those that a corpus has, such as acts, APIs and
            labels, whatever form it has; None where there are none.
    """

    task: str
    answer: Callable[[Reply], Any]
    say: Callable[[Reply], Any] = lambda answered: answered.value
    target: Callable[[Instance], Any]
    ask: str = ""
    topics: Mapping[str, str] = {}
    version: int = 0
    ask_with_tools: str = ""
    rubric: str = ""
    rubric_version: int = 0
    called: Callable[[str, Sequence[tuple[str, dict[str, Any]]]], str] | None = None
    labels: Callable[[Iterable[Instance]], Mapping[str, Iterable[str]]] | None = None
    is_text: bool = False
    form: Any = None
    shuffled: str | None = None
    pictures: Callable[[Instance], Iterable[str]] | None = None
    fewer_pictures: Callable[[Instance], Iterable[str]] | None = None
    is_numbered: bool = False
    names: Callable[[Any], Iterable[str]] | None = None


def write_signatures(calls: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Writes APIs as ``name(argument, argument)``, with every argument that a call of them had."""
    found: dict[str, set[str]] = {}
    for name, arguments in calls:
        found.setdefault(name, set()).update(arguments)
    return [f"{name}({', '.join(sorted(found[name]))})" for name in sorted(found)]


def find_most_frequent(values: Iterable[V]) -> V:
    """Returns the most frequent value; of equally frequent ones the first in the alphabet.

    Raises:
        NothingToLearnError: there is none.
    """
    counts = Counter(values)
    if not counts:
        raise NothingToLearnError
    return min(counts, key=lambda each: (-counts[each], each))


class NothingToLearnError(ValueError):
    """No example has what is to be learned, such as a right answer or a word."""

    def __init__(self) -> None:
        super().__init__("There is nothing to learn from.")
