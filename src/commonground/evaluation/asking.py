"""Asks language models to do a task, and scores what they say as any other predictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import TaskError
from commonground.evaluation.baselines.discovery import get_baselines
from commonground.evaluation.discovery import collect_parts, get_task
from commonground.evaluation.scoring import Result, evaluate_predictions
from commonground.method import Prompt, Reply
from commonground.store.opening import load
from commonground.task import Gold, Instance, Task, select_inputs
from commonground.work_folders import temporary_folder


@cache
def find_prompts() -> dict[str, Prompt]:
    """Returns the prompts found in the corpora's folders, by task."""
    return collect_parts("PROMPT", Prompt, lambda prompt: prompt.task)


def get_prompt(task: str) -> Prompt:
    """Returns the prompt of a task.

    Raises:
        TaskError: it has none.
    """
    found = find_prompts()
    if task not in found:
        raise TaskError(f"{task} has no prompt.", f"These have: {', '.join(sorted(found))}.")
    return found[task]


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


def read_answer(prompt: Prompt, instance: Instance, text: str) -> Any:
    """Reads what a model said; a code fence around JSON is passed over, and words beside it.

    Args:
        prompt: how the model was asked.
        instance: what it was asked about.
        text: what it said.

    Raises:
        TaskError: it has another form than was asked for.
    """
    value: Any = text.strip()
    try:
        if not prompt.is_text:
            value = msgspec.json.decode(_find_json(value))
        return prompt.answer(Reply(instance, value))
    except (ValueError, TypeError, LookupError) as error:
        raise TaskError(f"{instance.instance_id}: the answer cannot be read: {error}.") from error


def is_readable(task_name: str, text: str) -> bool:
    """Says whether a text is JSON, where a task asks for it."""
    if get_prompt(task_name).is_text:
        return bool(text.strip())
    try:
        msgspec.json.decode(_find_json(text.strip()))
    except msgspec.DecodeError:
        return False
    return True


def _find_json(text: str) -> str:
    fenced = re.findall(r"```(?:json)?\s*\n(.*?)```", text, re.DOTALL)
    return fenced[-1] if fenced else text


def score_texts(
    task_name: str,
    texts: Mapping[str, str],
    corpus: str,
    store: str | Path | None = None,
) -> dict[str, float]:
    """Scores what a model said of the instances of a task.

    Dialogues that were asked in part are left out, as scripts want whole ones. An answer that
    cannot be read is left out of the predictions, as if none had been given.

    Args:
        task_name: name of the task.
        texts: what was said, by id of the instance.
        corpus: name of the imported corpus.
        store: folder of the store; null for the usual one.

    Returns:
        Values by ``measure:value``, with part and split before them where a file of predictions
        holds one part only (``fashion/devtest/``); ``asked``, ``unread``, ``left_out`` and
        ``unscored`` (no file of predictions has a place for them) count instances.

    Raises:
        TaskError: nothing can be scored.
    """
    task, prompt = get_task(task_name), get_prompt(task_name)
    asked = [
        each
        for each in task.instances(Gold(corpus=load(corpus, store)))
        if each.gold is not None or each.instance_id in texts
    ]
    partial = {each.dialogue_id for each in asked if each.instance_id not in texts}
    whole = [each for each in asked if each.dialogue_id not in partial]
    if not whole:
        raise TaskError("No dialogue was asked whole.", "Ask about all instances of a dialogue.")
    values = {"asked": float(len(texts)), "left_out": float(len(texts) - len(whole))}
    answers = list(_read_all(prompt, whole, texts))
    values["unread"] = float(len(whole) - len(answers))
    gold = Gold(corpus=load(corpus, store), dialogues=frozenset(each.dialogue_id for each in whole))
    return values | _score(task, gold, answers)


def _read_all(
    prompt: Prompt, instances: list[Instance], texts: Mapping[str, str]
) -> Iterator[tuple[Instance, Any]]:
    for instance in instances:
        try:
            yield instance, read_answer(prompt, instance, texts[instance.instance_id])
        except TaskError:
            continue


def _score(task: Task, gold: Gold, answers: list[tuple[Instance, Any]]) -> dict[str, float]:
    """Scores answers; those of each part and split by themselves, where parts have own files."""
    baselines = get_baselines(task.name)
    groups: dict[tuple[str, str | None], list[tuple[Instance, Any]]] = {}
    splits = _find_splits(gold) if baselines.part else {}
    for instance, answer in answers:
        part = baselines.part(instance) if baselines.part else ""
        key = part, splits.get(instance.dialogue_id)
        groups.setdefault(key, []).append((instance, answer))
    values: dict[str, float] = {"unscored": 0.0}
    failed: list[TaskError] = []
    with temporary_folder() as folder:
        path = folder / f"predictions{baselines.ending}"
        for (part, split), mine in groups.items():
            kept = frozenset(each.dialogue_id for each, _ in mine)
            narrowed = msgspec.structs.replace(gold, split=split, dialogues=kept)
            prefix = "".join(f"{name}/" for name in (part, split) if name)
            try:
                baselines.write(mine, path)
                values |= _name_values(_evaluate(task, path, narrowed), prefix)
            except TaskError as error:
                values["unscored"] += len(mine)
                failed.append(error)
    if len(failed) == len(groups):
        raise failed[0] if failed else TaskError(f"No answer to {task.name} can be read.")
    return values


def _evaluate(task: Task, path: Path, gold: Gold) -> Result:
    """Scores a file against a split; against all where no file of that split has right answers."""
    try:
        return evaluate_predictions(task, path, gold, intervals=False).result
    except TaskError:
        if gold.split is None:
            raise
        everywhere = msgspec.structs.replace(gold, split=None)
        return evaluate_predictions(task, path, everywhere, intervals=False).result


def _find_splits(gold: Gold) -> dict[str, str | None]:
    table = gold.corpus.table("dialogues")
    names = (table.column(name).to_pylist() for name in ("dialogue_id", "split"))
    return dict(zip(*names, strict=True))


def _name_values(result: Result, prefix: str) -> dict[str, float]:
    return {
        f"{prefix}{measure.name}:{each.name}": each.value
        for measure in result.measures
        for each in measure.values
        if each.value is not None
    }
