"""Builds the documentation site in ``build/docs-site`` from what the repository holds.

Usage: ``python scripts/build_docs_site.py``. The pages are those of ``docs/``, the notebook, the
texts at the top of the repository, and a reference of the Python API that is made of docstrings.
They are gathered in ``build/docs-pages``, and Zensical makes the site of them. A warning, a link
that leads nowhere, and a page that would ask another host for anything are errors. Links to other
hosts are listed and not followed: a build must not depend on what others serve.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
"""Where `make docs-site` builds; the names of the two folders in it stand in ``mkdocs.yml``."""
PAGES = "docs-pages"
SITE = "docs-site"
TEXTS = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CITATION.cff": "CITATION.cff",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "LICENSE.txt",
    "SECURITY.md": "security.md",
    "examples/from_file_to_score.ipynb": "how-to/notebook.md",
    "examples/people_beside_models.ipynb": "how-to/people-beside-models.md",
    "examples/found_the_picture.ipynb": "how-to/found-the-picture.md",
}
"""What is not in ``docs/``, and where it stands on the site."""

INSIDE = ("cli", "corpora", "inspect_tasks", "rooms", "scenarios", "site", "web")
"""Packages that nobody imports: they are reached by the command line, or found in folders."""

SHORT_TERMS = {"R": "how-to/your-tools.html#r-rstudio-and-the-tidyverse"}
"""Terms that the search would take for the beginnings of other words, and where they lead."""

CSS = """\
.md-grid { max-width: 76rem; }
.md-typeset table:not([class]) { font-size: .64rem; }
.md-typeset .notebook-output { overflow-x: auto; }
"""


def gather(pages: Path) -> None:
    """Gathers the pages, with the links between them, as if all had stood in one folder."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    for source, target in TEXTS.items():
        path = ROOT / source
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "".join(render_notebook(json.loads(text)))
        (pages / target).write_text(text, encoding="utf-8")
    for page in pages.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(move_links(text, page.relative_to(pages)), encoding="utf-8")
    for name, text in reference_pages().items():
        (pages / "reference" / name).write_text(text, encoding="utf-8")
    (pages / "site.css").write_text(CSS, encoding="utf-8")


