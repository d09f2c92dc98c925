"""Replies are scored as ``commonground evaluate`` scores the same answers in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from inspect_ai import Task as InspectTask
from inspect_ai import score
from inspect_ai._util.registry import registry_create
from inspect_ai.log import read_eval_log
from tests.thorough import a_few
from tests.unit.bench.inspect_tasks.saying import (
    list_rows,
    list_values,
    run,
    say_target,
    say_texts,
    says,
    score_rows,
)

from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.prompts import (
    find_prompts,
    inspect_name,
    read_answer,
    render_target,
)
from commonground.bench.evaluation.reply_scoring import AskableInstance, ReplyScorer
from commonground.bench.evaluation.scoring import (
    Evaluation,
    MeasureResult,
    evaluate_predictions,
    measure_scored,
)
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.scoring.logged_replies import (
    group_rows,
    merge_epochs,
    read_scored,
    summarise,
)
from commonground.corpora.frames.tasks.tracking.places import FrameProbabilities, list_places
from commonground.errors import TaskError
from commonground.method import Prompt
from commonground.store.opening import load, open_store
from commonground.task import Gold, Instance, Scored, Task

NAMES = sorted(find_prompts())
RELEASED = ("taskmaster3/actions", "taskmaster3/spans")
"""Prompts that are tried with released files too; what they ask is made as of invented ones."""

KINDS = ("frames/nlu", "mpchat/nrp", "photobook/segments", "simmc/dst", "taskmaster3/actions")
"""Prompts whose replies are acts, a choice, marks, states and calls."""

UNREADABLE = "I had rather not say."


def shift_targets(scorer: ReplyScorer) -> dict[str, str]:
    """Gives each instance the right answer of another one of its part; every seventh, none.

    The first of three or more has its own: else nothing may be right, and every number be 0.
    """
    texts: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    for name in scorer.list_asked():
        parts.setdefault(scorer.lines[name].part, []).append(name)
    for mine in parts.values():
        for place, name in enumerate(mine):
            is_own = place == 0 and len(mine) > 2
            other = scorer.lines[name if is_own else mine[place - 1 - place % 2]].instance
            texts[name] = write_for_another(scorer.prompt, other)
    # Of right answers in several files, `evaluate` chooses by what is predicted.
    is_whole = get_baselines(scorer.task.name).part is not None
    for name in [] if is_whole else list(texts)[3::7]:
        texts[name] = " " if scorer.prompt.is_text else UNREADABLE
    return texts


def write_for_another(prompt: Prompt, instance: Instance) -> str:
    """Writes a right answer so that it can be read as one to another instance."""
    text = render_target(prompt, instance) or ""
    if prompt.task != "frames/tracking" or not text:
        return text
    # Without the names of acts and slots, which differ from turn to turn.
    frames = [
        frames
        for act in msgspec.json.decode(text)
        for frames in (*([slot["frame"]] for slot in act["slots"]), act["refers_to"])
    ]
    return msgspec.json.encode(frames).decode()


Pairs = Iterator[tuple[Instance, Any]]


def choose_no_frame(instance: Instance) -> FrameProbabilities:
    """Gives a frame beyond the last possible one for each place of a user turn of Frames."""
    beyond = [0.0] * (len(instance.inputs["frames"]) + 1) + [1.0]
    return FrameProbabilities([beyond for _place in list_places(instance.inputs)])


def read_all(prompt: Prompt, lines: Iterable[AskableInstance], texts: Mapping[str, str]) -> Pairs:
    for line in lines:
        try:
            text = texts.get(line.instance.instance_id, " ")
            yield line.instance, read_answer(prompt, line.question, text)
        except TaskError:
            # The official script takes no dialogue of which a turn is left out.
            if prompt.task == "frames/tracking":
                yield line.instance, choose_no_frame(line.instance)


def evaluate_files(
    task: Task, scorer: ReplyScorer, texts: dict[str, str], gold: Gold, path: Path
) -> dict[str, Evaluation]:
    """Evaluates the answers as files of predictions, one for each part."""
    found = {}
    lines = [x for x in scorer.lines.values() if x.instance.dialogue_id in (gold.dialogues or ())]
    for part in dict.fromkeys(line.part for line in lines):
        mine = [line for line in lines if line.part == part]
        get_baselines(task.name).write(read_all(scorer.prompt, mine, texts), path)
        # Where dialogues are named, what is missing counts as where a split is asked for.
        kept = frozenset(line.instance.dialogue_id for line in mine)
        narrowed = msgspec.structs.replace(gold, dialogues=kept)
        found[part] = evaluate_predictions(task, path, narrowed)
    return found


def list_numbers(measures: list[MeasureResult]) -> dict[str, float | None]:
    """Returns every number by name, and the ends of its interval."""
    return {
        f"{measure.name}:{each.name}{end}": number
        for measure in measures
        for each in measure.values
        for end, number in (("", each.value), ("_low", each.low), ("_high", each.high))
    }


def list_counts(scored: Scored) -> dict[str, float]:
    return {
        f"{measure}:{name}": count
        for measure, counts in scored.counts.items()
        for name, count in counts.items()
    }


def choose_split(task: str, store: Path) -> str | None:
    """Returns the split to ask about: where parts have files of their own, these are of one."""
    baselines = get_baselines(task)
    there = load(get_task(task).corpora[0], store).splits()
    return baselines.test_split if baselines.part and baselines.test_split in there else None


def check_numbers(name: str, store: Path, folder: Path, *, limit: int | None = None) -> None:
    """Answers dialogues wrongly and not at all, and compares the scores with files of the same."""
    task, corpus = get_task(name), load(get_task(name).corpora[0], store)
    split = choose_split(name, store)
    scorer = ReplyScorer(name, corpus, split=split)
    texts = shift_targets(scorer)
    made = TASKS[inspect_name(name)](split=split or "all", limit=limit, store=str(store))
    rows = score_rows(made, says(say_texts(texts)))
    asked = {row[0]["dialogue_id"] for row in rows}
    gold = Gold(corpus=corpus, split=split, dialogues=frozenset(asked))
    files = evaluate_files(task, scorer, texts, gold, folder / "predictions.json")
    groups = group_rows(rows)
    assert len(groups) == len({row[1]["part"] for row in rows})
    for mine in groups.values():
        wanted = files[mine[0][1]["part"]]
        # In files of predictions what cannot be read is not there, and some tasks leave it out.
        read = [row for row in mine if not row[1]["fault"]]
        scored = merge_epochs(filter(None, map(read_scored, read)))
        theirs = {each.instance_id: each for each in wanted.instances}
        for each in scored:
            assert list_counts(each) == pytest.approx(list_counts(theirs[each.instance_id]))
        found = list_numbers(measure_scored(task, scored)[0])
        # What has no right answer is not asked; scripts count some of it, as not predicted.
        asked_ids = {each.instance_id for each in scored}
        same = [each for each in wanted.instances if each.instance_id in asked_ids]
        assert found == pytest.approx(list_numbers(measure_scored(task, same)[0]), abs=1e-9)
        assert any(value not in (0, 1, None) for value in found.values())


@pytest.mark.parametrize("name", a_few(["simmc/dst", "simmc/generation"], ["simmc/generation"]))
def test_a_log_keeps_what_is_scored(name: str, store: Path, tmp_path: Path) -> None:
    """Of answers as JSON and of answers as text, one of them unreadable."""

    def make() -> InspectTask:
        return TASKS[inspect_name(name)](split="all", limit=4, store=str(store))

    scorer = ReplyScorer(name, load(get_task(name).corpora[0], store))
    bad = " " if scorer.prompt.is_text else UNREADABLE
    texts = shift_targets(scorer) | {str(make().dataset[0].id): bad}
    rows = sorted(score_rows(make(), says(say_texts(texts))), key=itemgetter(2))
    log = run(make(), say_texts(texts), tmp_path)
    assert sorted(list_rows(log), key=itemgetter(2)) == rows
    assert sum(bool(row[1]["fault"]) for row in rows) == 1
    of_inspect = {"accuracy", "stderr"}
    found = {name: value for name, value in list_values(log).items() if name not in of_inspect}
    assert found == pytest.approx(summarise(rows), nan_ok=True)


@pytest.mark.parametrize("name", a_few(NAMES, KINDS))
def test_replies_have_the_numbers_of_a_file(name: str, store: Path, tmp_path: Path) -> None:
    check_numbers(name, store, tmp_path)


@pytest.mark.parametrize("name", a_few(NAMES, RELEASED))
def test_so_have_those_to_released_files(name: str, real_store: Path, tmp_path: Path) -> None:
    if get_task(name).corpora[0] not in open_store(real_store).corpora():
        pytest.skip(f"needs the files of {get_task(name).corpora[0]}")
    check_numbers(name, real_store, tmp_path, limit=15)


def test_a_log_is_scored_again_without_a_model(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = TASKS["frames_nlu"](split="all", limit=4, store=str(store))
    log = run(task, say_target, tmp_path)
    monkeypatch.setenv("COMMONGROUND_STORE", str(store))
    # As `inspect score --scorer commonground/official` finds it.
    scorer = registry_create("scorer", "commonground/official")
    again = score(read_eval_log(log.location), scorer, action="overwrite", display="none")
    assert list_values(again) == list_values(log)
    assert [row[1] for row in list_rows(again)] == [row[1] for row in list_rows(log)]
