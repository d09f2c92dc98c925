"""Each task's question to a model, whole, as a reader may check it: ``rendered/TASK.txt``.

Who changes what is asked looks at what has changed and writes it anew:
``COMMONGROUND_WRITE_RENDERED=1 pytest tests/unit/bench/inspect_tasks/test_rendering.py``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from inspect_ai.dataset import Sample

from commonground.bench.evaluation.prompts import find_prompts, inspect_name
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.asking.instructing import write_instructions
from commonground.bench.inspect_tasks.asking.questions import Asking, make_dataset

RENDERED = Path(__file__).with_name("rendered")
MOST = 4
"""Lines of a list that are shown: there are up to a hundred candidates."""
LONGEST = 300
"""Signs of a line that are shown."""


def render(ask: str, sample: Sample) -> str:
    """Writes a question and its right answer as they are sent; long inputs are cut."""
    questions = [each for each in sample.input if not isinstance(each, str)]
    messages = [*write_instructions(ask), *questions]
    told = [
        f"--- {each.role}\n{shorten(each.text) if each.role == 'user' else each.text}\n"
        for each in messages
    ]
    return "".join([*told, f"--- right answer\n{sample.target}\n"])


def shorten(text: str) -> str:
    """Cuts long lines and lists, and says so."""
    lines = text.split("\n")
    kept = [cut(line) for line in lines if number_of(line) < MOST]
    left_out = len(lines) - len(kept)
    return "\n".join([*kept, *([f"({left_out} lines of lists left out)"] if left_out else [])])


def number_of(line: str) -> int:
    """Returns the number that a line of a list begins with; 0 where there is none."""
    number, colon, _text = line.partition(": ")
    return int(number) if colon and number.isdigit() else 0


def cut(line: str) -> str:
    more = len(line) - LONGEST
    return line if more <= 0 else f"{line[:LONGEST]} ... ({more} more)"


@pytest.mark.parametrize("name", sorted(find_prompts()))
def test_a_question_reads_as_is_expected(name: str, store: Path) -> None:
    asking = Asking(
        task=name,
        corpus=get_task(name).corpora[0],
        split="all",
        limit=1,
        variant="text",
        store=str(store),
    )
    made = make_dataset(asking)
    found = render(made.ask, made.dataset[len(made.dataset) - 1])
    path = RENDERED / f"{inspect_name(name)}.txt"
    if "COMMONGROUND_WRITE_RENDERED" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == found


def test_nothing_else_is_expected() -> None:
    assert {each.stem for each in RENDERED.iterdir()} == set(map(inspect_name, find_prompts()))