def move_links(text: str, page: Path) -> str:
    """Returns a page with links that fit the site where they left or entered ``docs/``.

    Args:
        text: Markdown.
        page: where it stands on the site.
    """
    came_from = {target: source for source, target in TEXTS.items()}
    source = came_from.get(page.as_posix(), f"docs/{page.as_posix()}")

    def move(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        path = (ROOT / source).parent.joinpath(target).resolve()
        if not target or not path.is_relative_to(ROOT) or not path.exists():
            return found[0]
        inside = path.relative_to(ROOT).as_posix()
        place = TEXTS.get(inside, inside.removeprefix("docs/"))
        up = "../" * (len(page.parts) - 1)
        return f"]({up}{place}{anchor})"

    return re.sub(r"\]\(([^)#:\s]*)(#[^)\s]*)?\)", move, text)


def render_notebook(notebook: dict[str, Any]) -> Iterator[str]:
    """Yields a notebook as Markdown: its words, its code, and the outputs that it is kept with."""
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        yield text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"
        yield "\n\n"
        for output in cell.get("outputs", []):
            yield render_output(output) + "\n\n"


def render_output(output: dict[str, Any]) -> str:
    """Returns what a cell printed or showed, as Markdown: HTML and SVG before plain text."""
    shown = output.get("data", {})
    for kind in ("text/html", "image/svg+xml"):
        if kind in shown:
            # An empty line would end the HTML for Markdown.
            inner = re.sub(r"\n\s*\n", "\n", "".join(shown[kind]))
            return f'<div class="notebook-output">\n{inner}\n</div>'
    return f"```text\n{''.join(shown.get('text/plain', output.get('text', ''))).rstrip()}\n```"


def reference_pages() -> dict[str, str]:
    """Returns the pages of the Python API: the public names, and every module to build on."""
    import commonground as cg

    # By `load` everything begins.
    public = [name for name in cg.__all__ if not name.startswith("_")]
    names = sorted(public, key=lambda name: (name != "load", name[:1].isupper()))
    modules = list(groupby(find_modules(), key=lambda each: each.split(".")[1]))
    pages = {}
    links = []
    for package, found in [(package, list(found)) for package, found in modules]:
        parts = [f"# commonground.{package}\n"]
        parts += [f"\n::: {each}\n" for each in found]
        pages[f"api-{package}.md"] = "".join(parts)
        links.append(f"[{package}](api-{package}.md)")
    text = (
        "# Python\n\n`import commonground as cg` gives the names on this page. The modules for"
        " those who add a corpus, a task, a measure or an export have pages of their own: "
        f"{', '.join(links)}.\n"
    )
    pages["python.md"] = text + "".join(f"\n::: {place_of(cg, each)}\n" for each in names)
    return pages


def place_of(package: Any, name: str) -> str:
    """Returns the dotted name under which a public name is defined."""
    value = getattr(package, name)
    if isinstance(value, ModuleType):  # a package that can be called
        return f"commonground.games.{name}"
    return f"{value.__module__}.{value.__qualname__}"


def find_modules() -> list[str]:
    """Lists the dotted names of the modules that others may import, in order."""
    source = ROOT / "src"
    names = []
    for path in sorted((source / "commonground").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if len(parts) == 2 or parts[1] not in INSIDE:
            names.append(".".join(parts).removesuffix(".__init__"))
    return [each for each in names if each.count(".") and not re.search(r"\._", each)]


class Reader(HTMLParser):
    """What a built page links to, what it loads, and the places that links can name."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what one element names."""
        given = {name: value or "" for name, value in attrs}
        self.places.update(given[name] for name in ("id", "name") if given.get(name))
        # The address a page says of itself and the credit of its maker are links, not loads.
        is_loading = tag != "a" and given.get("rel") not in ("canonical", "prev", "next")
        target = given.get("href", given.get("src"))
        if target is not None:
            (self.loads if is_loading else self.links).append(target)


def read_site(site: Path) -> dict[Path, Reader]:
    """Reads every built page."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = reader = Reader()
        reader.feed(path.read_text(encoding="utf-8"))
    return pages


def is_foreign(target: str) -> bool:
    """Says whether an address is one of another host."""
    return bool(urlsplit(target).netloc) or urlsplit(target).scheme in ("http", "https")


def check_site(pages: dict[Path, Reader], site: Path) -> list[str]:
    """Returns a line for each link that leads nowhere and each request to another host.

    Args:
        pages: what :func:`read_site` gave.
        site: folder of the site.
    """
    wrong = []
    for page, reader in pages.items():
        name = page.relative_to(site).as_posix()
        if name == "404.html":  # its links are from the root of a host, wherever it is shown
            continue
        wrong += [f"{name} loads {each}" for each in reader.loads if is_foreign(each)]
        for target in {*reader.links, *reader.loads}:
            if not is_foreign(target) and not leads_somewhere(target, page, pages):
                wrong.append(f"{name} links to {target}, which is not there")
    for path in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)", text)
        wrong += [f"{path.relative_to(site)} loads {each}" for each in found]
    return sorted(wrong)


def leads_somewhere(target: str, page: Path, pages: dict[Path, Reader]) -> bool:
    """Says whether a link within the site names a file, and a place in it.

    Args:
        target: the address as it stands in the page.
        page: the page.
        pages: all pages.
    """
    split = urlsplit(target)
    if split.scheme:
        return split.scheme in ("data", "mailto")
    path = page if not split.path else (page.parent / unquote(split.path)).resolve()
    if path.is_dir():
        path /= "index.html"
    if not path.is_file():
        return False
    place = unquote(split.fragment)
    return not place or path not in pages or place in pages[path].places


def build(folder: Path) -> Path:
    """Builds the site below a folder and returns where it is.

    Raises:
        SystemExit: Zensical warned of something, or failed.
    """
    folder.mkdir(exist_ok=True)
    gather(folder / PAGES)
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    # Zensical takes paths from the folder of its configuration, in which it keeps its cache, too.
    for name in ("src", "scripts/docs_roles.py"):
        configuration = configuration.replace(f"[{name}]", f"[{(ROOT / name).as_posix()}]")
    (folder / "mkdocs.yml").write_text(configuration.replace("_dir: build/", "_dir: "), "utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    if done.returncode or "warning" in said.lower():
        raise SystemExit(said)
    add_short_terms(folder / SITE / "search.json")
    return folder / SITE


def add_short_terms(path: Path) -> None:
    """Puts short terms first in the index of the search: of what fits alike, the first is shown."""
    index = json.loads(path.read_bytes())
    index["items"][:0] = [
        {"location": place, "level": 2, "title": term, "text": term, "path": [term], "tags": []}
        for term, place in SHORT_TERMS.items()
    ]
    path.write_text(json.dumps(index), encoding="utf-8")


def main() -> None:
    """Builds the site, and fails where something is wrong with it."""
    site = build(BUILD)
    pages = read_site(site)
    wrong = check_site(pages, site)
    if wrong:
        sys.exit("\n".join(wrong))
    foreign = {each for reader in pages.values() for each in reader.links if is_foreign(each)}
    sys.stdout.write(f"{len(pages)} pages in {site}\nTo read them, and to search in them: ")
    sys.stdout.write(f"python3 -m http.server --bind 127.0.0.1 --directory {site}\n")
    sys.stdout.write("Links to other hosts, not followed:\n")
    sys.stdout.writelines(f"  {each}\n" for each in sorted(foreign))


if __name__ == "__main__":
    main()
