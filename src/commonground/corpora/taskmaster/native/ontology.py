"""Taskmaster's released declarations of labels and APIs."""

from __future__ import annotations

from typing import Literal

from commonground.records import UNSET, Record, UnsetType


class PlainOntology(Record):
    """What generation 1 annotates in one kind of task.

    Attributes:
        id: name of the kind of task, such as ``uber_lyft``.
        vertical: the subject that it belongs to, such as ``ride_booking``.
        required: labels that a dialogue must settle.
        optional: labels that may come up beside them.
    """

    id: str
    vertical: str
    required: list[str]
    optional: list[str]


class LabelGroup(Record):
    """Labels of generation 2: each annotation is written after the prefix and a dot."""

    prefix: str
    annotations: list[str]


class ApiArguments(Record):
    """Arguments of an API of generation 3."""

    all_of: list[str] | UnsetType = UNSET
    any_of: list[str] | UnsetType = UNSET


class ApiResponse(Record):
    """What an API of generation 3 gives back.

    Attributes:
        type: ``boolean`` where the API says yes or no.
        keys: names of what it returns; of a list, each is numbered in the calls.
        true_value: texts that mean yes; absent for a list.
        false_value: texts that mean no; absent for a list.
    """

    type: Literal["list", "boolean"]
    keys: list[str]
    true_value: list[str] | UnsetType = UNSET
    false_value: list[str] | UnsetType = UNSET


class ApiDeclaration(Record):
    """An API of generation 3.

    Attributes:
        apis: names that it is called by.
        args: which arguments it must and may have.
        response: what comes back.
    """

    apis: list[str]
    args: ApiArguments
    response: ApiResponse


class Entities(Record):
    """The entities of one topic of generation 3.

    Attributes:
        vertical: the subject they belong to, such as ``ticket_booking``.
        required: labels that a dialogue must settle.
        optional: labels that may come up beside them.
    """

    vertical: str
    required: list[str]
    optional: list[str]
