"""What language models said, scored reply by reply as files of predictions are.

A task scores files, and official scripts want whole dialogues in them. So replies are written as
such a file, in which the right answers stand for whatever else the same dialogues ask: counts of
an instance come of its own prediction alone, whatever stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.coverage import score_covered
from commonground.bench.evaluation.prompts import (
    SEED,
    Question,
    get_prompt,
    pose_question,
    read_answer,
    render_target,
)
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import CommongroundError, TaskError
from commonground.files.work_folders import temporary_folder
from commonground.metric import Values
from commonground.statistics.counts import sum_counts
from commonground.store.corpus import Corpus
from commonground.store.opening import load
from commonground.task import Gold, Instance, Scored, Task

_ROUNDING = 1e-5
"""F1 of SIMMC's lists of attributes has so much added to its denominator."""


class ScoredReply(msgspec.Struct, frozen=True, kw_only=True):
    """One reply, scored.

    Attributes:
        instance_id: of the instance.
        dialogue_id: of the instance.
        part: part of the corpus that it is of, such as SIMMC's domain; empty where there are none.
        split: its split; None where it has none.
        place: place of the instance among all.
        scored: the instance, scored; None where no file of predictions has a place for it.
        fault: why the reply cannot be read; None where it can.
    """

    instance_id: str
    dialogue_id: str
    part: str
    split: str | None
    place: int
    scored: Scored | None
    fault: str | None


class Line(msgspec.Struct, frozen=True):
    """An instance with what stands for it in a file of predictions.

    Attributes:
        place: its place among all instances.
        question: how it is asked about.
        part: part of the corpus that it is of.
        split: its split.
    """

    place: int
    question: Question
    part: str
    split: str | None

    @property
    def instance(self) -> Instance:
        """The instance as it is asked about."""
        return self.question.instance


