"""A dialogue as one HTML file that needs nothing else: styles, script and pictures are in it."""

from __future__ import annotations

import base64
import hashlib

import msgspec
from markupsafe import Markup

from commonground.site.dialogues import Drawn, render_dialogue
from commonground.site.links import NoLinks
from commonground.site.rendering import STATIC, Shell, find_view
from commonground.store.pictures import PictureFolder


class Alone(msgspec.Struct, frozen=True):
    """What stands in the file itself instead of beside it.

    Attributes:
        policy: the content security policy, which names style and script by their hashes.
        style: the style sheets, one after the other.
        script: the script.
    """

    policy: str
    style: Markup
    script: Markup


def render_single(drawn: Drawn, pictures: PictureFolder) -> str:
    """Renders a dialogue as one self-contained page.

    Args:
        drawn: the dialogue.
        pictures: where its pictures are.
    """
    name = drawn.page.corpus
    shell = Shell(links=NoLinks(), corpus=name, pictures={name: pictures}, kind="single")
    records = drawn.page.native
    href = None
    if records:
        text = "[" + ",\n".join(each.json for each in records) + "]"
        data = records[0].json if len(records) == 1 else text
        href = "data:application/json;base64," + base64.b64encode(data.encode()).decode()
    return render_dialogue(drawn, shell, native_href=href, alone=_gather(name))


def _gather(corpus: str) -> Alone:
    sheets = [STATIC / "base.css", STATIC / "dialogue.css"]
    own = find_view(corpus, "page.css")
    if own is not None:
        sheets.append(own)
    style = "".join(each.read_text(encoding="utf-8") for each in sheets)
    script = (STATIC / "explorer.js").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    # Both are files of this package or of the corpus's own folder, no text of any data.
    return Alone(policy, Markup(style), Markup(script))  # noqa: S704


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
