"""How many tokens a question is, by the rules of ``token_rules.toml``."""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

import msgspec
from inspect_ai.model import ChatMessage
from PIL import Image

from commonground.bench.evaluation.prompts import write_json
from commonground.bench.inspect_tasks.asking.instructing import write_instructions
from commonground.bench.inspect_tasks.asking.pictures import list_pictures
from commonground.bench.inspect_tasks.asking.questions import Made

# Words, numbers, runs of underscores, line breaks, and marks: what byte-pair tokenizers never join.
_PIECE = re.compile(r"[^\W\d_]+|\d+|_+|\n+|[^\w\s]+")
# Letters, and digits or marks, of a token: `token_rules.toml` says how well that fits.
_LETTERS, _MARKS = 7, 3
AROUND = 4
"""Tokens around each message, for its role."""


class TokenRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a provider counts.

    Attributes:
        factor: how much more finely than usual texts are divided.
        base: tokens of any picture.
        tile: tokens of each square of a picture.
        tile_px: pixels of a square's side.
    """

    factor: float
    base: int
    tile: int
    tile_px: int

    def count_text(self, text: str) -> float:
        """Returns about how many tokens a text is."""
        return self.factor * sum(map(_count_piece, _PIECE.findall(text)))

    def count_picture(self, width: int, height: int) -> int:
        """Returns the tokens of a picture, given its size in pixels."""
        squares = math.ceil(width / self.tile_px) * math.ceil(height / self.tile_px)
        return self.base + self.tile * squares


def _count_piece(piece: str) -> int:
    if piece[0].isalpha():
        # Scripts without spaces have about a token for each sign.
        return math.ceil(len(piece) / _LETTERS) if piece.isascii() else math.ceil(len(piece) / 2)
    return 1 if piece[0] == "\n" else math.ceil(len(piece) / _MARKS)


class TokenRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of providers.

    Attributes:
        version: raised whenever a rule changes.
        rules: by provider; ``other`` for those that are not named.
    """

    version: int
    rules: dict[str, TokenRule]


@cache
def read_rules() -> TokenRules:
    """Reads the rules, with their version."""
    data = Path(__file__).with_name("token_rules.toml").read_bytes()
    return msgspec.toml.decode(data, type=TokenRules)


def choose_rule(model: str) -> tuple[str, TokenRule]:
    """Returns the rule of a model's provider, with its name; that of others where none is known.

    Args:
        model: its name as inspect_ai knows it: ``openai/...``.
    """
    rules = read_rules().rules
    # Every part but the model's name, as in openrouter/anthropic/NAME: providers may be nested.
    name = next((part for part in model.split("/")[:-1] if part in rules), "other")
    return name, rules[name]


def name_rule(name: str) -> str:
    """Returns the name of a rule with the version of all of them."""
    return f"{name} {read_rules().version}"


def write_beside(made: Made) -> str:
    """Writes what is sent with every question: tools, and the schema of answers."""
    schema = made.config.response_schema
    tools = [write_json(list(made.tools.values()))] if made.tools else []
    return "".join([*tools, schema.json_schema.model_dump_json() if schema else ""])


@lru_cache(maxsize=1024)
def read_size(image: str) -> tuple[int, int]:
    """Returns the size in pixels of a picture that stands in a question."""
    # Pictures stand in questions as data:image/jpeg;base64,...
    with Image.open(io.BytesIO(base64.b64decode(image.partition(",")[2]))) as picture:
        return picture.size


class SampleCount(msgspec.Struct, frozen=True, kw_only=True):
    """What one question takes, as a rule counts it.

    Attributes:
        text: tokens of all texts of the question, tools and schemas among them.
        answer: tokens of its answer.
    """

    text: float
    pictures: int
    picture_tokens: int
    answer: float

    @property
    def tokens(self) -> float:
        """Tokens of question and answer together."""
        return self.text + self.picture_tokens + self.answer


def count_samples(made: Made, rule: TokenRule) -> list[SampleCount]:
    """Counts what each question takes, with the right answer."""
    start, beside = write_instructions(made.ask, made.examples), write_beside(made)
    return [
        count_sample([*start, *each.input], beside, str(each.target), rule)
        for each in made.dataset
        if isinstance(each.input, list)  # ours is never a text alone
    ]


def count_sample(
    asked: Iterable[ChatMessage], beside: str, answer: str, rule: TokenRule
) -> SampleCount:
    """Counts what one question takes.

    Args:
        beside: what is sent with it: tools, and the schema of answers.
    """
    text, sizes = _count_text(beside, rule), []
    for message in asked:
        text += AROUND + _count_text(message.text, rule)
        sizes += [read_size(image) for image in list_pictures(message)]
    shown = sum(rule.count_picture(*size) for size in sizes)
    return SampleCount(
        text=text,
        pictures=len(sizes),
        picture_tokens=shown,
        answer=_count_text(answer, rule),
    )


@lru_cache(maxsize=1024)
def _count_text(text: str, rule: TokenRule) -> float:
    """Instructions, tools and schemas are the same in every question."""
    return rule.count_text(text)
