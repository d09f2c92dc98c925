"""A dialogue as a transcript for the terminal.

A corpus may have a ``view/terminal.py`` that writes its actions and states in its own way; see
:data:`commonground.view.TerminalLine`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from rich.text import Text

from commonground.corpora import find_corpus
from commonground.explorer.pages.dialogue import group_by_event
from commonground.findings import shorten
from commonground.model import Act, Action, Dialogue, Event, Span, Utterance
from commonground.printing import make_visible, write_clock
from commonground.view import TerminalLine

_COLORS = ("cyan", "magenta", "green", "yellow", "blue")
_TONES = {"plain": "default", "strong": "bold", "soft": "dim", "good": "green", "bad": "red"}
# As wide as what `_event_start` writes: number and time.
_INDENT = " " * 12
ARGUMENT_WIDTH = 100
"""Characters of an action's arguments or result that are shown."""


def render_transcript(
    corpus: str, dialogue: Dialogue, *, annotations: bool = False
) -> Iterator[Text]:
    """Yields the lines of a transcript.

    Args:
        annotations: whether to show acts and spans below each utterance.
    """
    own = find_corpus(corpus).view_module("terminal")
    describe_dialogue, describe_action, describe_state = (
        getattr(own, f"describe_{each}", None) for each in ("dialogue", "action", "state")
    )
    yield from _heading(corpus, dialogue)
    for line in describe_dialogue(dialogue) if describe_dialogue else ():
        yield _own_line("", line)
    colors = {each.speaker: _COLORS[i % len(_COLORS)] for i, each in enumerate(dialogue.speakers)}
    acts = group_by_event(dialogue.acts if annotations else ())
    spans = group_by_event(dialogue.spans if annotations else ())
    segment = None
    for number, event in enumerate(dialogue.events):
        if event.segment != segment:
            segment = event.segment
            yield from _segment_heading(dialogue, segment)
        color = colors.get(event.speaker, "white")
        yield from _event_lines(dialogue, number, color, describe_action)
        for line in describe_state(dialogue, number) if describe_state else ():
            yield _own_line(_INDENT, line)
        yield from _span_lines(spans.get(number, []))
        yield from _act_lines(acts.get(number, []))
    yield from _closing(dialogue)


_Describe = Callable[[Dialogue, int], list[TerminalLine]]


def _plain(text: str, style: str) -> Text:
    """Returns text of data; rich drops some characters that a terminal obeys without a word."""
    return Text(make_visible(text), style=style)


def _own_line(start: str, line: TerminalLine) -> Text:
    return Text(start).append_text(_join(line))


def _join(line: TerminalLine) -> Text:
    text = Text()
    for piece in line:
        text.append(make_visible(piece.text), _TONES[piece.tone])
    return text


def _event_lines(
    dialogue: Dialogue,
    number: int,
    color: str,
    describe: _Describe | None,
) -> Iterator[Text]:
    """Writes an event in its corpus's words, else as any event is written.

    Args:
        describe: gives the corpus's words for an action; None where it has none.
    """
    event = dialogue.events[number]
    own = describe(dialogue, number) if describe and isinstance(event, Action) else []
    if not own:
        yield _event_line(number, event, color)
        return
    start = _event_start(number, event)
    start.append(make_visible(f"{event.speaker} "), color)
    yield start.append_text(_join(own[0]))
    for line in own[1:]:
        yield _own_line(_INDENT, line)


def _heading(corpus: str, dialogue: Dialogue) -> Iterator[Text]:
    title = _plain(f"{corpus} {dialogue.dialogue_id}", "bold")
    for name, value in (("split", dialogue.split), ("domain", dialogue.domain)):
        if value is not None:
            title.append(make_visible(f"   {name} {value}"), style="dim")
    if dialogue.started_at is not None:
        title.append(f"   {dialogue.started_at:%Y-%m-%d %H:%M}", style="dim")
    yield title
    for key, value in (dialogue.attributes or {}).items():
        yield _plain(f"{key}: {shorten(_show(value), 300)}", "dim")


def _segment_heading(dialogue: Dialogue, segment: int | None) -> Iterator[Text]:
    yield Text()
    line = Text(f"— part {segment} ", style="bold")
    shown: dict[str, list[str]] = {}
    for each in dialogue.displays:
        if each.segment == segment and segment is not None:
            mark = "*" if each.highlighted else ""
            # `dir/COCO_train2014_000000123.jpg` is 123, as on the page.
            name = each.object_id.rpartition("/")[2].rpartition("_")[2].partition(".")[0]
            shown.setdefault(each.viewer or "all", []).append((name.lstrip("0") or name) + mark)
    yield line
    for viewer, names in shown.items():
        yield _plain(f"  {viewer} sees {'  '.join(names)}", "dim")


def _event_start(number: int, event: Event) -> Text:
    # The style is the number's alone: one for the whole line would dim what is appended.
    line = Text().append(f"{number:4} ", "dim")
    if event.at_s is not None:
        line.append(f"{write_clock(event.at_s):>6} ", "dim")
    return line


def _event_line(number: int, event: Event, color: str) -> Text:
    line = _event_start(number, event)
    colon = "" if isinstance(event, Action) else ":"
    line.append(make_visible(f"{event.speaker}{colon} "), color)
    if isinstance(event, Action):
        line.append(make_visible(f"→ {event.name}"), "italic")
        if event.arguments is not None:
            shown = shorten(_show(event.arguments), ARGUMENT_WIDTH)
            line.append(make_visible(f" {shown}"), "dim")
        if event.result is not None:
            shown = shorten(_show(event.result), ARGUMENT_WIDTH)
            line.append(make_visible(f" ⇒ {shown}"), "dim")
    elif isinstance(event, Utterance):
        # Later lines stand below the first, so that none looks like an event of its own.
        indent = " " * line.cell_len
        line.append(make_visible(event.text).replace("\n", f"\n{indent}"), "default")
    else:
        line.append("(withheld)", "dim")
    return line


def _span_lines(spans: list[Span]) -> Iterator[Text]:
    for each in spans:
        place = f"[{each.start_char}:{each.end_char}]"
        yield _plain(f"       {place} {each.text!r} {each.label}", "dim")


def _act_lines(acts: list[Act]) -> Iterator[Text]:
    grouped: dict[tuple[str, int, str], list[str]] = {}
    for each in acts:
        slots = grouped.setdefault((each.layer, each.act_index, each.act), [])
        if each.slot is not None:
            value = "" if each.value is None else f"={each.value}"
            frame = "" if each.frame is None else f"@{each.frame}"
            slots.append(f"{each.slot}{value}{frame}")
    for (layer, _, act), slots in grouped.items():
        yield _plain(f"       {layer}: {act}({', '.join(slots)})", "dim")


def _closing(dialogue: Dialogue) -> Iterator[Text]:
    if not dialogue.outcomes:
        return
    yield Text()
    for each in dialogue.outcomes:
        part = "" if each.segment is None else f"part {each.segment} "
        who = "" if each.speaker is None else f"{each.speaker} "
        value = each.text if each.value is None else f"{each.value:g}"
        yield _plain(f"{part}{who}{each.name}: {value}", "dim")


def _show(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
