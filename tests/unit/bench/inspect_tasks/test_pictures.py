"""Pictures stand in the questions, small enough; missing ones are listed."""

from __future__ import annotations

import base64
import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from PIL import Image

from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.asking import pictures
from commonground.bench.inspect_tasks.asking.pictures import SentPictures
from commonground.bench.inspect_tasks.asking.questions import Asking, Made, make_dataset
from commonground.corpora import get_corpus
from commonground.errors import TaskError, UsageError
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus


def make(store: Path, task: str, **options: Any) -> Made:
    corpus = task.partition("/")[0]
    options.setdefault("split", "all")
    return make_dataset(Asking(task=task, corpus=corpus, store=str(store), **options))


def list_content(made: Made) -> list[Any]:
    message = made.dataset[0].input[-1]
    assert isinstance(message, ChatMessageUser)
    return message.content if isinstance(message.content, list) else [message.content]


def read_size(image: str) -> tuple[int, int]:
    data = base64.b64decode(image.removeprefix("data:image/jpeg;base64,"))
    with Image.open(io.BytesIO(data)) as picture:
        return picture.size


@pytest.mark.parametrize(
    "task", ["photobook/marks", "photobook/reference", "photobook/segments", "mpchat/nrp"]
)
def test_what_the_authors_showed_is_shown(task: str, store: Path) -> None:
    made = make(store, task, image_size=40)
    assert made.facts["variant"] == "pictures"
    assert made.facts["number_of_missing_pictures"] == 0
    images = [each.image for each in list_content(made) if isinstance(each, ContentImage)]
    assert images
    assert all(max(read_size(each)) <= 40 for each in images)


SIMMC = ["simmc/actions", "simmc/dst", "simmc/generation", "simmc/retrieval"]


@pytest.mark.parametrize("part", ["fashion", "furniture"])
@pytest.mark.parametrize("task", SIMMC)
def test_simmc_shows_what_is_in_view(task: str, part: str, store: Path) -> None:
    made = make(store, task, part=part, image_size=40)
    assert made.facts["variant"] == "pictures"
    assert made.facts["number_of_missing_pictures"] == 0
    shown = [list_named(each) for each in made.dataset]
    assert any(shown)
    for sample, names in zip(made.dataset, shown, strict=True):
        text = sample.input[-1].text if not isinstance(sample.input, str) else ""
        # Each stands after its catalogue id, whose number the text names, too.
        assert all(name.startswith(f"{part}/") for name in names)
        assert all(name.partition("/")[2] in text for name in names)


def test_an_object_whose_picture_was_never_released_is_listed(tmp_path: Path) -> None:
    pictures = SentPictures(tmp_path, uris={"fashion/1": None})
    (told,) = pictures.show(["fashion/1"])
    assert told == ContentText(text="fashion/1: the picture is missing")
    assert pictures.missing == {"fashion/1": "no picture was released"}


def list_named(sample: Any) -> list[str]:
    """Returns the names that pictures of a question stand behind."""
    content = sample.input[-1].content
    parts = content if isinstance(content, list) else []
    behind = pairwise(parts)
    return [one.text.removesuffix(":") for one, two in behind if isinstance(two, ContentImage)]


def test_each_candidate_of_a_page_is_shown_behind_its_name(store: Path) -> None:
    made = make(store, "photobook/reference")
    text, *shown = list_content(made)
    assert text.text.startswith("images:\n") or "\nimages:\n" in text.text
    names = [each.text.removesuffix(":") for each in shown if isinstance(each, ContentText)]
    assert len(names) * 2 == len(shown)
    assert all(name in text.text for name in names)


def test_text_only_is_a_variant_of_its_own(store: Path) -> None:
    made = make(store, "photobook/reference", variant="text")
    assert [type(each) for each in list_content(made)] == [str]
    assert made.facts["variant"] == "text"
    assert made.facts["prompt_hash"] != make(store, "photobook/reference").facts["prompt_hash"]


def test_without_a_folder_only_text_can_be_shown(tmp_path: Path) -> None:
    entry = get_corpus("photobook")
    simulate_corpus(entry, tmp_path / "released", dialogues=2, seed=1)
    logs = sorted(path for path in (tmp_path / "released").iterdir() if path.name != "images")
    import_corpus(entry, logs, store=tmp_path / "store")
    assert make(tmp_path / "store", "photobook/reference").facts["variant"] == "text"
    with pytest.raises(TaskError, match="No image folder of photobook is known"):
        make(tmp_path / "store", "photobook/reference", variant="pictures")


def test_a_model_that_sees_no_pictures_is_refused_before_it_is_asked(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "active_model", lambda: "hf/models/small")
    with pytest.raises(PrerequisiteError, match=r"sends texts only\. Ask with -T variant=text"):
        TASKS["photobook_reference"](store=str(store), limit=1)
    assert len(TASKS["photobook_reference"](store=str(store), limit=1, variant="text").dataset)


def test_a_task_without_pictures_has_no_such_variant(store: Path) -> None:
    with pytest.raises(UsageError, match="frames/nlu has no pictures to show"):
        make(store, "frames/nlu", variant="pictures")


def test_missing_pictures_are_named_and_listed(tmp_path: Path) -> None:
    Image.new("RGB", (9, 3)).save(tmp_path / "a.png")
    (tmp_path / "b.jpg").write_bytes(b"no picture")
    pictures = SentPictures(tmp_path)
    shown = pictures.show(["a.png", "b.jpg", "c.jpg", "a.png"])
    assert [type(each) for each in shown] == [ContentText, ContentImage, ContentText, ContentText]
    assert pictures.missing.keys() == {"b.jpg", "c.jpg"}
    assert pictures.missing["c.jpg"] == "not in the image folder"
