"""What a browser would make of a page: its elements, their attributes, its text."""

from __future__ import annotations

from html.parser import HTMLParser


class ParsedHtml(HTMLParser):
    """A parsed page.

    Attributes:
        attributes: name and value of every attribute of every element.
        scripts: source of every script element; empty for one written in place.
        text: all text outside tags.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "script":
            self.scripts.append(dict(attrs).get("src") or "")

    def handle_data(self, data: str) -> None:
        self.text += data

    def dangers(self) -> list[tuple[str, str]]:
        """Returns what the content security policy would have to stop."""
        return [
            *(("script", source) for source in self.scripts if not source.startswith("/static/")),
            *(
                (name, value)
                for name, value in self.attributes
                if name.startswith("on")
                or name == "style"
                or (name in ("href", "src") and value.lower().startswith("javascript:"))
            ),
        ]
