from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from commonground.corpora import Source, get_corpus, iterate_corpora
from commonground.errors import SourceError
from commonground.fetching import _Redirects, fetch_corpus, fetch_file
from commonground.files.locks import take_lock
from tests.thorough import one_in
from tests.unit.hostile_server import BODY, OTHER, Server, serving

SHA256 = hashlib.sha256(BODY).hexdigest()
HALF = len(BODY) // 2


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def site(server: Server) -> str:
    return server.address


def source(url: str, **changes: object) -> Source:
    base = Source("sub/data.bin", url, len(BODY), SHA256)
    return msgspec.structs.replace(base, **changes)


def unchecked(url: str) -> Source:
    """A file of which the authors publish neither size nor checksum."""
    return source(url, size=None, sha256=None)


def test_a_file_is_fetched_once(site: str, tmp_path: Path) -> None:
    first = fetch_file(source(f"{site}/plain"), tmp_path)
    again = fetch_file(source(f"{site}/plain"), tmp_path)
    assert (first.state, again.state) == ("downloaded", "present")
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY
    assert first.verified


def test_a_download_that_broke_off_goes_on(site: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"broke off.*Run the same command again"):
        fetch_file(source(f"{site}/short"), tmp_path)
    assert (tmp_path / "sub/data.bin.part").stat().st_size == len(BODY) // 2
    assert fetch_file(source(f"{site}/short"), tmp_path).state == "resumed"
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY


@pytest.mark.parametrize("change", [{"size": 7}, {"sha256": "0" * 64}])
def test_another_file_is_refused(site: str, tmp_path: Path, change: dict[str, object]) -> None:
    with pytest.raises(SourceError, match="is not the published file"):
        fetch_file(source(f"{site}/plain", **change), tmp_path)
    assert not list((tmp_path / "sub").iterdir())


def test_a_wrong_file_in_the_way_is_not_overwritten(site: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/data.bin").write_bytes(b"mine")
    with pytest.raises(SourceError, match="Move it away"):
        fetch_file(source(f"{site}/plain"), tmp_path)
    assert (tmp_path / "sub/data.bin").read_bytes() == b"mine"


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="outside"):
        fetch_file(source("http://127.0.0.1:9/", path="../up"), tmp_path)


