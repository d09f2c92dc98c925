from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from pathlib import Path

from commonground.corpora.toy.native import Moods, Talk  # type: ignore[import-not-found]

from commonground.files.reading import ConversionError, SideRecord, Where
from commonground.model import Act, Dialogue, Object, Speaker, Utterance


def prepare(sides: Iterable[SideRecord]) -> dict[str, str]:
    meanings: dict[str, str] = {}
    for side in sides:
        if isinstance(side.record, Moods):
            meanings.update(side.record.moods)
    return meanings


def die(once: str) -> None:
    """Ends this process as a machine without memory does; with a file's name, only once."""
    marker = Path(once.strip())
    if once and marker.exists():
        return
    if once:
        marker.touch()
    os.kill(os.getpid(), signal.SIGKILL)


def convert(talk: Talk, where: Where, context: dict[str, str]) -> Dialogue:
    dialogue = Dialogue(dialogue_id=talk.talk_id, split=where.split)
    for index, line in enumerate(talk.lines):
        if not line.who:
            raise ConversionError(f".lines[{index}].who", "a name", line.who)
        if line.says == "crash":
            raise KeyError(line.says)
        if line.says.startswith("die"):
            die(line.says.removeprefix("die"))
        if all(each.speaker != line.who for each in dialogue.speakers):
            dialogue.speakers.append(Speaker(line.who, "peer"))
        dialogue.events.append(Utterance(line.who, line.says, index))
        if isinstance(line.mood, str):
            act = context.get(line.mood, line.mood)
            dialogue.acts.append(Act(index, "mood", 0, act))
            dialogue.objects.append(Object(line.mood, "mood", act))
    return dialogue
