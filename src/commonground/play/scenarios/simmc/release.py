"""Talks that were held, as released: dialogues with state graphs, API calls and candidates.

Dialogues leave here with empty labels, whose fields the official scripts read: what an utterance
does and speaks of is marked in a second step, see ``annotation``. The actions need none, since the
assistant's buttons say them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native.simmc1 import (
    ApiCalls,
    Choice,
    Choices,
    Dialogue1,
    Envelope,
    Scene,
    Task,
    Turn,
)
from commonground.play.scenario import ReleasedFile
from commonground.play.scenarios.simmc.game.graphs import UserKnowledge
from commonground.records import UNSET

DOMAINS: tuple[Literal["fashion", "furniture"], ...] = ("fashion", "furniture")
SURVEYS = "extra/surveys.jsonl"
"""What people thought of their talks, a line each; the released format has no place for it."""

CANDIDATES = 100
"""Answers to choose from at each turn."""

_VERSION, _YEAR = 1.2, 2020
"""Of the format that is written."""


class Opinion(msgspec.Struct, frozen=True):
    """How somebody graded a talk.

    Attributes:
        agent: the number that stays with a participant.
        grade: from 1 to 5.
        text: the comment, which may be empty.
    """

    domain: str
    dialogue_idx: int
    role: str
    agent: int | None
    grade: int
    text: str


class ShopRound(msgspec.Struct, frozen=True, kw_only=True):
    """What the rounds of both games have, under way or over.

    Attributes:
        before: what the user knew at its start.
        after: what the user knew at its end.
    """

    before: UserKnowledge
    said: str
    carted: int | None = None
    answer: str = ""
    after: UserKnowledge = msgspec.field(default_factory=UserKnowledge)


def build_dialogue(
    domain: str, number: int, turns: list[Turn], known: UserKnowledge, task_id: int | None = None
) -> Dialogue1:
    """Builds the record of a talk, its labels empty.

    Args:
        domain: ``fashion`` or ``furniture``.
        known: what the user knew in the end.
        task_id: of its task; None where the domain has none.
    """
    return Dialogue1(
        dialogue=turns,
        dialogue_idx=number,
        domains=[domain],
        dialogue_task_id=UNSET if task_id is None else task_id,
        dialogue_coref_map={str(item): each for item, each in known.numbers.items()},
    )


def build_turn(domain: str, place: int, each: ShopRound, scene: Scene, strokes: list[Any]) -> Turn:
    """Builds the turn of a round, its labels empty.

    Args:
        domain: ``fashion`` or ``furniture``.
        place: of the turn in its dialogue, from 0.
        scene: what was in view when the user spoke.
        strokes: the assistant's raw keystrokes.
    """
    return Turn(
        turn_idx=place,
        domain=domain,
        transcript=each.said,
        system_transcript=each.answer,
        belief_state=[],
        system_belief_state=[],
        transcript_annotated="[]",
        system_transcript_annotated="[]",
        turn_label=[],
        system_turn_label=[],
        visual_objects=scene,
        state_graph_0=each.before.graph,
        # The user's words change nothing that an unlabelled talk knows of: 1 is 0 again.
        state_graph_1=each.before.graph,
        state_graph_2=each.after.graph,
        raw_assistant_keystrokes=strokes,
    )


def release_records(records: Iterable[Any]) -> Iterator[ReleasedFile]:
    """Yields the files of dialogues, API calls, candidates and opinions, a set for each domain.

    Args:
        records: :class:`Dialogue1`, :class:`ApiCalls`, :class:`Task` and :class:`Opinion`, in any
            order. Of a dialogue that comes again, labelled by somebody else, the first stands,
            since the format has one label for each utterance; and so of its calls and task.
    """
    by_type: dict[type, list[Any]] = {Dialogue1: [], ApiCalls: [], Task: [], Opinion: []}
    for record in records:
        by_type[type(record)].append(record)
    for domain in DOMAINS:
        dialogues = {
            each.dialogue_idx: each
            # From the last to the first: of one number the first is left standing.
            for each in by_type[Dialogue1][::-1]
            if each.domains[0] == domain
        }
        calls = {
            each.dialog_id: each for each in by_type[ApiCalls][::-1] if _domain_of(each) == domain
        }
        tasks = {each.task_id: each for each in by_type[Task][::-1]}
        # A split of its own: who collects decides later what is for training.
        base = f"simmc_{domain}/{domain}_collected_dials"
        if dialogues:
            around = envelope(domain, "collected", _in_order(tasks))
            data = msgspec.to_builtins(around) | {"dialogue_data": _in_order(dialogues)}
            yield ReleasedFile(f"{base}.json", msgspec.json.encode(data))
            if calls:
                beside = f"{base}_api_calls.json"
                yield ReleasedFile(beside, msgspec.json.encode(_in_order(calls)))
            candidates = draw_candidates(domain, _in_order(dialogues))
            if candidates:
                beside = f"{base}_retrieval_candidates.json"
                yield ReleasedFile(beside, msgspec.json.encode({"split": "collected"} | candidates))
    if by_type[Opinion]:
        yield ReleasedFile(SURVEYS, msgspec.json.Encoder().encode_lines(by_type[Opinion]))


def draw_candidates(domain: str, dialogues: Sequence[Dialogue1]) -> dict[str, Any]:
    """Draws the candidates of every answer, as released: all different, the right one at its index.

    The same dialogues give the same candidates.

    Returns:
        The pool of answers and the candidates, by the names of their fields; nothing where there
        are not a hundred different answers to draw from.
    """
    pool = sorted({turn.system_transcript for each in dialogues for turn in each.dialogue})
    if len(pool) < CANDIDATES:
        return {}
    numbers = {text: number for number, text in enumerate(pool)}
    rng = Random(f"{domain} retrieval candidates")
    choices = []
    for each in dialogues:
        drawn = [
            draw_choice(rng, turn.turn_idx, len(pool), numbers[turn.system_transcript])
            for turn in each.dialogue
        ]
        choices.append(Choices(dialogue_idx=each.dialogue_idx, retrieval_candidates=drawn))
    return {"system_transcript_pool": pool, "retrieval_candidates": choices}


def draw_choice(rng: Random, turn: int, size: int, answer: int, *, gold: bool = True) -> Choice:
    """Draws the candidates of a turn: the number of its answer, and 99 others below ``size``.

    Args:
        size: of the pool, a hundred at least.
        gold: whether to say the place of the answer; if not, it stands first, as in version 1.0.
    """
    # One more than is needed, since the answer may be among them.
    drawn = rng.sample(range(size), CANDIDATES)
    found = [number for number in drawn if number != answer][: CANDIDATES - 1]
    place = rng.randrange(CANDIDATES) if gold else 0
    found.insert(place, answer)
    index = place if gold else UNSET
    return Choice(turn_idx=turn, retrieval_candidates=found, gt_index=index)


def _in_order(records: dict[int, Any]) -> list[Any]:
    return [records[number] for number in sorted(records)]


def _domain_of(calls: ApiCalls) -> str:
    # Calls name no domain; fashion alone says what is in focus.
    return "furniture" if calls.focus_images is UNSET else "fashion"


def envelope(domain: str, split: str, tasks: list[Task]) -> Envelope:
    """Returns what stands around the dialogues of a file.

    Args:
        domain: ``fashion`` or ``furniture``.
        tasks: of all dialogues; furniture has none.
    """
    mapping = tasks if domain == "fashion" else UNSET
    return Envelope(split=split, version=_VERSION, year=_YEAR, domain=domain, task_mapping=mapping)
