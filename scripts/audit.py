"""Asks an index of vulnerabilities about every package of the locks; fails where one is known.

Where the index cannot be reached, as on a machine without a network, nothing is audited; it says so
and does not fail. Usage: audit.py [INDEX], with the address of an index that speaks as OSV does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

INDEX = "https://api.osv.dev/v1/query"
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-models.lock")
ANSWER_S = 5


def can_ask(index: str) -> bool:
    """Says whether the index answers a question as it should, within some seconds."""
    answered = threading.Event()

    def ask() -> None:
        question = json.dumps({"package": {"name": "pip", "ecosystem": "PyPI"}, "version": "26"})
        asked = urllib.request.Request(index, question.encode())  # noqa: S310 - an address of ours
        asked.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(asked, timeout=ANSWER_S) as answer:  # noqa: S310 - as above
                json.load(answer)
        except (OSError, ValueError):
            return
        answered.set()

    # Names of hosts are looked up without a limit of time.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(ANSWER_S)
    return answered.is_set()


def audit(index: str) -> int:
    """Audits the locks; returns an exit code."""
    if not can_ask(index):
        print("not audited: the index cannot be reached")  # noqa: T201 - a script
        return 0
    root = Path(__file__).parents[1]
    locks = [word for lock in LOCKS for word in ("-r", str(root / lock))]
    # Locks name all that is installed: pip is not needed to find out, nor another index.
    how = ("--disable-pip", "--require-hashes", "--progress-spinner", "off")
    words = [sys.executable, "-m", "pip_audit", *how, "-s", "osv", "--osv-url", index, *locks]
    return subprocess.run(words, check=False).returncode  # noqa: S603 - this environment's own


if __name__ == "__main__":
    sys.exit(audit(*sys.argv[1:] or [INDEX]))
