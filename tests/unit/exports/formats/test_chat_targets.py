"""What is written for a target passes its kind of template, and nothing is lost uncounted.

The templates here are invented. They refuse, drop and print what those of their family do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, Template, TemplateError

from commonground.corpora import get_corpus
from commonground.exports.format import get_export
from commonground.exports.formats.chat_messages import Conversation, Style
from commonground.exports.formats.chat_targets import SILENCE, TARGETS, fit_messages
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import Store, open_store
from tests.thorough import one_in
from tests.unit.exports.chat_reading import COLUMNS, read_chat

from .test_chat_messages import make_seen

Exporting = Callable[..., tuple[Path, Report]]

KINDS = ("frames", "mpchat", "photobook", "simmc2", "taskmaster3")
"""One corpus of each kind: several versions of one have the same roles, calls and facts."""

TEMPLATES = {
    # As Qwen's and SmolLM's: any order of roles, the content printed whatever it is.
    "hf": """
{%- for m in messages %}<{{ m.role }}>
{%- if m.content is string %}{{ m.content }}
{%- elif m.content is iterable %}{% for p in m.content %}{{ p.text or p.type }}{% endfor %}
{%- else %}{{ m.content }}{% endif %}
{%- for c in m.tool_calls or [] %}[{{ c.function.name }} {{ c.function.arguments | tojson }}]
{%- endfor %}{% endfor %}""",
    # As Mistral's with tools: words must alternate, calls print no content, ids have nine letters.
    "mistral": """
{%- set ns = namespace(i=0) %}
{%- for m in messages %}
{%- if m.role == "system" %}{{ refuse("system") }}{% endif %}
{%- if m.role != "tool" and not m.tool_calls %}
{%- if (m.role == "user") != (ns.i % 2 == 0) %}{{ refuse("roles must alternate") }}{% endif %}
{%- set ns.i = ns.i + 1 %}{% endif %}
{%- if m.tool_calls %}{% for c in m.tool_calls %}
{%- if c.id | length != 9 %}{{ refuse("id") }}{% endif %}
[{{ c.function.name }} {{ c.function.arguments | tojson }}]{% endfor %}
{%- else %}<{{ m.role }}>{{ m.content + "" }}{% endif %}{% endfor %}""",
    # As Gemma's: no system, no tools, every message takes its turn.
    "gemma": """
{%- for m in messages %}
{%- if m.role not in ("user", "assistant") %}{{ refuse(m.role) }}{% endif %}
{%- if (m.role == "user") != (loop.index0 % 2 == 0) %}{{ refuse("must alternate") }}{% endif %}
<{{ m.role }}>{{ m.content | trim }}{% endfor %}""",
    # As Llama 3's: the first message carries the tools; of words and a call only the call.
    "llama": """
{%- if messages[0].role == "system" %}{{ messages[0].content | trim }}
{%- set messages = messages[1:] %}{% endif %}
{%- if messages[0].role != "user" %}{{ refuse("no first user message") }}{% endif %}
{%- for m in messages %}<{{ m.role }}>
{%- if m.tool_calls %}{% if m.tool_calls | length != 1 %}{{ refuse("single calls") }}{% endif %}
{%- for c in m.tool_calls %}[{{ c.function.name }} {{ c.function.arguments | tojson }}]{% endfor %}
{%- else %}{{ m.content | trim }}{% endif %}{% endfor %}""",
}


@cache
def compile_template(target: str) -> Template:
    environment = Environment(autoescape=False)  # noqa: S701 - as templates of models are run
    return environment.from_string(TEMPLATES[target])


def render(target: str, messages: list[dict[str, Any]]) -> str:
    def refuse(why: str) -> str:
        raise TemplateError(why)

    return compile_template(target).render(messages=messages, refuse=refuse)


def lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*.jsonl")):
        if ".metadata." not in path.name:
            yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


FORMS = [*((name, "dialogue") for name in KINDS), ("taskmaster3", "turn")]
"""A corpus, and what a line is of."""


@pytest.mark.parametrize(("target", "form"), one_in(4, product(TEMPLATES, FORMS)))
def test_templates_take_all_lines_and_print_all_words(
    target: str, form: tuple[str, str], export: Exporting
) -> None:
    corpus, per = form
    out, _ = export("chat", corpus, **{"for": target, "per": per})
    found = list(lines(out))
    for line in found:
        messages = line["messages"]
        assert messages[-1]["role"] == "assistant"
        text = render(target, messages)
        assert "None" not in text.replace('"None"', "")
        for message in messages:
            if isinstance(message["content"], str):
                assert message["content"].strip() in text
            for call in message.get("tool_calls", ()):
                assert f"[{call['function']['name']} " in text
        assert ("tools" in line) <= (target != "gemma")


@pytest.mark.parametrize(("target", "corpus"), one_in(3, product(TARGETS, KINDS)))
def test_every_event_comes_back_or_is_counted(
    target: str, corpus: str, store: Store, export: Exporting
) -> None:
    out, report = export("chat", corpus, silent=True, **{"for": target})
    lost = {each.name: each.count for each in report.lost}
    names = ("actions of the others", "events after the last turn", "withheld utterances")
    missing = sum(lost.get(name, 0) for name in (*names, "calls that templates refuse"))
    dialogues = lost.get("events of dialogues without a turn", 0)
    events = store.corpus(corpus).table("events")
    found = read_chat(out)["events"]
    assert found.num_rows + missing + dialogues == events.num_rows
    keys = {(row["dialogue_id"], row["event"]): row for row in events.to_pylist()}
    for row in found.to_pylist():
        before = keys[row["dialogue_id"], row["event"]]
        same = [name for name in COLUMNS["events"] if name != "result"]
        assert [row[name] for name in same] == [before[name] for name in same]


def test_openai_takes_no_keys_but_its_own(export: Exporting) -> None:
    allowed = {
        "system": {"role", "content"},
        "user": {"role", "content", "name"},
        "assistant": {"role", "content", "tool_calls", "weight"},
        "tool": {"role", "content", "tool_call_id"},
    }
    out, _ = export("chat", "taskmaster3", "mpchat", **{"for": "openai"})
    for line in lines(out):
        assert line.keys() <= {"messages", "tools"}
        for message in line["messages"]:
            assert message.keys() <= allowed[message["role"]]
            for call in message.get("tool_calls", ()):
                assert isinstance(json.loads(call["function"]["arguments"]), dict)


@pytest.mark.parametrize(
    ("target", "roles", "told"),
    [
        ("openai", "assistant user assistant assistant tool assistant user", {}),
        (
            "llama",
            "user assistant user assistant assistant tool assistant user",
            {"dialogues that the assistant begins": 1},
        ),
        (
            "mistral",
            "user assistant user assistant tool assistant user",
            {"dialogues that the assistant begins": 1, "words moved after calls": 1},
        ),
        (
            "gemma",
            "user assistant user assistant user",
            {"dialogues that the assistant begins": 1, "calls that templates refuse": 1},
        ),
    ],
)
def test_a_dialogue_is_brought_into_form(target: str, roles: str, told: dict[str, int]) -> None:
    seen = make_seen([("A", "hi"), ("C", "one"), ("A", "wait"), ("A", "find", "{}", "1")])
    seen.events += make_seen([("A", "done"), ("C", "bye")]).events
    for number, event in enumerate(seen.events):
        event.event = number
    seen.speakers = seen.speakers[::2]
    conversation = Conversation(seen, "A", Style())
    found = fit_messages(conversation, TARGETS[target], merge=False)
    assert [m.role for m in conversation.messages] == roles.split()
    assert +found == told
    if target != "openai":
        assert conversation.messages[0].content == SILENCE


@pytest.mark.parametrize("target", ["mistral", "gemma"])
def test_a_system_message_is_the_users_where_there_is_no_such_role(target: str) -> None:
    seen = make_seen([("C", "one"), ("A", "two")])
    seen.system = "- I like bread"
    conversation = Conversation(seen, "A", Style())
    told = fit_messages(conversation, TARGETS[target], merge=False)
    assert [(m.role, m.content) for m in conversation.messages] == [
        ("user", "- I like bread\none"),
        ("assistant", "two"),
    ]
    assert told["system messages folded into the user's"] == 1
    (said,) = (each for each in conversation.metadata.joined if each.event == 0)
    assert (said.message, said.at, said.length) == (0, len("- I like bread\n"), 3)


def test_pictures_that_are_none_are_left_out_and_counted(tmp_path: Path) -> None:
    folder, store = tmp_path / "in", tmp_path / "store"
    simulate_corpus(get_corpus("photobook"), folder, dialogues=2, seed=3)
    first, second, third, *_rest = sorted((folder / "images").rglob("*.jpg"))
    first.write_text("<!DOCTYPE html><html>429</html>")
    second.write_bytes(second.read_bytes()[:200])
    third.unlink()
    import_corpus(get_corpus("photobook"), [folder], store=store, images=folder / "images")
    selection = Selection(open_store(store), ["photobook"])
    spoiled = {path.name for path in (first, second, third)}

    def export(**options: str) -> tuple[list[str], dict[str, int]]:
        report = run_export(get_export("chat"), selection, tmp_path / "out", options)
        pictures = [name for line in lines(tmp_path / "out") for name in line.get("images", ())]
        return pictures, {each.name: each.count for each in report.lost}

    shown = sum(
        row["viewer"] == "A"
        for row in selection.store.corpus("photobook").table("displays").to_pylist()
    )
    pictures, lost = export(**{"for": "hf"})
    assert not spoiled.intersection(name.rpartition("/")[2] for name in pictures)
    broken, late = "displays of missing or broken pictures", "displays after the last turn"
    assert lost[broken] > 0
    assert len(pictures) + lost[broken] + lost.get(late, 0) == shown
    # Names of files are no addresses that OpenAI could fetch.
    _, lost = export(**{"for": "openai"})
    assert lost["displays without a web address"] == shown
    _, lost = export(**{"for": "openai", "image_root": "https://pictures.example/"})
    assert "displays without a web address" not in lost
    assert lost[broken] > 0
