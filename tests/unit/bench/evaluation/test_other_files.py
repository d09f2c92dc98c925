"""What is not a file of predictions is refused, whatever the task would make of its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.bench.evaluation.access import evaluate
from commonground.bench.evaluation.prompts import find_prompts
from commonground.errors import TaskError

TASKS = sorted(name for name in find_prompts() if not name.startswith("toy/"))
# Such lines stand in the sources of readers and of their tests, too.
MARKED = "a => Belief State : DA:ASK:GET [ fashion-O = b ] <EOB>\n[A]Hello.\n"
OTHERS = {
    "source.py": Path(__file__).read_text(encoding="utf-8"),
    "reader.py": Path(__file__).read_text(encoding="utf-8") + MARKED,
    "readme.md": "# Predictions\n\nThey are in `predictions.json`.\n\n- fashion\n- furniture\n",
    "page.html": "<!doctype html>\n<html>\n<body>\n<p>404</p>\n</body>\n</html>\n",
    "table.csv": "id,score\n1,0.5\n2,0.7\n",
    "settings.toml": "[model]\nname = 'small'\nseed = 1\n",
    "log.txt": "INFO loading\nINFO 12 dialogues\nTraceback (most recent call last):\n",
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("task", TASKS)
def test_what_is_no_file_of_predictions_is_refused(
    task: str, name: str, store: Path, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(OTHERS[name], encoding="utf-8")
    with pytest.raises(TaskError, match=name.replace(".", r"\.")):
        evaluate(task, path, store=store, intervals=False)
