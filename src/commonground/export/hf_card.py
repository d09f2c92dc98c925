"""The dataset card that a Hugging Face folder carries."""

from __future__ import annotations

import json
from collections.abc import Mapping

from commonground import __version__
from commonground.corpora import Manifest
from commonground.export.selection import Selection
from commonground.schema import get_table

_LICENCES = {
    "CC BY 4.0": "cc-by-4.0",
    "CC BY-SA 4.0": "cc-by-sa-4.0",
    "CC BY-NC 4.0": "cc-by-nc-4.0",
    "CC BY-NC-SA 4.0": "cc-by-nc-sa-4.0",
    "none stated": "unknown",
}
"""Licences as our manifests state them, by the identifiers of the card's format."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))

Rows = Mapping[str, Mapping[str, int]]
"""Rows by configuration and split."""


def render_card(
    selection: Selection, rows: Rows, splits: Mapping[str | None, str], *, as_text: bool
) -> str:
    """Returns ``README.md``: a YAML head that ``datasets`` reads, and text for people.

    Args:
        selection: what was exported.
        rows: rows by configuration and split.
        splits: released split names by the names they have here.
        as_text: whether JSON is text.
    """
    manifests = list(selection.manifests.values())
    head = "".join(f"{line}\n" for line in _head(manifests, rows))
    parts = [f"---\n{head}---\n\n# {_title(manifests)}\n"]
    parts += [_corpus(manifest) for manifest in manifests]
    parts.append(_contents(rows, as_text=as_text))
    parts.append(_splits(splits))
    return "".join(parts)


def _title(manifests: list[Manifest]) -> str:
    return ", ".join(manifest.title for manifest in manifests)


def _head(manifests: list[Manifest], rows: Rows) -> list[str]:
    """Returns the lines of the YAML head; texts are written as JSON, which is YAML too."""
    lines = [f"pretty_name: {json.dumps(_title(manifests))}", *_licence(manifests)]
    count = sum(rows["dialogues"].values())
    size = next((name for limit, name in _SIZES if count < limit), "n>1M")
    lines += ["size_categories:", f"- {size}", "tags:", "- dialogue", "- commonground", "configs:"]
    for config, of_split in rows.items():
        lines.append(f"- config_name: {config}")
        if config == "dialogues":
            lines.append("  default: true")
        lines.append("  data_files:")
        for split in of_split:
            path = f"data/{config}/{split}-*.parquet"
            lines += [f"  - split: {split}", f"    path: {path}"]
    return lines


def _licence(manifests: list[Manifest]) -> list[str]:
    stated = list(dict.fromkeys(manifest.licence for manifest in manifests))
    known = [_LICENCES.get(licence, "other") for licence in stated]
    if len(stated) == 1:
        lines = [f"license: {known[0]}"]
    else:
        lines = ["license:", *(f"- {name}" for name in dict.fromkeys(known))]
    others = [text for text, name in zip(stated, known, strict=True) if name == "other"]
    if others:
        lines.append(f"license_name: {json.dumps('; '.join(others))}")
    return lines


def _corpus(manifest: Manifest) -> str:
    return (
        f"\n## {manifest.title}\n\n{manifest.summary}\n\n"
        f"- Home: {manifest.homepage}\n"
        f"- Licence: {manifest.licence}\n"
        f"- Terms: {manifest.terms}\n"
        f"- Splits: {manifest.splits_from}\n\n"
        f"Cite:\n\n```bibtex\n{manifest.citation.strip()}\n```\n"
    )


def _contents(rows: Rows, *, as_text: bool) -> str:
    held = "JSON text" if as_text else "JSON, as `Json` features (`datasets` from 4.8 on)"
    lines = [
        "\n## Configurations\n\n"
        "`dialogues` has one row per dialogue, with its speakers, events and annotations as "
        "nested lists; each other configuration is a flat table. `corpus`, `dialogue_id` and "
        "`event` join them, and `object_id` joins `objects`. Columns named `arguments`, `result`, "
        f"`attributes` and `votes` hold {held}.\n\n"
        "| configuration | a row is | rows |\n|---|---|---|\n"
    ]
    for config, of_split in rows.items():
        row = "a dialogue, whole" if config == "dialogues" else get_table(config).row
        lines.append(f"| {config} | {row} | {sum(of_split.values()):,} |\n")
    return "".join(lines)


def _splits(splits: Mapping[str | None, str]) -> str:
    lines = ["\n## Splits\n\n| here | as released |\n|---|---|\n"]
    lines += [f"| {legal} | {name or 'in no split'} |\n" for name, legal in splits.items()]
    lines.append(
        f"\nWritten by commonground {__version__}; `loss.json` counts what does not fit here.\n"
    )
    return "".join(lines)
