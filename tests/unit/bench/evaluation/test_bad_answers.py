"""Twelve ways to answer badly, each tried on every task: none beats an honest random answer.

Every number is of invented corpora, and of the very replies that a model would give. Random is the
task's own random baseline or, where it ranks, what all orders give on average; where there is none,
the right answer of another instance, drawn anew several times.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.thorough import one_in

from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.prompts import find_prompts, render_inputs, render_target
from commonground.bench.evaluation.reply_scoring import AskableInstance, ReplyScorer
from commonground.bench.evaluation.tasks import get_task
from commonground.corpora.frames.tasks.tracking.places import list_places
from commonground.method import TrainingSet
from commonground.reply_outcomes import CUT, FILTERED, OVERFLOW
from commonground.statistics.counts import sum_counts
from commonground.store.opening import load
from commonground.task import Scored, Tally

TASKS = sorted(name for name in find_prompts() if not name.startswith("toy/"))
DRAWS = 10
ROUNDING = 1e-9

Said = tuple[str, str | None]
"""A reply, and what its provider says of its end."""

Way = Callable[[ReplyScorer, AskableInstance], Iterable[Said]]
"""Gives replies to a question; several are as likely, and count in equal shares."""


@cache
def open_scorer(task: str, store: Path) -> ReplyScorer:
    return ReplyScorer(task, load(get_task(task).corpora[0], store))


def list_lines(scorer: ReplyScorer) -> list[AskableInstance]:
    return [scorer.lines[name] for name in scorer.list_asked()]


def always(text: str, ending: str | None = None) -> Way:
    return lambda _scorer, _line: [(text, ending)]


def name_first(scorer: ReplyScorer, line: AskableInstance) -> list[Said]:
    """Says ``[0]``: which candidate is shown first is a matter of chance, so that all are said."""
    shown = len(line.instance.inputs["candidates"]) if scorer.prompt.shuffled else 1
    return [(f"[{number}]", None) for number in range(shown)]


def name_wrongly(scorer: ReplyScorer, line: AskableInstance) -> list[Said]:
    """Says the right answer with every name, or every number where there are none, made up."""
    target = write_target(scorer, line)
    if scorer.prompt.is_text:
        return [("nonesuch", None)]
    if scorer.task.name == "taskmaster3/actions":
        # Whether there is a call at all is no name: always one, as of who knows nothing.
        return [('{"call": {"name": "nonesuch", "arguments": {"nothing": "nowhere"}}}', None)]
    value = msgspec.json.decode(target)
    number = 99_999 if '"' in target else "nonesuch"
    return [(msgspec.json.encode(_spoil(value, number)).decode(), None)]


def _spoil(value: Any, number: Any) -> Any:
    if isinstance(value, list):
        return [_spoil(each, number) for each in value]
    if isinstance(value, dict):
        return {name: _spoil(each, number) for name, each in value.items()}
    return "nonesuch" if isinstance(value, str) else number


def write_target(scorer: ReplyScorer, line: AskableInstance) -> str:
    return render_target(scorer.prompt, line.instance) or ""


def end_rightly(ending: str) -> Way:
    """Says the right answer, of which the provider says that it is none."""
    return lambda scorer, line: [(write_target(scorer, line), ending)]


WAYS: dict[str, Way] = {
    "silence": always(""),
    "[0]": name_first,
    "refusal": always("I'm sorry, but I can't help with that."),
    "prose": always("I think that it is most likely the first of them."),
    "fences": always("```json\n[]\n```"),
    "strings": always('"0"'),
    "wrong names": name_wrongly,
    "echo": lambda scorer, line: [(render_inputs(scorer.task, line.instance), None)],
    "ids": lambda _scorer, line: [(f'["{line.instance.instance_id}"]', None)],
    "overflow": end_rightly(OVERFLOW),
    "filter": end_rightly(FILTERED),
    "cut": end_rightly(CUT),
}


def score_way(scorer: ReplyScorer, way: Way) -> dict[str, float | None]:
    scored = []
    for line in list_lines(scorer):
        said = list(way(scorer, line))
        replies = [
            scorer.score(line.instance.instance_id, text, ending=ending).scored
            for text, ending in said
        ]
        scored.append(share(filter(None, replies)))
    return combine(scorer, scored)


def share(replies: Iterable[Scored]) -> dict[str, dict[str, float]]:
    """Returns the mean counts of replies that are as likely."""
    counts = [each.counts for each in replies]
    names = dict.fromkeys(name for each in counts for name in each)
    return {
        name: {
            part: total / len(counts)
            for part, total in sum_counts(each[name] for each in counts if name in each).items()
        }
        for name in names
    }


def combine(
    scorer: ReplyScorer, scored: Iterable[dict[str, dict[str, float]]]
) -> dict[str, float | None]:
    """Returns the main numbers, turned so that the higher one is the better."""
    listed, found = list(scored), {}
    for measure in scorer.task.measures:
        values = measure.combine(
            sum_counts(each[measure.name] for each in listed if measure.name in each)
        )
        for name, value in values.items():
            if f"{measure.name}:{name}" in scorer.task.main:
                turned = None if value is None else value * measure.find_direction(name)
                found[f"{measure.name}:{name}"] = turned
    return found


def answer_at_random(scorer: ReplyScorer) -> dict[str, float | None]:
    """Returns the main numbers of an honest random answer, averaged over draws."""
    lines = list_lines(scorer)
    if scorer.prompt.shuffled:
        # All candidates tie: that is the mean over all orders.
        tied = [_score_tied(scorer, line) for line in lines]
        return combine(scorer, (each.counts for each in tied))  # type: ignore[misc]
    draws = [combine(scorer, _draw(scorer, lines, seed)) for seed in range(DRAWS)]
    means: dict[str, float | None] = {}
    for name in draws[0]:
        told = [each[name] for each in draws]
        defined = [each for each in told if each is not None]
        means[name] = sum(defined) / len(defined) if defined else None
    return means


def _score_tied(scorer: ReplyScorer, line: AskableInstance) -> Scored:
    scores = [0] * len(line.instance.inputs["candidates"])
    said = msgspec.json.encode({"scores": scores}).decode()
    scored = scorer.score(line.instance.instance_id, said).scored
    assert scored is not None
    return scored


def _draw(
    scorer: ReplyScorer, lines: list[AskableInstance], seed: int
) -> Iterator[dict[str, dict[str, float]]]:
    chance = random.Random(seed)
    baselines = get_baselines(scorer.task.name)
    method = next((each for each in baselines.methods if each.name == "random"), None)
    if method is not None and baselines.take is not None:
        released = [line.released for line in lines]
        model = method.learn(TrainingSet(instances=released, seed=seed))
        for each, answer in zip(released, method.predict(model, iter(released)), strict=True):
            value = baselines.take(each, answer, Tally())
            yield msgspec.to_builtins(scorer.task.score(each, value, Tally()).counts)
        return
    for line in lines:
        said = _say_at_random(scorer, line, lines, chance)
        scored = scorer.score(line.instance.instance_id, said).scored
        assert scored is not None
        yield msgspec.to_builtins(scored.counts)


def _say_at_random(
    scorer: ReplyScorer, line: AskableInstance, lines: list[AskableInstance], chance: random.Random
) -> str:
    if scorer.task.name == "frames/tracking":
        inputs = line.instance.inputs
        frames = range(1, len(inputs["frames"]) + 2)
        return str([[chance.choice(frames)] for _place in list_places(inputs)])
    others = [each for each in lines if each is not line and each.part == line.part]
    return write_target(scorer, chance.choice(others))


@pytest.fixture(scope="session")
def at_random(store: Path) -> Callable[[str], dict[str, float | None]]:
    return cache(lambda task: answer_at_random(open_scorer(task, store)))


def test_there_are_twelve_ways_and_fourteen_tasks() -> None:
    assert (len(WAYS), len(TASKS)) == (12, 14)


@pytest.mark.parametrize(("task", "way"), one_in(5, product(TASKS, WAYS)))
def test_no_bad_answer_beats_a_random_one(
    task: str, way: str, store: Path, at_random: Callable[[str], dict[str, float | None]]
) -> None:
    honest = at_random(task)
    found = score_way(open_scorer(task, store), WAYS[way])
    # Of few candidates, as the invented ones are, there is no recall among the best ten.
    assert found.keys() == honest.keys() <= {*get_task(task).main}
    for name, value in found.items():
        least = honest[name]
        # What is undefined, such as the precision of nothing, is no number to boast of.
        if value is not None and least is not None:
            assert value <= least + ROUNDING, (name, value, least)


@pytest.mark.parametrize("task", TASKS)
def test_right_answers_beat_random_ones(
    task: str, store: Path, at_random: Callable[[str], dict[str, float | None]]
) -> None:
    """So that the yardstick is none that everything is below."""
    scorer, first = open_scorer(task, store), get_task(task).main[0]
    right = score_way(scorer, lambda scorer, line: [(write_target(scorer, line), None)])[first]
    honest = at_random(task)[first]
    assert right is not None
    assert honest is not None
    assert right > honest


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("ending", [OVERFLOW, FILTERED, CUT])
def test_what_a_provider_calls_no_answer_is_worth_silence(
    task: str, ending: str, store: Path
) -> None:
    scorer = open_scorer(task, store)
    line = list_lines(scorer)[0]
    name = line.instance.instance_id
    ended = scorer.score(name, write_target(scorer, line), ending=ending)
    silent = scorer.score(name, "")
    assert ended.scored is not None
    assert silent.scored is not None
    assert ended.scored.counts == silent.scored.counts
    assert (ended.outcome, silent.outcome) == (ending, "empty")


@pytest.mark.parametrize("task", TASKS)
def test_right_answers_have_no_outcome(task: str, store: Path) -> None:
    scorer = open_scorer(task, store)
    found = [
        scorer.score(line.instance.instance_id, write_target(scorer, line)).outcome
        for line in list_lines(scorer)
    ]
    assert set(found) == {None}


NAMED = [task for task in TASKS if find_prompts()[task].names or find_prompts()[task].shuffled]


def uses_names(scorer: ReplyScorer, line: AskableInstance) -> bool:
    names = scorer.prompt.names
    return names is None or any(names(msgspec.json.decode(write_target(scorer, line))))


@pytest.mark.parametrize("task", NAMED)
def test_names_that_are_not_there_are_counted(task: str, store: Path) -> None:
    scorer = open_scorer(task, store)
    line = next(each for each in list_lines(scorer) if uses_names(scorer, each))
    said = "[99999]" if scorer.prompt.shuffled else name_wrongly(scorer, line)[0][0]
    assert scorer.score(line.instance.instance_id, said).outcome == "unknown name"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ('[" Picture {last}"]', None),
        ('["picture {next}"]', "unknown name"),
        ("[{last}]", "malformed"),
    ],
)
def test_pictures_are_named_by_the_numbers_of_the_question(
    store: Path, said: str, outcome: str | None
) -> None:
    scorer = open_scorer("photobook/reference", store)
    shown = {len(each.instance.inputs["images"]): each for each in list_lines(scorer)}
    line, last = shown[min(shown)], min(shown)  # other questions show more
    assert max(shown) > last
    text = said.format(last=last, next=last + 1)
    assert scorer.score(line.instance.instance_id, text).outcome == outcome
