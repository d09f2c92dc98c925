from __future__ import annotations

import json
from pathlib import Path


def simulate(out: Path, *, dialogues: int, seed: int) -> None:
    talks = [
        {
            "talk_id": f"t{i}",
            "lines": [
                {"who": "ann", "says": f"hello {seed + i}", "mood": "glad"},
                {"who": "bob", "says": "hello", "mood": None},
            ],
        }
        for i in range(dialogues)
    ]
    half = dialogues // 2
    data = {"train": talks[:half], "test": talks[half:]}
    (out / "talks.json").write_text(json.dumps(data), encoding="utf-8")
    (out / "moods.json").write_text(json.dumps({"moods": {"glad": "happy"}}), encoding="utf-8")
