"""How single values are written on pages."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup, escape


def compact(number: float | None) -> str:
    """Writes a number in few characters: ``9,876``, ``29.4k``, ``1.2M``; a dash for null."""
    if number is None:
        return "–"
    for limit, unit in ((1_000_000, "M"), (1_000, "k")):
        if abs(number) >= max(limit, 10_000):
            short = f"{number / limit:.1f}".removesuffix(".0")
            return short + unit
    return f"{number:,.6g}" if isinstance(number, float) else f"{number:,}"


def precise(number: float) -> str:
    """Writes a number with seven digits."""
    return f"{number:,.7g}"


def thousands(number: float) -> str:
    """Writes a number with commas between thousands."""
    return f"{number:,}"


def seconds(value: float | None) -> str:
    """Writes seconds as ``m:ss``, or ``h:mm:ss`` from an hour on; nothing for null."""
    if value is None:
        return ""
    minutes, rest = divmod(int(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def pretty(value: Any) -> str:
    """Writes a JSON value over several lines."""
    return json.dumps(value, ensure_ascii=False, indent=1)


def web_link(text: str | None) -> Markup:
    """Writes an address from data: a link if it is http or https, else plain text."""
    if text and text.lower().startswith(("http://", "https://")):
        return Markup('<a href="{0}" rel="noreferrer nofollow external">{0}</a>').format(text)
    return escape(text or "")
