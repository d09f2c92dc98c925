"""What running a baseline gives: how it learned and was tested, and how it scored."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from commonground.bench.evaluation.scoring import Result
from commonground.printing import count_of

Kind = Literal["splits", "folds", "derived_holdout"]
HELD_OUT_OF = 10
"""Of so many dialogues one is held out where no split was released for it."""


class Protocol(msgspec.Struct, frozen=True, kw_only=True):
    """What is learned from and what is answered.

    Attributes:
        kind: ``splits``: released ones; ``folds``: each is answered by a model of the others;
            ``derived_holdout``: ours, of dialogues whose sha256 ends in a tenth of the numbers.
        train: split to learn from; with a hold-out, the split that it was cut from, if any.
        test: split to answer; None for each fold, or for a hold-out from all splits.
        part: part of the corpus, such as a domain; None for all.
        limit: number of dialogues that each was cut to; None for no limit.
    """

    kind: Kind
    train: str | None = None
    test: str | None = None
    part: str | None = None
    limit: int | None = None

    def describe(self) -> str:
        """Says it in one sentence."""
        if self.kind == "splits":
            text = f"trained on {self.train}, tested on {self.test}"
        elif self.kind == "folds":
            text = f"{self.test or 'each fold'} predicted by a model trained on the others"
        else:
            origin = f" of {self.test}" if self.test else ""
            text = (
                "derived_holdout, as there is no pair of released splits: tested on the dialogues"
                f"{origin} whose sha256(dialogue_id) modulo {HELD_OUT_OF} is 0, "
                "trained on the others"
            )
        if self.limit is not None:
            text += f"; at most {count_of(self.limit, 'dialogue')} of each"
        return text


class Size(msgspec.Struct, frozen=True):
    """How much was learned from or answered.

    Attributes:
        dialogues: number of dialogues.
        instances: number of instances of the task in them.
    """

    dialogues: int
    instances: int


class UsedEncoder(msgspec.Struct, frozen=True):
    """What texts or pictures were read with.

    Attributes:
        name: as a user named it.
        sha256: hash of all that decides what a vector is.
    """

    name: str
    sha256: str


class BaselineRun(msgspec.Struct, frozen=True, kw_only=True):
    """How a baseline was run.

    Attributes:
        method: name of the baseline.
        title: how it answers.
        corpus: corpus that it is for.
        protocol: what it learned from and answered.
        learned_from: how much that was; with folds, all of them.
        answered: how much it answered.
        seed: of what is random.
        data: the import of which a saved model learned; None where it is the one it is tested on.
        train_s: seconds of learning, all models together; None where a saved model answered.
        answer_s: seconds of answering.
        encoder: what read texts or pictures; None where the method needs none.
    """

    method: str
    title: str
    corpus: str
    protocol: Protocol
    learned_from: Size
    answered: Size
    seed: int
    data: dict[str, Any] | None = None
    train_s: float | None
    answer_s: float
    encoder: UsedEncoder | None = None


class BaselineResult(Result, kw_only=True):
    """The result of a baseline: as of any file of predictions, and how they came about.

    Attributes:
        baseline: how it was run; the others are those of :class:`Result`.
    """

    baseline: BaselineRun

    def name_system(self) -> str:
        """Returns the method and the corpus that it answered for."""
        return f"{self.baseline.method} on {self.baseline.corpus}"
