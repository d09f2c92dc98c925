"""A catalogue in which all texts are in brackets, and whether all that is shown is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import commonground.play.rooms as rooms
from commonground.play.collect.setup.plan import read_plan
from commonground.play.rooms.rendering import list_folders
from commonground.play.scenarios import get_scenario


def bracket_texts(study: Path, scenario: str) -> None:
    """Gives a study texts of its own: all of those that it has, in brackets."""
    room = get_scenario(scenario).room
    merged: dict[str, Any] = {}
    for each in (Path(rooms.__path__[0]) / "texts", *list_folders(room, read_plan(room))):
        path = each / "en.toml"
        if path.is_file():
            _merge(merged, tomllib.loads(path.read_text(encoding="utf-8")))
    (study / "texts").mkdir()
    lines = "\n".join(_bracket(merged, ""))
    (study / "texts" / "en.toml").write_text(lines, encoding="utf-8")


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _bracket(value: Any, name: str) -> Iterator[str]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in pairs:
        path = f"{name}.{key}" if name else str(key)
        if isinstance(each, str):
            yield f'{path} = """⟦{each}⟧"""'
        else:
            yield from _bracket(each, path)


_SHOWN = """() => {
  const found = [document.title.replace(/ · [^·]*$/, "")];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    const text = node.data.trim();
    if (text && !parent.closest("script, style, [data-own]")) found.push(text);
  }
  const names = ["aria-label", "alt", "placeholder", "title"];
  for (const each of document.querySelectorAll(names.map((name) => `[${name}]`).join())) {
    for (const name of names) {
      const text = each.getAttribute(name);
      if (text && text.trim() && !each.closest("[data-own]")) found.push(text.trim());
    }
  }
  return found;
}"""


def list_plain(page: Any) -> list[str]:
    """Returns what a page shows that is in no catalogue; texts of a study itself say so."""
    page.locator("h1").first.wait_for(state="attached")
    texts = page.evaluate(_SHOWN)
    assert len(texts) > 1
    return [text for text in texts if not re.fullmatch(r"⟦.*⟧|[\W\d_]*", text, re.DOTALL)]


def check_brackets(page: Any) -> None:
    assert list_plain(page) == []
