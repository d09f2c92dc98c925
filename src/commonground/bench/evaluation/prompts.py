"""What language models are asked to do a task, and how what they say is read.

Nothing here knows who asks: ``inspect_tasks`` does, through inspect_ai, and anyone who has texts of
another origin scores them with ``asking.score_texts``.
"""

from __future__ import annotations

import hashlib
import math
import random
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.evaluation.tasks import collect_parts
from commonground.corpora import iterate_corpora
from commonground.errors import FormatError, TaskError, close_names
from commonground.method import Prompt, Reply
from commonground.picture_numbers import PictureNumbers
from commonground.replies import drop_thoughts, read_json
from commonground.task import Instance, Task, select_inputs

SEED = 1
"""Of the order in which candidates are shown, where none is named."""

ANSWER = "answer"
"""The field that an answer may stand in: providers that keep to a schema want an object."""


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    ask: str
    topics: dict[str, str] = {}
    ask_with_tools: str = ""
    rubric: str = ""
    rubric_version: int = 0


@cache
def find_prompts() -> dict[str, Prompt]:
    """Returns the prompts found in the corpora's folders, by task.

    Raises:
        FormatError: a file of texts is malformed or speaks of no prompt, or a prompt has no text.
    """
    found = collect_parts("PROMPT", Prompt, lambda prompt: prompt.task)
    for folder in dict.fromkeys(entry.folder for entry in iterate_corpora()):
        found |= _add_texts(folder / "tasks" / "prompts.toml", found)
    for task, prompt in found.items():
        if not prompt.ask:
            raise FormatError(f"The prompt of {task} has no text.", "Write `tasks/prompts.toml`.")
    return found


def _add_texts(path: Path, prompts: Mapping[str, Prompt]) -> dict[str, Prompt]:
    """Returns the prompts that a file has texts of, with these."""
    if not path.exists():
        return {}
    try:
        texts = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[str, _Text])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: {error}.", "Compare it with another corpus's.") from error
    for task in texts:
        if task not in prompts:
            raise FormatError(f"{path}: there is no prompt {task!r}.", close_names(task, prompts))
    return {
        task: msgspec.structs.replace(prompts[task], **msgspec.structs.asdict(text))
        for task, text in texts.items()
    }


def get_prompt(task: str) -> Prompt:
    """Returns the prompt of a task.

    Raises:
        TaskError: it has none.
    """
    found = find_prompts()
    if task not in found:
        raise TaskError(f"{task} has no prompt.", f"These have: {', '.join(sorted(found))}.")
    return found[task]


def inspect_name(task: str) -> str:
    """Returns the name of a task as inspect_ai knows it, after ``commonground/``."""
    return task.replace("/", "_").replace("-", "_")


def inspect_game_name(scenario: str) -> str:
    """Returns the name of a scenario's game as inspect_ai knows it, after ``commonground/``."""
    return f"{inspect_name(scenario)}_game"


def inspect_agent_name(corpus: str) -> str:
    """Returns the name of a corpus's agent task as inspect_ai knows it, after ``commonground/``."""
    return f"{inspect_name(corpus)}_agent"


def hash_prompt(prompt: Prompt, *more: str) -> str:
    """Returns twelve digits that differ where models are asked anything else, ``more`` included."""
    texts = [prompt.task, prompt.ask, *prompt.topics.values(), *more]
    return hashlib.sha256(msgspec.json.encode(texts)).hexdigest()[:12]


def hash_rubric(prompt: Prompt) -> str:
    """Returns twelve digits that differ where judges are told anything else."""
    return hashlib.sha256(prompt.rubric.encode()).hexdigest()[:12]


class Question(msgspec.Struct, frozen=True):
    """An instance as it is asked about.

    Attributes:
        instance: the instance, with candidates in the order in which they are shown.
        order: the released number of each candidate shown; empty where the order is that one.
        numbers: of the pictures, where they are shown by number; None where by name.
        released: the instance as it was released, with the names of its pictures; None where that
            is ``instance``.
    """

    instance: Instance
    order: tuple[int, ...] = ()
    numbers: PictureNumbers | None = None
    released: Instance | None = None


