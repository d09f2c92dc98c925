"""Draws what the demo prints as ``docs/images/demo.svg``.

Usage: ``python scripts/draw_demo.py < OUTPUT_OF_THE_DEMO``
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

TARGET = Path(__file__).resolve().parents[1] / "docs/images/demo.svg"
LINES = 64
WIDTH = 122


def main() -> None:
    """Writes the picture of the last queries and the first dialogue."""
    text = sys.stdin.read()
    start = text.rindex("\n", 0, text.index("$ commonground list"))  # with what makes it bold
    lines = [line for line in text[start:].splitlines() if line.strip()]
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    for line in lines[:LINES]:
        console.print(Text.from_ansi(line), soft_wrap=False, overflow="ellipsis", no_wrap=True)
    svg = console.export_svg(title="make demo", font_aspect_ratio=0.61)
    # The picture must not fetch a font from anywhere.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(svg.replace("Fira Code", "ui-monospace"), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")


if __name__ == "__main__":
    main()
