"""Runs every benchmark that has its data and prints one table.

Usage: ``python -m benchmarks [NAME ...]``; names are those of the files beside this one.
``COMMONGROUND_DATA`` names the released files, ``COMMONGROUND_FRAMES`` the Frames file.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from benchmarks.measure import Line

HELPERS = {"__init__", "__main__", "growth_plots", "measure"}


def main() -> None:
    wanted = sys.argv[1:]
    names = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem not in HELPERS)
    print("| job | measured | reference in the same run | ratio | bar | holds |")
    print("|---|---|---|---|---|---|")
    for name in names:
        if wanted and name not in wanted:
            continue
        lines: list[Line] = importlib.import_module(f"benchmarks.{name}").run()
        for line in lines:
            ratio = "" if line.ratio is None else f"{line.ratio:.2f}"
            holds = {True: "yes", False: "**no**", None: ""}[line.holds]
            row = (line.job, line.measured, line.reference, ratio, line.bar, holds)
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
