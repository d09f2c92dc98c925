"""Fixtures that tests of several modules share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonground.files import remote
from tests.unit.google_store import serve_google
from tests.unit.object_store import ObjectStore, serve_objects


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """A server with an empty bucket ``talks``."""
    (tmp_path / "buckets/talks").mkdir(parents=True)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    with serve_objects(tmp_path / "buckets") as (address, store):
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
        monkeypatch.setenv("AWS_REGION", "eu-test-1")
        monkeypatch.setattr(remote, "REQUEST_S", 0.1)
        monkeypatch.setattr(remote, "TRIES", 2)
        remote._open_store.cache_clear()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield store
    remote._open_store.cache_clear()


@pytest.fixture
def google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """A server that speaks Google's language, with an empty bucket ``talks``."""
    (tmp_path / "google/talks").mkdir(parents=True)
    with serve_google(tmp_path / "google") as (address, store):
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", address)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        # Between two tries Google's library waits a second or two.
        monkeypatch.setattr(remote, "REQUEST_S", 4.0)
        monkeypatch.setattr(remote, "TRIES", 1)
        remote._open_store.cache_clear()
        yield store
    remote._open_store.cache_clear()
