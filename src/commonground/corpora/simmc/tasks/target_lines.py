"""Target lines as dialogues: what was said, and the number of each dialogue.

Target lines have no numbers of dialogues. They are in the order of the other files of the same
domain and split, so a file whose dialogues are as long, one by one, or begin with the same words
gives them; where there is none, predictions whose dialogues are all as long. In the released files
the answers of all numbered lines are those of the candidates. Some lines have the API call behind
the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from commonground.corpora.simmc.native.targets import parse_acts
from commonground.corpora.simmc.tasks.beliefs import BELIEF_ENDS, BeliefTurn, read_line_turns
from commonground.corpora.simmc.tasks.released import LISTS, NUMBERS, Released

_USER = "User : "
_CALL_STARTS, _LINE_ENDS = "<EOR>", "<EOS>"
# What stands between the user's belief and the end of a line: the action, and its arguments in
# brackets.
_CALL = re.compile(r"<EOR>\s*(\S+)\s+\[([^\]]*)\]")
_WITHOUT_ATTRIBUTES = ("None", "AddToCart")


def number_dialogues(
    turns: Sequence[BeliefTurn], source: Released, others: Iterable[Released]
) -> dict[str, str]:
    """Returns the number of each dialogue of target lines by its place (``#0``).

    Where no other file of the same domain and split has the same dialogues, their names are those
    that they have in a store: split and place (``dev#0``). A file of another format gives none: its
    dialogues have numbers.
    """
    if source.format != "targets":
        return {}
    groups = group_turns(turns)
    for other in others:
        if _are_same(groups, source, other):
            key = NUMBERS[other.format]
            return {f"#{i}": str(each[key]) for i, each in enumerate(other.records)}
    return {f"#{i}": f"{source.split or 'targets'}#{i}" for i in range(len(groups))}


def is_numbered(name: str) -> bool:
    """Says whether a dialogue has a number, and not only a place in its file."""
    return "#" not in name


def group_turns(turns: Iterable[BeliefTurn]) -> list[list[BeliefTurn]]:
    """Divides the turns of a file into dialogues, of which each begins with a turn 0."""
    groups: list[list[BeliefTurn]] = []
    for turn in turns:
        if turn.turn == 0:
            groups.append([])
        groups[-1].append(turn)
    return groups


def _are_same(groups: list[list[BeliefTurn]], source: Released, other: Released) -> bool:
    if other.format not in LISTS or len(other.records) != len(groups):
        return False
    if other.domain != source.domain or other.split != source.split:
        return False
    inner, has_words = LISTS[other.format], other.format == "dials"
    return all(
        _has_words(one, each[inner]) if has_words else len(one) == len(each[inner])
        for one, each in zip(groups, other.records, strict=True)
    )


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
    # A context holds two turns: the user's latest words follow the last mark, and end where the
    # scene begins.
    return context[context.rfind(_USER) + len(_USER) :].partition("<SOM>")[0].strip()


def list_line_records(sources: Sequence[Released]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the dialogues of all target lines by dialogue id; see :func:`read_line_records`."""
    for source in choose_targets(sources):
        for name, record in read_line_records(source, sources):
            yield f"{source.domain or 'simmc'}-{name}", record


def choose_targets(sources: Iterable[Released]) -> list[Released]:
    """Returns a file of target lines for each domain and split: the first that has API calls."""
    chosen: dict[tuple[str | None, str | None], Released] = {}
    for source in sources:
        if source.format == "targets":
            first = chosen.setdefault((source.domain, source.split), source)
            if _has_calls(source) and not _has_calls(first):
                chosen[source.domain, source.split] = source
    return list(chosen.values())


def _has_calls(source: Released) -> bool:
    # The first line tells: a file was written with calls or without.
    return any(_CALL_STARTS in line for line in source.records[:1])


def read_line_records(
    source: Released, others: Sequence[Released], predicted: Mapping[int, int] | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the dialogues of one file of target lines by number, or by place (``dev#0``).

    Each has ``dialogue`` as in ``*_dials.json``, whose turns have their words, their ``context``,
    and their ``belief_state`` as frames; where its number is known, ``dialogue_idx``; and
    ``actions`` as in ``*_api_calls.json``, empty where the lines have no calls.

    Args:
        others: files that may tell the numbers.
        predicted: number of turns of each predicted dialogue by its number, in the order of the
            predictions: tells the numbers where no file does and all dialogues are as long.
    """
    turns = read_line_turns(source.records)
    groups = group_turns(turns)
    names = number_dialogues(turns, source, others)
    is_known = all(map(is_numbered, names.values()))
    if not is_known and predicted and [len(each) for each in groups] == [*predicted.values()]:
        names = {f"#{place}": str(number) for place, number in enumerate(predicted)}
    # Turns and lines are as many, in the same order.
    lines = iter(source.records)
    for group in groups:
        mine = [next(lines) for _turn in group]
        name = names.get(group[0].dialogue, group[0].dialogue)
        record: dict[str, Any] = {"dialogue_idx": int(name)} if name.isdecimal() else {}
        pairs = zip(group, mine, strict=True)
        record["dialogue"] = [_make_turn(turn, line, source.domain) for turn, line in pairs]
        record["actions"] = _list_calls(mine, source.domain)
        yield name, record


def _make_turn(turn: BeliefTurn, line: str, domain: str | None) -> dict[str, Any]:
    answer = line.partition(BELIEF_ENDS)[2]
    for end in (_CALL_STARTS, _LINE_ENDS):
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


def _list_calls(lines: Sequence[str], domain: str | None) -> list[dict[str, Any]]:
    """Reads the API calls of a dialogue; empty where a line has none."""
    calls = [parse_call(line, domain) for line in lines]
    # One line without a call would shift all after it.
    if None in calls:
        return []
    return [{"turn_idx": turn, **call} for turn, call in enumerate(calls) if call is not None]


def parse_call(line: str, domain: str | None) -> dict[str, Any] | None:
    """Returns the API call of a line, as the released files have it; None where there is none.

    Of fashion a call has a list of attributes, ``[ price, info ]``, of furniture arguments,
    ``[ matches = price ]``; which of them is told by the domain, or by an equals sign.
    """
    match = _CALL.search(line)
    if match is None:
        return None
    name, inner = match[1], match[2].strip()
    if domain == "furniture" or (domain is None and " =" in inner):
        acts = parse_acts(f"{name} [ {inner} ]")
        return {"action": name, "action_supervision": {"args": dict(acts[0].slots)}}
    if name in _WITHOUT_ATTRIBUTES:
        return {"action": name, "action_supervision": None}
    attributes = [each.strip() for each in inner.split(",") if each.strip()]
    return {"action": name, "action_supervision": {"attributes": attributes}}
