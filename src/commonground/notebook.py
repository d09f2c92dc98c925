"""How dialogues, corpora, stores and findings show themselves in a notebook: small HTML, no script.

Notebooks of all kinds ask a value for ``_repr_html_``. What these values are says nothing of HTML,
so they are given that method here, when the first name of ``commonground`` is asked for.

Colours are mixed from that of the text around, so they suit light and dark notebooks alike. Every
text is escaped; styles are confined to classes that begin with ``cg-``.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from commonground.files.pictures import shrink_picture
from commonground.findings import Finding, shorten
from commonground.model import Action, Dialogue, Event, Utterance
from commonground.printing import Sheet, Tabled, count_of
from commonground.store.corpus import Corpus
from commonground.store.layout.manifest import StoreManifest
from commonground.store.opening import Store
from commonground.store.pictures import PictureFile, folder_of

MOST_ROWS = 100
"""Rows of a result that are shown; the rest is counted."""

MOST_EVENTS = 400
"""Events of a dialogue that are shown; the rest is counted."""

MOST_PICTURES = 60
"""Different pictures of a dialogue that are shown."""

HEIGHT_PX = 96
"""Height of the pictures that are sent along."""

_STYLE = """<style>
.cg-box { max-width: 56em; line-height: 1.4; }
.cg-box .cg-soft { opacity: .72; }
.cg-box .cg-talk { max-height: 30em; overflow: auto; margin-top: .5em; }
.cg-box .cg-row { display: grid; grid-template-columns: 3em 7em 1fr; gap: .5em; padding: 1px 0; }
.cg-box .cg-row > :first-child { text-align: right; opacity: .72; }
.cg-box .cg-who { font-weight: 600; overflow-wrap: anywhere; }
.cg-box .cg-odd { background: color-mix(in srgb, currentColor 6%, transparent); }
.cg-box .cg-done { font-family: monospace; font-size: .9em; overflow-wrap: anywhere; }
.cg-box .cg-part { font-weight: 600; margin-top: .5em; border-bottom: 1px solid; }
.cg-box td.cg-number, .cg-box th.cg-number { text-align: right; }
.cg-box .cg-said { white-space: pre-wrap; overflow-wrap: anywhere; }
.cg-box .cg-seen { display: flex; flex-wrap: wrap; gap: 4px; padding: 4px 0 4px 3.5em; }
.cg-box .cg-seen figure { margin: 0; font-size: .75em; }
.cg-box .cg-seen img { display: block; height: 72px; width: auto; }
.cg-box .cg-seen .cg-marked img { outline: 2px solid currentColor; outline-offset: -2px; }
.cg-box dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1em; margin: .3em 0; }
.cg-box dt { opacity: .72; font-weight: 400; }
.cg-box dd { margin: 0; }
</style>"""


def dialogue_html(dialogue: Dialogue) -> str:
    """Writes a dialogue: who said and did what, in order."""
    facts = [
        f"{name} <b>{escape(str(value))}</b>"
        for name, value in (
            ("split", dialogue.split),
            ("domain", dialogue.domain),
            ("events", len(dialogue.events)),
        )
        if value is not None
    ]
    heading = f"<b>Dialogue {escape(dialogue.dialogue_id)}</b>"
    facts_line = f'<span class="cg-soft">{" · ".join(facts)}</span>'
    rows = "".join(_rows(dialogue))
    hidden = len(dialogue.events) - MOST_EVENTS
    more = f'<div class="cg-soft">and {count_of(hidden, "more event")}</div>' if hidden > 0 else ""
    # With a tab index, since what scrolls must be reached by the keyboard.
    return _box(f'{heading} {facts_line}<div class="cg-talk" tabindex="0">{rows}{more}</div>')


def _rows(dialogue: Dialogue) -> list[str]:
    order = {each.speaker: number for number, each in enumerate(dialogue.speakers)}
    seen = _draw_displays(dialogue)
    rows = [seen.pop((None, None), "")]
    segment = None
    for number, event in enumerate(dialogue.events[:MOST_EVENTS]):
        if event.segment is not None and event.segment != segment:
            rows.append(f'<div class="cg-part">part {event.segment}</div>')
            rows.append(seen.pop((None, event.segment), ""))
        segment = event.segment
        # What is seen from an event on is seen before anything is said of it.
        rows.append(seen.pop((number, None), ""))
        shade = " cg-odd" if order.get(event.speaker, 0) % 2 else ""
        rows.append(
            f'<div class="cg-row{shade}"><span>{number}</span>'
            f'<span class="cg-who"><bdi>{escape(event.speaker)}</bdi></span>{_said(event)}</div>'
        )
    return rows


def _draw_displays(dialogue: Dialogue) -> dict[tuple[int | None, int | None], str]:
    """Draws the pictures of a dialogue, by the event or the segment from which they are seen."""
    folder = folder_of(dialogue)
    if folder.folder is None:
        return {}
    addresses = {each.object_id: each.uri for each in dialogue.objects}
    drawn: dict[tuple[int | None, int | None], dict[tuple[str | None, str], str]] = {}
    small: dict[str, str] = {}
    for each in dialogue.displays:
        file = folder.find(addresses.get(each.object_id))
        if not isinstance(file, PictureFile):
            continue
        if file.name not in small:
            is_shown = len(small) < MOST_PICTURES
            size = (HEIGHT_PX * 2, HEIGHT_PX)
            data = shrink_picture(file.path, size, quality=75) if is_shown else None
            small[file.name] = b64encode(data or b"").decode()
        if not small[file.name]:
            continue
        source = f"data:image/jpeg;base64,{small[file.name]}"
        # One that is seen at an event is not seen for the segment beside it.
        place = (each.event, each.segment if each.event is None else None)
        marked = ' class="cg-marked"' if each.highlighted else ""
        viewer = "" if each.viewer is None else f"<bdi>{escape(each.viewer)}</bdi>"
        drawn.setdefault(place, {})[each.viewer, each.object_id] = (
            f'<figure{marked}><img src="{source}" alt="{escape(each.object_id)}" '
            f'title="{escape(each.object_id)}"><figcaption>{viewer}</figcaption></figure>'
        )
    return {
        place: f'<div class="cg-seen">{"".join(each.values())}</div>'
        for place, each in drawn.items()
    }


def _said(event: Event) -> str:
    if isinstance(event, Utterance):
        return f'<span class="cg-said" dir="auto">{escape(event.text)}</span>'
    if not isinstance(event, Action):
        return '<span class="cg-soft">withheld</span>'
    given = "" if event.arguments is None else shorten(_json(event.arguments), 200)
    result = "" if event.result is None else f" ⇒ {shorten(_json(event.result), 200)}"
    words = f"{escape(event.name)} {escape(given)}{escape(result)}"
    return f'<span class="cg-done">{words}</span>'


def corpus_html(corpus: Corpus) -> str:
    """Writes what a corpus has: rows per table, dialogues per released split."""
    tables = {key: f"{value:,}" for key, value in corpus.manifest.counts.items() if value}
    splits = corpus.splits()
    in_splits = ", ".join(f"{key or 'no split'} {value:,}" for key, value in splits.items())
    more = {"splits": in_splits} if any(splits) else {}
    return _box(f"<b>Corpus {escape(corpus.name)}</b>{_pairs({**tables, **more})}")


def store_html(store: Store) -> str:
    """Writes what was imported into a store: a row for each corpus."""
    corpora = sorted(store.manifests.items())
    sheet = Sheet(
        title=f"Store {store.path}",
        columns=("corpus", "dialogues", "events", "imported"),
        rows=[(name, *_facts_of(manifest)) for name, manifest in corpora],
        right=frozenset({"dialogues", "events"}),
        notes=tuple(f"{name}: {error.message}" for name, error in store.damaged.items()),
    )
    return _box(_table(sheet))


def _facts_of(manifest: StoreManifest) -> list[str]:
    counts = [f"{manifest.counts.get(table, 0):,}" for table in ("dialogues", "events")]
    return [*counts, f"{manifest.imported_at:%Y-%m-%d %H:%M} UTC"]


def finding_html(finding: Finding) -> str:
    """Writes a finding with its place."""
    place = {
        "dialogue": finding.dialogue_id,
        "event": finding.event,
        "file": finding.source_file,
        "path": finding.source_path,
        "expected": finding.expected,
        "found": finding.found,
    }
    known = {key: str(value) for key, value in place.items() if value is not None}
    heading = f"<b>{escape(finding.code)}</b> {escape(finding.severity)}"
    return _box(f"{heading}<div>{escape(finding.message)}</div>{_pairs(known)}")


def result_html(result: Tabled) -> str:
    """Writes what a result prints in a terminal, with more of its rows."""
    return _box(_table(result.sheet()))


def _table(sheet: Sheet) -> str:
    right = [' class="cg-number"' if head in sheet.right else "" for head in sheet.columns]
    heads = "".join(f"<th{r}>{escape(h)}</th>" for r, h in zip(right, sheet.columns, strict=True))
    shown = sheet.rows[:MOST_ROWS]
    rows = "".join(
        "<tr>"
        + "".join(f"<td{r}>{escape(cell)}</td>" for r, cell in zip(right, row, strict=True))
        + "</tr>"
        for row in shown
    )
    left = sheet.count_left_out(len(shown))
    notes = [f"and {left:,} more"] if left else []
    below = "".join(f'<div class="cg-soft">{escape(each)}</div>' for each in (*notes, *sheet.notes))
    table = f"<table><tr>{heads}</tr>{rows}</table>" if shown else ""
    return f"<b>{escape(sheet.title)}</b>{table}{below}"


def _pairs(values: Mapping[str, str]) -> str:
    inside = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in values.items())
    return f"<dl>{inside}</dl>"


def _box(inside: str) -> str:
    return f'{_STYLE}<div class="cg-box">{inside}</div>'


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_METHOD = "_repr_html_"
_SHOWN: dict[type, Callable[[Any], str]] = {
    Dialogue: dialogue_html,
    Corpus: corpus_html,
    Store: store_html,
    Finding: finding_html,
    Tabled: result_html,
}


def show_in_notebooks() -> None:
    """Gives dialogues, corpora, stores, findings and results the method that notebooks ask for."""
    for kind, write_html in _SHOWN.items():
        setattr(kind, _METHOD, write_html)
