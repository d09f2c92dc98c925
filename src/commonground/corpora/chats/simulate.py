"""Writes invented chats: customers of a shop of cups and those who answer them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from commonground.corpora.chats.tables import TableRow, render_csv

_GREETINGS = ("Hello, what can I do for you?", "Good morning! How can I help?", "Hi, welcome.")
_WISHES = ("I would like a {} cup.", "Have you got {} cups?", "Do you sell this in {}?")
_ANSWERS = ("Yes, here is one.", "We have, look:", "Of course, this one is new.")
_ENDS = ("Great, I'll take it.", 'My sister calls that "nice, but dear".', "No, thanks.\nBye!")
_COLOURS = ("red", "blue", "green", "white")
_SPLITS = ("train", "train", "test")


def simulate(out: Path, *, dialogues: int, seed: int) -> None:
    """Writes a table of chats below a folder; the same seed gives the same bytes."""
    rng = Random(seed)
    cells = [row for number in range(dialogues) for row in _invent(number, rng)]
    # A header, and a line for each row but for those whose texts have two.
    lines, at = [], 2
    for each in cells:
        lines.append(TableRow(at, each, ""))
        at += 1 + each["text"].count("\n")
    (out / "chats.csv").write_bytes(render_csv(lines))


def _invent(number: int, rng: Random) -> list[dict[str, str]]:
    colour = rng.choice(_COLOURS)
    customer, split = f"guest{rng.randrange(100)}", _SPLITS[number % len(_SPLITS)]
    at = datetime(2026, 1, 5, 9, tzinfo=UTC) + timedelta(days=number, minutes=rng.randrange(300))
    texts = (
        rng.choice(_GREETINGS),
        rng.choice(_WISHES).format(colour),
        rng.choice(_ANSWERS),
        rng.choice(_ENDS),
    )
    rows = []
    for turn, (text, act) in enumerate(zip(texts, ("greet", "ask", "show", "close"), strict=True)):
        at += timedelta(seconds=rng.randrange(2, 40))
        rows.append(
            {
                "chat_id": f"chat{number}",
                "split": split,
                "message_id": f"m{number}x{turn}",
                "reply_to": f"m{number}x{turn - 1}" if turn else "",
                "author": customer if turn % 2 else "shop",
                "role": "customer" if turn % 2 else "agent",
                "sent_at": at.isoformat(),
                "text": text,
                "act": act,
                "picture": f"https://example.org/{colour}.png" if act == "show" else "",
                "channel": rng.choice(("web", "phone")),
            }
        )
    return rows
