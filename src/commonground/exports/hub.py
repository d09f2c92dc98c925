"""Uploads a repository to the Hugging Face Hub."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from commonground.errors import SourceError, UsageError
from commonground.extras import needing

HUB = "https://huggingface.co"
_IGNORED = (".*", "**/.*")
_REPO = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """What is uploaded, and where.

    Attributes:
        repo: ``OWNER/NAME``.
        files: sizes in bytes by path.
    """

    repo: str
    address: str
    files: dict[str, int]
    private: bool


def plan_upload(folder: Path, repo: str, *, private: bool) -> Upload:
    """Lists what would be uploaded: every file of the folder but hidden ones.

    Raises:
        UsageError: ``repo`` is not of the form ``OWNER/NAME``.
    """
    check_repo(repo)
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    shown = {
        name: path.stat().st_size
        for name, path in named.items()
        if not any(part.startswith(".") for part in name.split("/"))
    }
    address = f"{_find_hub()}/datasets/{repo}"
    return Upload(repo=repo, address=address, files=shown, private=private)


def check_repo(repo: str) -> None:
    """Checks the name of a repository.

    Raises:
        UsageError: it is not of the form ``OWNER/NAME``.
    """
    if not _REPO.fullmatch(repo):
        raise UsageError(f"{repo!r} names no repository.", "Write OWNER/NAME.")


def _find_hub() -> str:
    return os.environ.get("HF_ENDPOINT", HUB).rstrip("/")


def push(folder: Path, upload: Upload) -> str:
    """Uploads a folder in one commit and returns its address; a missing repository is made.

    Raises:
        MissingExtraError: huggingface_hub is not installed.
        UsageError: no token is known.
        SourceError: the Hub refuses it, or does not answer.
    """
    with needing("hub", "Uploading needs huggingface_hub"):
        import huggingface_hub
        from huggingface_hub.errors import HfHubHTTPError
    token = huggingface_hub.get_token()
    if token is None:
        raise UsageError("You are not logged in to the Hugging Face Hub.", "Run: hf auth login")
    api = huggingface_hub.HfApi(endpoint=_find_hub(), token=token)
    try:
        api.create_repo(upload.repo, repo_type="dataset", private=upload.private, exist_ok=True)
        commit = api.upload_folder(
            repo_id=upload.repo,
            repo_type="dataset",
            folder_path=folder,
            commit_message="Publish dialogues with commonground",
            ignore_patterns=list(_IGNORED),
        )
    except (HfHubHTTPError, OSError) as error:
        said = str(error).strip().partition("\n")[0]
        raise SourceError(f"{upload.address} was not written: {said}") from error
    return str(commit.commit_url)