def pose_question(prompt: Prompt, instance: Instance, seed: int = SEED) -> Question:
    """Returns an instance as asked about: the seed and its id decide the order of candidates."""
    if prompt.is_numbered and prompt.pictures is not None:
        return _number_pictures(prompt.pictures(instance), instance)
    name = prompt.shuffled
    if name is None or name not in instance.inputs:
        return Question(instance)
    released = instance.inputs[name]
    order = list(range(len(released)))
    # Seeded by the instance as well: its order does not depend on what else is asked.
    random.Random(f"{seed}:{instance.instance_id}").shuffle(order)
    gold = instance.gold
    shown = msgspec.structs.replace(
        instance,
        inputs={**instance.inputs, name: [released[number] for number in order]},
        # The right answer is a released number, and is asked for by the number shown.
        gold=order.index(gold) if isinstance(gold, int) else gold,
    )
    return Question(shown, tuple(order))


def _number_pictures(pictures: Iterable[str], instance: Instance) -> Question:
    numbers = PictureNumbers(pictures)
    shown = msgspec.structs.replace(
        instance, inputs=numbers.hide(instance.inputs), gold=numbers.hide(instance.gold)
    )
    return Question(shown, numbers=numbers, released=instance)


def render_inputs(task: Task, instance: Instance) -> str:
    """Writes the allowed inputs of an instance as text, one section each."""
    names = [name for name in task.allowed if name in instance.inputs]
    inputs = select_inputs(task, instance, names)
    return "\n\n".join(f"{name}:\n{_render(value)}" for name, value in inputs.items())


def _render(value: Any) -> str:
    if isinstance(value, list):
        lines = (f"{number}: {write_json(each)}" for number, each in enumerate(value))
        return "\n".join(lines) or "none"
    return value if isinstance(value, str) else write_json(value)


def write_json(value: Any) -> str:
    """Writes a value as JSON text."""
    return msgspec.json.encode(value).decode()


def render_target(prompt: Prompt, instance: Instance) -> str | None:
    """Writes the right answer as a model should give it; None where there is none."""
    target = None if instance.gold is None else prompt.target(instance)
    if target is None:
        return None
    return str(target) if prompt.is_text else write_json(target)


def render_answer(prompt: Prompt, question: Question, answer: Any) -> str:
    """Writes what a baseline answered as a model would say it."""
    said = prompt.say(Reply(question.instance, answer, question.order))
    if question.numbers is not None:
        said = question.numbers.hide(msgspec.to_builtins(said))
    return str(said) if prompt.is_text else write_json(_name_endless(msgspec.to_builtins(said)))


def _name_endless(value: Any) -> Any:
    """Writes numbers that JSON lacks as texts, ``inf`` and ``nan``, which are read as numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [_name_endless(each) for each in value]
    if isinstance(value, dict):
        return {name: _name_endless(each) for name, each in value.items()}
    return value


def read_answer(prompt: Prompt, question: Question | Instance, text: str) -> Any:
    """Reads what a model said; blocks of thinking are passed over, and what is around JSON.

    Args:
        question: what it was asked about; an instance stands for one in the released order.

    Raises:
        TaskError: it has another form than was asked for.
    """
    asked = question if isinstance(question, Question) else Question(question)
    value: Any = drop_thoughts(text)
    try:
        if not prompt.is_text:
            value = take_out(read_json(value))
            value = asked.numbers.reveal(value) if asked.numbers is not None else value
        elif not value:
            raise ValueError("it is empty")
        return prompt.answer(Reply(asked.released or asked.instance, value, asked.order))
    # A reply may be any JSON at all, and prompts take it apart as if it had the form asked for.
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        name = asked.instance.instance_id
        raise TaskError(f"{name}: the answer cannot be read: {error}.") from error


def take_out(value: Any) -> Any:
    """Returns what stands in the field for the answer, where there is nothing else."""
    is_wrapped = isinstance(value, dict) and value.keys() == {ANSWER}
    return value[ANSWER] if is_wrapped else value
