"""Taskmaster's released declarations of labels and APIs."""

from __future__ import annotations

from typing import Literal

from commonground.records import UNSET, Record, UnsetType


class PlainOntology(Record):
    """What generation 1 annotates in one kind of task."""

    id: str
    vertical: str
    required: list[str]
    optional: list[str]


class LabelGroup(Record):
    """Labels of generation 2: each annotation is written behind the prefix and a dot."""

    prefix: str
    annotations: list[str]


class ApiArguments(Record):
    """Arguments of an API of generation 3."""

    all_of: list[str] | UnsetType = UNSET
    any_of: list[str] | UnsetType = UNSET


class ApiResponse(Record):
    """What an API of generation 3 gives back."""

    type: Literal["list", "boolean"]
    keys: list[str]
    true_value: list[str] | UnsetType = UNSET
    false_value: list[str] | UnsetType = UNSET


class ApiDeclaration(Record):
    """An API of generation 3."""

    apis: list[str]
    args: ApiArguments
    response: ApiResponse


class Entities(Record):
    """The entities of one topic of generation 3."""

    vertical: str
    required: list[str]
    optional: list[str]
