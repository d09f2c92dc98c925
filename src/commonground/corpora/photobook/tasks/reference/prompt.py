"""How language models are asked for the images of a segment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonground.corpora.photobook.tasks.reference.evidence import ScoredImages
from commonground.method import Prompt, Reply
from commonground.replies import read_number


def read_images(reply: Reply) -> ScoredImages:
    """Returns the chosen images, each with the score 1.

    Who has scores may say them: ``{"targets": [...], "scores": {"dog/1.jpg": 0.7, ...}}``.
    """
    said = reply.value if isinstance(reply.value, dict) else {"targets": reply.value}
    if isinstance(said["targets"], str) or not all(isinstance(e, str) for e in said["targets"]):
        raise TypeError("expected a list of names")
    chosen, images = set(said["targets"]), reply.instance.inputs["images"]
    scores = {image: float(image in chosen) for image in images}
    if "scores" in said:
        scores = {image: read_number(said["scores"][image]) for image in images}
    return ScoredImages(scores, [image for image in images if image in chosen])


def list_names(said: Any) -> Iterator[str]:
    """Yields the images that a reply names."""
    yield from map(str, said["targets"] if isinstance(said, dict) else said)


PROMPT = Prompt(
    task="photobook/reference",
    answer=read_images,
    target=lambda instance: instance.gold,
    form=list[str],
    pictures=lambda instance: instance.inputs["images"],
    is_numbered=True,
    names=list_names,
)
