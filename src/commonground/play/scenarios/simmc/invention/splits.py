"""Writes simulated dialogues in all files that the splits were released in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from commonground.corpora.simmc.native import simmc1
from commonground.corpora.simmc.native.targets import TargetAct, render_acts
from commonground.play.scenarios.simmc.players.language import load_phrases
from commonground.play.scenarios.simmc.release import CANDIDATES, draw_choice, envelope


def write_list(
    path: Path,
    records: Sequence[Any],
    around: dict[str, Any] | None = None,
    items: str = "",
    pool: Sequence[str] | None = None,
) -> None:
    """Writes a JSON list, or an object around one; no file without records.

    Args:
        path: of the file; its folder is made if need be.
        records: of the list, a line each.
        around: the fields of an object that stand before the list; None for a bare list.
        items: name of the field that has the list, in an object.
        pool: answers that stand after the list; None for none.
    """
    if not records:
        return
    encode = msgspec.json.encode
    data = b"[" + b",\n".join(map(encode, records)) + b"]"
    if around is not None:
        # The list is one more field, before the closing brace.
        data = encode(around)[:-1] + f', "{items}": '.encode() + data
        if pool is not None:
            data += b', "system_transcript_pool": [' + b", ".join(map(encode, pool)) + b"]"
        data += b"}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data + b"\n")


class _Candidates:
    """Retrieval candidates, drawn from a pool of answers that grows with each dialogue.

    Args:
        gold: as in :func:`draw_choice`.
    """

    def __init__(self, *, gold: bool) -> None:
        self._gold = gold
        # So that there are a hundred to draw from at the first dialogue.
        fillers = (load_phrases().filler.format(number) for number in range(CANDIDATES * 2))
        self._numbers = {text: number for number, text in enumerate(fillers)}
        self.choices: list[simmc1.Choices] = []

    @property
    def pool(self) -> list[str]:
        """All answers, by number."""
        return [*self._numbers]

    def add(self, rng: Random, dialogue: simmc1.Dialogue1) -> None:
        """Draws candidates for every turn of a dialogue; the answer itself is one of them."""
        choices = []
        for turn in dialogue.dialogue:
            answer = self._numbers.setdefault(turn.system_transcript, len(self._numbers))
            size = len(self._numbers)
            choices.append(draw_choice(rng, turn.turn_idx, size, answer, gold=self._gold))
        number = dialogue.dialogue_idx
        self.choices.append(simmc1.Choices(dialogue_idx=number, retrieval_candidates=choices))


class SplitFiles:
    """All files of one domain and split.

    Args:
        domain: ``fashion`` or ``furniture``.
        split: ``train``, ``dev`` or ``devtest``.
        tasks: of all dialogues, for fashion.
    """

    def __init__(self, domain: str, split: str, tasks: list[simmc1.Task]) -> None:
        self._domain, self._split, self._tasks = domain, split, tasks
        self._dials: list[simmc1.Dialogue1] = []
        self._public: list[simmc1.Dialogue1] = []
        self._calls: list[simmc1.ApiCalls] = []
        # Both forms of the release are to be met by readers: dev is written in that of version 1.0.
        self._choices = _Candidates(gold=split != "dev")
        self._hidden = _Candidates(gold=False)
        self._numbers: list[str] = []
        self._targets: list[str] = []
        self._actions: list[str] = []

    def add(self, rng: Random, dialogue: simmc1.Dialogue1, calls: simmc1.ApiCalls) -> None:
        """Adds a dialogue in full, with all that goes with it, and draws candidates for answers."""
        self._dials.append(dialogue)
        self._calls.append(calls)
        self._choices.add(rng, dialogue)
        self._numbers.append(str(dialogue.dialogue_idx))
        self._targets += target_lines(dialogue, None)
        if self._split == "devtest":
            self._actions += target_lines(dialogue, calls)

    def add_public(self, rng: Random, dialogue: simmc1.Dialogue1, calls: simmc1.ApiCalls) -> None:
        """Adds a dialogue in the form in which test sets are given out.

        Args:
            rng: draws the turn that is to be answered, and the candidates.
            dialogue: in full; what the public may not see is left out here.
        """
        self._public.append(_public_form(dialogue, rng.randint(1, len(dialogue.dialogue))))
        self._calls.append(calls)
        self._hidden.add(rng, dialogue)
        self._numbers.append(str(dialogue.dialogue_idx))

    def write(self, folder: Path) -> None:
        """Writes the files that have something in them."""
        base = f"{self._domain}_{self._split}_dials"
        for dialogues, name, split in (
            (self._dials, base, self._split),
            (self._public, f"{base}_teststd_format_public", f"{self._split}_teststd-format"),
        ):
            around = msgspec.to_builtins(envelope(self._domain, split, self._tasks))
            write_list(folder / f"{name}.json", dialogues, around, "dialogue_data")
        for found, ending in (
            (self._choices, ""),
            (self._hidden, "_teststd_format_public"),
        ):
            path, around = (
                folder / f"{base}_retrieval_candidates{ending}.json",
                {"split": self._split},
            )
            write_list(path, found.choices, around, "retrieval_candidates", found.pool)
        write_list(folder / f"{base}_api_calls.json", self._calls)
        for name, lines in (
            (f"{self._split}_dialog_ids", self._numbers),
            (f"{base}_target.txt", self._targets),
            (f"{self._domain}_{self._split}_task1_target.txt", self._actions),
        ):
            if lines:
                (folder / name).write_bytes("".join(f"{line}\n" for line in lines).encode())


def _public_form(dialogue: simmc1.Dialogue1, length: int) -> simmc1.Dialogue1:
    """Returns the beginning of a dialogue as test sets are given out: no labels, no last answer."""
    turns = [
        simmc1.Turn(
            turn_idx=turn.turn_idx,
            domain=turn.domain,
            transcript=turn.transcript,
            system_transcript=turn.system_transcript if turn.turn_idx < length - 1 else "",
            belief_state={},
            visual_objects=turn.visual_objects,
        )
        for turn in dialogue.dialogue[:length]
    ]
    return simmc1.Dialogue1(
        dialogue=turns,
        dialogue_idx=dialogue.dialogue_idx,
        domains=dialogue.domains,
        dialogue_task_id=dialogue.dialogue_task_id,
    )


def target_lines(dialogue: simmc1.Dialogue1, calls: simmc1.ApiCalls | None) -> list[str]:
    """Returns the state tracking targets of a dialogue, with actions where they are given."""
    lines: list[str] = []
    contexts: list[str] = []
    answer = ""
    for index, turn in enumerate(dialogue.dialogue):
        front = f"System : {answer} " if answer else ""
        contexts.append(f"{front}User : {turn.transcript} {_scene_text(turn)}")
        answer = turn.system_transcript
        acts = [
            TargetAct(act=act.act, slots=act.slots)
            for act in turn.belief_state or ()
            if isinstance(act, simmc1.ActSlots)
        ]
        # The context of a line is the two latest turns, as upstream's convert.py has it by default.
        line = f"{' '.join(contexts[-2:])} => Belief State : {render_acts(acts)} <EOB> {answer}"
        if calls is not None:
            line += f" <EOR> {_action_text(calls, index)}"
        lines.append(f"{line} <EOS>")
    return lines


def _scene_text(turn: simmc1.Turn) -> str:
    parts = []
    for name, attributes in (turn.visual_objects or {}).items():
        shown = [
            f"{key} {attributes[key]}"
            for key in ("pos", "color", "type", "class_name", "decor_style")
            if attributes.get(key)
        ]
        parts.append(f"{name} : {' '.join(shown)}")
    return f"<SOM> {' '.join(parts)} <EOM>"


def _action_text(calls: simmc1.ApiCalls, index: int) -> str:
    call = calls.actions[index]
    given = call.action_supervision or {}
    # Furniture has its attributes below `args`, fashion at once.
    given = given.get("args", given) or {}
    names = ("furnitureType", "color", "position", "direction", "matches", "navigate_direction")
    slots = [[name, str(given[name])] for name in names if name in given]
    return render_acts([TargetAct(act=call.action, slots=slots)])
