"""How language models are asked for the images of a segment."""

from __future__ import annotations

from commonground.corpora.photobook.tasks.reference.baselines import Choice
from commonground.method import Prompt, Reply


def read_images(reply: Reply) -> Choice:
    """Returns the chosen images, each with the score 1."""
    chosen = set(reply.value)
    scores = {image: float(image in chosen) for image in reply.instance.inputs["images"]}
    return Choice(scores, [image for image in reply.instance.inputs["images"] if image in chosen])


PROMPT = Prompt(
    task="photobook/reference",
    answer=read_images,
    target=lambda instance: instance.gold,
    form=list[str],
    pictures=lambda instance: instance.inputs["images"],
)
