"""Chat templates that trainers ship take every line of their target, and print all its words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, Template, TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser

from tests.thorough import one_in

from .test_chat_targets import KINDS, Exporting, lines

SHIPPED = Path(sys.prefix) / "templates"
"""Packages of trainers, which are read and never imported; see the Makefile."""


class Generation(Extension):
    """``{% generation %}``, by which trainers mark what is learnt: its body is printed."""

    tags = {"generation"}  # noqa: RUF012 - as the base class has it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def compile_template(path: Path) -> Template:
    def refuse(why: str) -> str:
        raise TemplateError(why)

    environment = Environment(  # noqa: S701 - as trainers run them
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation]
    )
    environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    environment.filters["from_json"] = json.loads
    environment.globals |= {
        "raise_exception": refuse,
        "strftime_now": datetime(2026, 1, 2, tzinfo=UTC).strftime,
        "bos_token": "<s>",
        "eos_token": "</s>",
    }
    return environment.from_string(path.read_text(encoding="utf-8"))


TAKEN = {
    "hf": "gemma4* glm4moe* jamba lfm2* nemotron_3* qwen3_5* qwen3_6* qwen3_8* qwen3_vl*",
    # mistral_v1, mistral_v7_tekken and pixtral have no place for calls.
    "mistral": "mistral_v2v3 mistral_v3_tekken",
    "gemma": "gemma* diffusion_gemma*",
    # llama3 has no place for calls, either; its words come through.
    "llama": "llama3_1 llama3_2* llama4",
}
"""For each target, the templates that have a place for all that is written for it."""


@pytest.mark.parametrize("target", one_in(2, TAKEN))
def test_templates_print_all_that_is_written_for_them(target: str, export: Exporting) -> None:
    if not SHIPPED.is_dir():
        pytest.skip("the packages of trainers are not there: make .venv/.ready")
    templates = [path for name in TAKEN[target].split() for path in SHIPPED.rglob(f"{name}.jinja")]
    assert templates
    out, _ = export("chat", *KINDS, **{"for": target})
    found = list(lines(out))
    for path in templates:
        template = compile_template(path)
        for line in found:
            text = template.render(line)
            assert "None" not in text.replace('"None"', ""), path.name
            for written in _list_written(line["messages"]):
                assert written in text, path.name


def _list_written(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yields the texts that a template has to print, and the names of what is called."""
    for message in messages:
        content = message["content"]
        for text in [content] if isinstance(content, str) else _texts(content):
            # Some templates write results as JSON texts in JSON.
            if message["role"] != "tool":
                yield text.strip()
        yield from (call["function"]["name"] for call in message.get("tool_calls", ()))


def _texts(parts: list[dict[str, str]]) -> list[str]:
    return [part["text"] for part in parts if part["type"] == "text"]