def test_a_site_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:9/ cannot be reached: [^\[]+\."):
        fetch_file(source("http://127.0.0.1:9/"), tmp_path)


def test_terms_to_accept_are_printed_instead(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be downloaded by a program") as caught:
        fetch_corpus(get_corpus("frames"), tmp_path)
    assert "http" in caught.value.advice
    assert not list(tmp_path.iterdir())


def test_without_a_checksum_the_mark_of_the_version_is_asked_for(
    server: Server, tmp_path: Path
) -> None:
    for name, mark in (("marked", '"one"'), ("dated", "Sat, 01 Jan 2022 00:00:00 GMT")):
        server.asked.clear()
        one = unchecked(f"{server.address}/{name}")
        with pytest.raises(SourceError, match="broke off"):
            fetch_file(one, tmp_path / name)
        assert fetch_file(one, tmp_path / name).state == "resumed"
        assert (server.asked[1]["Range"], server.asked[1]["If-Range"]) == (f"bytes={HALF}-", mark)
        assert (tmp_path / name / "sub/data.bin").read_bytes() == BODY
        assert [each.name for each in (tmp_path / name / "sub").iterdir()] == ["data.bin"]


@pytest.mark.parametrize("name", ["replaced", "spliced"])
def test_two_files_are_never_mixed(site: str, tmp_path: Path, name: str) -> None:
    one = unchecked(f"{site}/{name}")
    with pytest.raises(SourceError, match="broke off"):
        fetch_file(one, tmp_path)
    assert fetch_file(one, tmp_path).state == "downloaded"
    assert (tmp_path / "sub/data.bin").read_bytes() == OTHER


def test_what_goes_on_elsewhere_starts_again(site: str, tmp_path: Path) -> None:
    one = unchecked(f"{site}/shifted")
    with pytest.raises(SourceError, match="broke off"):
        fetch_file(one, tmp_path)
    assert fetch_file(one, tmp_path).state == "downloaded"
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY


def put_part(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/data.bin.part").write_bytes(data)


@pytest.mark.parametrize(
    "part", [BODY + b"more", b"x" * (len(BODY) + 9), b"x" * len(BODY), b"x" * HALF, b""]
)
@pytest.mark.parametrize("known", [True, False])
def test_a_part_that_is_none_is_replaced(
    site: str, tmp_path: Path, part: bytes, known: bool
) -> None:
    put_part(tmp_path, part)
    url = f"{site}/plain"
    assert fetch_file(source(url) if known else unchecked(url), tmp_path).state == "downloaded"
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY
    assert [each.name for each in (tmp_path / "sub").iterdir()] == ["data.bin"]


def test_a_part_with_a_note_that_is_none_is_replaced(site: str, tmp_path: Path) -> None:
    put_part(tmp_path, b"x" * HALF)
    (tmp_path / "sub/data.bin.part.json").write_text('{"url": 1')
    assert fetch_file(unchecked(f"{site}/plain"), tmp_path).state == "downloaded"
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY


def test_the_published_size_is_a_limit(server: Server, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"more than 1,048,576 bytes, which it should not"):
        fetch_file(source(f"{server.address}/endless", size=1 << 20), tmp_path)
    assert server.sent < 32 << 20
    assert list((tmp_path / "sub").iterdir()) == []


def test_without_a_size_there_is_a_limit_too(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SourceError, match=r"more than 2,147,483,648 bytes"):
        fetch_file(unchecked(f"{server.address}/large"), tmp_path)
    monkeypatch.setattr("commonground.fetching.MOST_BYTES", 1 << 20)
    with pytest.raises(SourceError, match=r"more than 1,048,576 bytes"):
        fetch_file(unchecked(f"{server.address}/endless"), tmp_path)
    assert server.sent < 32 << 20
    assert list((tmp_path / "sub").iterdir()) == []


@pytest.mark.parametrize("known", [True, False])
def test_chunks_are_read_to_their_end(site: str, tmp_path: Path, known: bool) -> None:
    url = f"{site}/chunks"
    fetch_file(source(url) if known else unchecked(url), tmp_path)
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY


def test_a_file_of_unknown_length_needs_a_checksum(site: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not state its length"):
        fetch_file(unchecked(f"{site}/no_length"), tmp_path)
    assert fetch_file(source(f"{site}/no_length"), tmp_path).verified


ANSWERS = {
    "cut_chunk": "broke off: the rest did not arrive",
    "no_number": "says that it has 'many' bytes",
    "negative": "says that it has '-1' bytes",
    "bad_status": "the answer is not readable HTTP",
    "huge_header": "the answer is not readable HTTP",
    "many_headers": "the answer is not readable HTTP",
    "nothing": "broke off",
    "squeezed": "comes as 'gzip'",
    "partial_unasked": "answers with 206",
    "to_file": "cannot be reached",
    "to_ftp": "cannot be reached",
    "to_nowhere": "broke off",
    "in_circles": "cannot be reached",
    "hanging": "timed out",
}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_bad_answer_is_an_error_in_a_line(
    site: str, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "hanging":
        monkeypatch.setattr("commonground.fetching.TIMEOUT_S", 1)
    with pytest.raises(SourceError, match=ANSWERS[name]):
        fetch_file(unchecked(f"{site}/{name}"), tmp_path)
    left = {each.name: each.stat().st_size for each in (tmp_path / "sub").iterdir()}
    assert "data.bin" not in left
    assert 0 not in left.values()


def test_two_commands_do_not_write_one_file(site: str, tmp_path: Path) -> None:
    put_part(tmp_path, b"x")
    with (tmp_path / "sub/data.bin.part").open("ab") as file:
        assert take_lock(file)
        with pytest.raises(SourceError, match=r"Another command is fetching .*data\.bin\."):
            fetch_file(source(f"{site}/plain"), tmp_path)


TOML = """
[[corpus]]
name = "far"
code = "FAR"
title = "Far"
summary = "Far away."
unit = "talk"
homepage = "https://example.org"
licence = "none"
terms = "none"
citation = "none"
formats = []
counts = {{}}
splits = {{}}
splits_from = "nowhere"
sources = [{{ path = "far.json", url = "{url}" }}]
"""


@pytest.mark.parametrize("name", one_in(4, sorted(ANSWERS.keys() - {"hanging"})))
def test_the_command_line_gives_no_traceback(site: str, tmp_path: Path, name: str) -> None:
    (tmp_path / "corpora" / "far").mkdir(parents=True)
    text = TOML.format(url=f"{site}/{name}")
    (tmp_path / "corpora" / "far" / "corpus.toml").write_text(text, encoding="utf-8")
    words = [sys.executable, "-c", "from commonground.cli import main; main()", "fetch", "far"]
    done = subprocess.run(
        [*words, str(tmp_path / "out")],
        env=os.environ | {"COMMONGROUND_CORPORA": str(tmp_path / "corpora")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: http://127.0.0.1:")
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stderr


def test_https_is_not_left() -> None:
    asked = urllib.request.Request("https://example.org/a")
    with pytest.raises(urllib.error.URLError, match="redirects from https"):
        _Redirects().redirect_request(asked, None, 302, "", {}, "http://example.org/a")
    found = _Redirects().redirect_request(asked, None, 302, "", {}, "https://example.org/b")
    assert found.full_url == "https://example.org/b"


def test_every_released_file_has_a_checksum_or_says_that_none_is_published() -> None:
    silent, loose = [], []
    for corpus in iterate_corpora():
        for source in corpus.manifest.sources:
            note = source.note or ""
            if source.sha256 is None and "checksum" not in note and "same link" not in note:
                silent.append(source.path)
            if "/master/" in (source.url or "") or "/main/" in (source.url or ""):
                loose.append(source.path)  # a branch, whose files change
    assert (silent, loose) == ([], [])
