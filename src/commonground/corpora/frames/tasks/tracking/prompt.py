"""How language models are asked for the frames of a user turn."""

from __future__ import annotations

from commonground.corpora.frames.tasks.tracking.places import Answer, list_places, list_right
from commonground.method import Prompt, Reply
from commonground.replies import read_number, read_whole
from commonground.task import Instance


def read_frames(reply: Reply) -> Answer:
    """Returns the chosen frames as probabilities of 1; what is above all frames is a new one.

    Who has probabilities may say them in place of a list: ``{"1": 0.8, "2": 0.2}``, or as
    predictions have them: ``{"shares": [0.8, 0.2]}``.
    """
    places = list_places(reply.instance.inputs)
    width = len(reply.instance.inputs["frames"]) + 1
    shares = []
    for chosen, _place in zip(reply.value, places, strict=True):
        if isinstance(chosen, dict) and "shares" in chosen:
            shares.append([read_number(each) for each in chosen["shares"]])
            continue
        share = [0.0] * width
        shares_of = chosen if isinstance(chosen, dict) else dict.fromkeys(chosen, 1.0)
        for frame, probability in shares_of.items():
            # Whatever number a model gives a new frame, it is the one behind the last; none is
            # before 1.
            share[max(1, min(read_whole(frame), width)) - 1] = read_number(probability)
        shares.append(share)
    return Answer(shares)


def say_shares(answered: Reply) -> list[dict[str, list[float]]]:
    """Returns the probabilities of the frames, for each place."""
    return [{"shares": shares} for shares in answered.value.shares]


def list_frames(instance: Instance) -> list[list[int]]:
    """Returns the annotated frames of each place."""
    return [sorted(frames) for frames in list_right(instance)]


PROMPT = Prompt(
    task="frames/tracking",
    answer=read_frames,
    say=say_shares,
    target=list_frames,
    form=list[list[int]],
)