class ReplyScorer:
    """Scores replies to the questions of a task.

    Args:
        task: name of the task.
        corpus: the imported corpus, or a part of it.
        split: split that instances are of; None for all.
        seed: of the order in which candidates were shown.

    Raises:
        UsageError: there is no such task.
        TaskError: it has no prompt.
    """

    def __init__(
        self, task: str, corpus: Corpus, *, split: str | None = None, seed: int = SEED
    ) -> None:
        self.task: Task = get_task(task)
        self.prompt = get_prompt(task)
        self._baselines = get_baselines(task)
        self._gold = Gold(corpus=corpus, split=split)
        self._seed = seed

    @cached_property
    def lines(self) -> dict[str, Line]:
        """Every instance by id, in order, as it is asked about."""
        part, splits = self._baselines.part, _find_splits(self._gold.corpus)
        return {
            each.instance_id: Line(
                place,
                pose_question(self.prompt, each, self._seed),
                part(each) if part else "",
                splits.get(each.dialogue_id, self._gold.split),
            )
            for place, each in enumerate(self.task.instances(self._gold))
        }

    @cached_property
    def _by_dialogue(self) -> dict[str, list[Line]]:
        found: dict[str, list[Line]] = {}
        for line in self.lines.values():
            found.setdefault(line.instance.dialogue_id, []).append(line)
        return found

    def list_asked(self) -> list[str]:
        """Returns the ids of the instances that have a right answer, in order."""
        return [name for name, line in self.lines.items() if self._target(line) is not None]

    def _target(self, line: Line) -> str | None:
        return render_target(self.prompt, line.instance)

    def score(self, texts: Sequence[tuple[str, str]]) -> list[ScoredReply]:
        """Scores what was said, in any order; an instance may be there several times.

        A reply that cannot be read counts as the official script counts a missing prediction.

        Args:
            texts: ids of instances, each with what was said.

        Raises:
            TaskError: there is no instance of an id.
        """
        found: list[ScoredReply | None] = [None] * len(texts)
        left = list(enumerate(texts))
        while left:
            # A file has one prediction of an instance, so further replies wait for the next one.
            # From the back, so that of several replies to one instance the first is what stays.
            chosen = {name: number for number, (name, _) in reversed(left)}
            scored = self._score_once({name: texts[number][1] for name, number in chosen.items()})
            for name, number in chosen.items():
                found[number] = scored[name]
            left = [(n, each) for n, each in left if n not in set(chosen.values())]
        return [each for each in found if each is not None]

    def _score_once(self, texts: Mapping[str, str]) -> dict[str, ScoredReply]:
        answers, faults = self._read(texts)
        groups: dict[tuple[str, str | None], list[Line]] = {}
        for name in texts:
            line = self.lines[name]
            # A file of predictions is of one part, and of one split where the part has files of its
            # own.
            groups.setdefault((line.part, self._find_file_split(line)), []).append(line)
        scored: dict[str, Scored] = {}
        for lines in groups.values():
            scored |= self._score_group(lines, answers, faults)
        return {name: self._name(name, scored.get(name), faults.get(name)) for name in texts}

    def _find_file_split(self, line: Line) -> str | None:
        """Returns the split that a file of predictions with an instance is of; None for any.

        Where parts have files of their own, released right answers are in files of splits, too.
        """
        return line.split if line.part else self._gold.split

    def _read(self, texts: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
        answers: dict[str, Any] = {}
        faults: dict[str, str] = {}
        for name, text in texts.items():
            if name not in self.lines:
                raise TaskError(
                    f"{self.task.name} has no instance {name!r} here.",
                    "See that the store holds the corpus and the split that were asked about.",
                )
            try:
                answers[name] = read_answer(self.prompt, self.lines[name].question, text)
            except TaskError as error:
                faults[name] = error.message
        return answers, faults

    def _name(self, name: str, scored: Scored | None, fault: str | None) -> ScoredReply:
        line = self.lines[name]
        return ScoredReply(
            instance_id=name,
            dialogue_id=line.instance.dialogue_id,
            part=line.part,
            split=line.split,
            place=line.place,
            scored=scored,
            fault=fault,
        )

    def _score_group(
        self, lines: Sequence[Line], answers: Mapping[str, Any], faults: dict[str, str]
    ) -> dict[str, Scored]:
        """Scores replies of one part and split; a reply that stops the script counts as unread."""
        names = {line.instance.instance_id for line in lines}
        try:
            found = self._write_and_score(lines, {n: answers[n] for n in names & answers.keys()})
        except CommongroundError as error:
            if len(lines) > 1:
                # A script that stops does not say over which reply: it is looked for by halves.
                halves = lines[: len(lines) // 2], lines[len(lines) // 2 :]
                return {
                    name: each
                    for half in halves
                    for name, each in self._score_group(half, answers, faults).items()
                }
            (name,) = names
            if name not in answers:
                return {}
            # The one that stopped the script: noted, and scored once more as if it had not been
            # said.
            faults[name] = f"{name}: the answer cannot be scored: {error.message}"
            return self._score_group(lines, {}, faults)
        return {each.instance_id: each for each in found if each.instance_id in names}

    def _write_and_score(self, lines: Sequence[Line], answers: Mapping[str, Any]) -> list[Scored]:
        """Scores replies, those that can be read first: beside them right answers stand for all.

        Tasks choose among several released files by what is predicted, so nothing may lack there.
        """
        names = {line.instance.instance_id for line in lines}
        found: list[Scored] = []
        if answers:
            scored = self._score_lines(lines, names & answers.keys(), answers)
            found += [each for each in scored if each.instance_id in answers]
        # A second file for those that cannot be read, in which they are missing.
        if names - answers.keys():
            scored = self._score_lines(lines, names, answers)
            found += [each for each in scored if each.instance_id not in answers]
        return found

    def _score_lines(
        self, lines: Sequence[Line], asked: set[str], answers: Mapping[str, Any]
    ) -> Sequence[Scored]:
        dialogues = {line.instance.dialogue_id for line in lines}
        # A file without any prediction is an error, and so may be one of empty answers only.
        dialogues |= self._find_other(lines[0], dialogues)
        beside = (each for name in dialogues for each in self._by_dialogue[name])
        # In the order of the files, by which scripts compare.
        ordered = sorted(
            (each for each in beside if each.part == lines[0].part), key=lambda each: each.place
        )
        pairs = list(self._fill(ordered, asked, answers))
        if not pairs:
            raise TaskError(f"No reply to {self.task.name} can be read.")
        split = self._find_file_split(lines[0])
        gold = msgspec.structs.replace(self._gold, split=split, dialogues=frozenset(dialogues))
        with temporary_folder() as folder:
            path = folder / f"predictions{self._baselines.ending}"
            self._baselines.write(pairs, path)
            return self._score_file(path, gold)

    def _find_other(self, line: Line, dialogues: set[str]) -> set[str]:
        """Returns the id of a dialogue of the same file that has a right answer."""
        file = line.part, self._find_file_split(line)
        for other in self.lines.values():
            if (other.part, self._find_file_split(other)) == file:
                dialogue = other.instance.dialogue_id
                if dialogue not in dialogues and self._target(other) is not None:
                    return {dialogue}
        return set()

    def _fill(
        self, lines: Iterable[Line], asked: set[str], answers: Mapping[str, Any]
    ) -> Iterable[tuple[Instance, Any]]:
        """Yields instances with their answers: those given, else the right ones."""
        for line in lines:
            instance, blank = line.instance, self.prompt.blank
            target = self._target(line)
            if instance.instance_id in answers:
                yield instance, answers[instance.instance_id]
            elif instance.instance_id not in asked and target is not None:
                yield instance, read_answer(self.prompt, line.question, target)
            elif blank is not None:
                yield instance, blank(instance)

    def _score_file(self, path: Path, gold: Gold) -> list[Scored]:
        """Scores a file against a split; against all where no file of it has right answers."""
        try:
            return score_covered(self.task, path, gold).scoring.instances
        except TaskError:
            if gold.split is None:
                raise
            everywhere = msgspec.structs.replace(gold, split=None)
            return score_covered(self.task, path, everywhere).scoring.instances


def _find_splits(corpus: Corpus) -> dict[str, str | None]:
    query = "SELECT dialogue_id, split FROM dialogues WHERE corpus = ?"
    return dict(corpus.rows(query, [corpus.name]))


def combine_scored(task: Task, scored: Iterable[Scored]) -> dict[str, Values]:
    """Returns the values of each measure of a task over scored instances."""
    counts = [each.counts for each in scored]
    return {
        measure.name: measure.combine(
            sum_counts(each[measure.name] for each in counts if measure.name in each)
        )
        for measure in task.measures
    }


def is_right(task: Task, scored: Scored) -> bool:
    """Says whether an instance got the best of every main number that is defined for it.

    Where the best of all of them depends on the data, as that of BLEU does, right is what the right
    answer says, letter by letter.
    """
    values = combine_scored(task, [scored])
    measures = {measure.name: measure for measure in task.measures}
    wanted = task.main or tuple(
        f"{measure}:{name}" for measure in values for name in values[measure]
    )
    is_compared = False
    for measure, _, name in (each.partition(":") for each in wanted):
        value, best = values[measure].get(name), measures[measure].find_best(name)
        if value is None or best is None:
            continue
        if abs(value - best) > _ROUNDING:
            return False
        is_compared = True
    return bool(scored.counts) and (is_compared or scored.predicted == scored.gold)


def score_texts(
    task_name: str,
    texts: Mapping[str, str],
    corpus: str,
    store: str | Path | None = None,
) -> dict[str, float]:
    """Scores what a model said of instances of a task.

    An answer that cannot be read counts as the official script counts a missing one.

    Args:
        task_name: name of the task.
        texts: what was said, by id of the instance.
        corpus: name of the imported corpus.
        store: folder of the store; None for the usual one.

    Returns:
        Values by ``measure:value``, with part and split before them where a file of predictions
        holds one part only (``fashion/devtest/``); ``asked``, ``unread`` and ``unscored`` (no file
        of predictions has a place for them) count instances.

    Raises:
        TaskError: there is no instance of an id.
    """
    scorer = ReplyScorer(task_name, load(corpus, store))
    replies = scorer.score(list(texts.items()))
    values = {
        "asked": float(len(replies)),
        "unread": float(sum(each.fault is not None for each in replies)),
        "unscored": float(sum(each.scored is None for each in replies)),
    }
    for prefix, mine in group_replies(replies).items():
        found = combine_scored(scorer.task, (each.scored for each in mine if each.scored))
        values |= {
            f"{prefix}{measure}:{name}": value
            for measure, each in found.items()
            for name, value in each.items()
            if value is not None
        }
    return values


def group_replies(replies: Iterable[ScoredReply]) -> dict[str, list[ScoredReply]]:
    """Groups replies by part and split where parts have files of their own; else all are one."""
    groups: dict[str, list[ScoredReply]] = {}
    for each in replies:
        prefix = "".join(f"{name}/" for name in (each.part, each.split) if each.part and name)
        groups.setdefault(prefix, []).append(each)
    return groups
