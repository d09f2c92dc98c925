"""Target lines as dialogues: what was said, and the number of each dialogue.

Target lines have no numbers of dialogues. They are in the order of the other files of the same
domain and split, so a file whose dialogues are as long, one by one, or begin with the same words
gives them. In the released files the answers of all numbered lines are those of the candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from commonground.corpora.simmc.native import split_of_name
from commonground.corpora.simmc.tasks.dst_lines import BELIEF_ENDS
from commonground.corpora.simmc.tasks.dst_turns import BeliefTurn, read_line_turns
from commonground.corpora.simmc.tasks.released import Released

_USER = "User : "
_ANSWER_ENDS = ("<EOR>", "<EOS>")
_LISTS = {"api_calls": "actions", "retrieval": "retrieval_candidates", "dials": "dialogue"}
_NUMBERS = {"api_calls": "dialog_id", "retrieval": "dialogue_idx", "dials": "dialogue_idx"}


def number_dialogues(
    turns: Sequence[BeliefTurn], source: Released, others: Iterable[Released]
) -> dict[str, str]:
    """Returns the number of each dialogue of target lines by its place (``#0``).

    Empty where no other file of the same domain and split has the same dialogues.
    """
    if source.format != "targets":
        return {}
    groups = group_turns(turns)
    for other in others:
        if _are_same(groups, source, other):
            key = _NUMBERS[other.format]
            return {f"#{i}": str(each[key]) for i, each in enumerate(other.records)}
    return {}


def group_turns(turns: Iterable[BeliefTurn]) -> list[list[BeliefTurn]]:
    """Divides turns into dialogues."""
    groups: list[list[BeliefTurn]] = []
    for turn in turns:
        if turn.turn == 0:
            groups.append([])
        groups[-1].append(turn)
    return groups


def _are_same(groups: list[list[BeliefTurn]], source: Released, other: Released) -> bool:
    if other.format not in _LISTS or len(other.records) != len(groups):
        return False
    if other.domain != source.domain or _split(other) != _split(source):
        return False
    fits = _has_words if other.format == "dials" else _has_length
    inner = _LISTS[other.format]
    return all(fits(one, each[inner]) for one, each in zip(groups, other.records, strict=True))


def _split(released: Released) -> str | None:
    return split_of_name(released.name.replace("\\", "/").rpartition("/")[2])


def _has_length(group: list[BeliefTurn], turns: list[Any]) -> bool:
    return len(group) == len(turns)


def _has_words(group: list[BeliefTurn], turns: list[Any]) -> bool:
    """Says whether a dialogue has the same words; the public form may end earlier."""
    if len(turns) > len(group):
        return False
    said = (str(turn.get("transcript", "")) for turn in turns if isinstance(turn, dict))
    return all(
        read_words(one.context or "").split() == words.split()
        for one, words in zip(group, said, strict=False)
    )


def read_words(context: str) -> str:
    """Returns the user's latest words in a context."""
    return context[context.rfind(_USER) + len(_USER) :].partition("<SOM>")[0].strip()


def list_line_records(sources: Sequence[Released]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields dialogues of target lines as those of ``*_dials.json`` look, by dialogue id.

    Each turn has its words, its ``context``, and its ``belief_state`` as frames. Of two files of
    the same domain and split the first is read.
    """
    seen = set()
    for source in sources:
        key = source.domain, _split(source)
        if source.format != "targets" or key in seen:
            continue
        seen.add(key)
        turns = read_line_turns(source.records)
        names = number_dialogues(turns, source, sources)
        lines = iter(source.records)
        for group in group_turns(turns):
            made = [_make_turn(each, next(lines), source.domain) for each in group]
            name = names.get(group[0].dialogue, group[0].dialogue)
            facts: dict[str, Any] = {"dialogue_idx": int(name)} if name.isdecimal() else {}
            yield f"{source.domain or 'simmc'}-{name}", {**facts, "dialogue": made}


def _make_turn(turn: BeliefTurn, line: str, domain: str | None) -> dict[str, Any]:
    answer = line.partition(BELIEF_ENDS)[2]
    for end in _ANSWER_ENDS:
        answer = answer.partition(end)[0]
    context = turn.context or ""
    fields = {
        "turn_idx": turn.turn,
        "transcript": read_words(context),
        "system_transcript": answer.strip(),
        "context": context,
        "belief_state": turn.frames,
    }
    return fields if domain is None else {"domain": domain, **fields}
