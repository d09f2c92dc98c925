from __future__ import annotations

from pathlib import Path

import pytest

import commonground
from commonground.typed_text import is_line

SOURCE = Path(commonground.__file__).parent


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family: people with joiners
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
        "\u0915\u094d\u200d\u0937",  # Hindi, with a joiner
        "Vraiment\u00a0? 10\u202f000",  # French, with spaces that do not break
        "\u2066abc\u2069",  # marks of direction
    ],
)
def test_every_script_can_be_typed(text: str) -> None:
    assert is_line(text)


@pytest.mark.parametrize("text", ["a\nb", "a\tb", "a\0b", "\x1b[31m", "a\u2028b", "\ud800"])
def test_what_no_key_gives_is_no_line(text: str) -> None:
    assert not is_line(text)


def test_all_games_ask_in_one_place() -> None:
    rules = [
        path.read_text(encoding="utf-8") for path in (SOURCE / "play" / "scenarios").glob("**/*.py")
    ]
    assert sum("refuse_line(" in each for each in rules) >= 4
    assert "is_line(" in (SOURCE / "play" / "acts.py").read_text(encoding="utf-8")
    assert not any("isprintable" in each or "unicodedata.category" in each for each in rules)
