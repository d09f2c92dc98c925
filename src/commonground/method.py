"""What a method of doing a task is: a baseline that is trained, a prompt for a language model.

Corpora declare them beside their tasks; ``evaluation`` trains, asks and scores them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.task import Instance


class Lessons(msgspec.Struct, frozen=True):
    """What a baseline learns from.

    Attributes:
        instances: instances with a right answer, those of a dialogue together and in order.
        seed: of what is random.
    """

    instances: Sequence[Instance]
    seed: int


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """A simple way to do a task, for others to be compared with.

    Attributes:
        name: as on the command line: ``majority``, ``linear``.
        title: one sentence on how it answers.
        model: the struct that ``train`` returns; its attributes are plain values and numpy
            arrays, so that it can be saved and read without running code.
        train: learns; null where nothing is learned, and the model is the struct's default.
        predict: answers each instance, in order; instances of a dialogue come together and in
            order, and their gold is null. Arguments: model, instances.
    """

    name: str
    title: str
    model: type[Any]
    train: Callable[[Lessons], Any] | None = None
    predict: Callable[[Any, Iterable[Instance]], Iterator[Any]]

    def learn(self, lessons: Lessons) -> Any:
        """Returns the model: what was learned, or what needs no learning.

        Raises:
            NothingToLearnError: there is no example of what it learns.
        """
        return self.model() if self.train is None else self.train(lessons)


class Baselines(msgspec.Struct, frozen=True, kw_only=True):
    """The baselines of a task: the constant ``BASELINES`` beside its ``TASK``.

    Attributes:
        task: name of the task.
        methods: the baselines, simplest first.
        write: writes instances and their answers as a file that the task's ``score`` reads.
        train_split: released split to learn from; null where none is meant for it.
        test_split: released split to answer.
        ending: of the file of predictions: ``.json``, ``.jsonl``, ``.txt``.
        part: says which part of the corpus an instance is of, such as SIMMC's domain, where a
            file of predictions holds one only; each is learned, answered and scored by itself.
    """

    task: str
    methods: tuple[Baseline, ...]
    write: Callable[[Iterable[tuple[Instance, Any]], Path], None]
    train_split: str | None = None
    test_split: str | None = None
    ending: str = ".json"
    part: Callable[[Instance], str] | None = None


class Told(msgspec.Struct, frozen=True, gc=False):
    """A number or flag of the tables that can be read off what a model is told, or asked for.

    Attributes:
        column: ``spans.start_char``; ``events.event`` for an event that is told of at all.
        value: the number or flag.
        event: number of the event whose row it is in; null where that is not known.
    """

    column: str
    value: float | bool
    event: int | None = None


class Reply(msgspec.Struct, frozen=True):
    """What a language model said of an instance.

    Attributes:
        instance: the instance, its gold included.
        value: what was said, as JSON gives it; the text itself where a prompt asks for text.
    """

    instance: Instance
    value: Any


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """How a language model is asked to do a task: the constant ``PROMPT`` beside its ``TASK``.

    Attributes:
        task: name of the task.
        ask: what is to be answered, and in which form.
        answer: turns a reply into what the task's baselines would have answered. Raises
            TypeError, ValueError or LookupError where the reply has another form.
        target: the right answer in the form that is asked for.
        is_text: whether the answer is the text itself, not JSON.
        tells: numbers and flags that can be read off the inputs and the right answer, counted
            positions among them; null where there are none.
    """

    task: str
    ask: str
    answer: Callable[[Reply], Any]
    target: Callable[[Instance], Any]
    is_text: bool = False
    tells: Callable[[Instance], Iterable[Told]] | None = None
