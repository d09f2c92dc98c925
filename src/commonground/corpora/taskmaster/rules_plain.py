"""Rules of generations 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.taskmaster.convert import file_stem
from commonground.corpora.taskmaster.looks import (
    check_splits,
    context_of,
    index_rule,
    key_rule,
    labelled_rule,
    order_rule,
    place,
    spans_rule,
    text_rule,
    undeclared_labels,
)
from commonground.corpora.taskmaster.native import PlainDialogue
from commonground.corpora.taskmaster.rows import SplitId
from commonground.findings import Examined, Place, rule

spans_1 = spans_rule("CG-TASKMASTER-101", "dialogs1", None)
spans_2 = spans_rule("CG-TASKMASTER-201", "dialogs2", None)
index_1 = index_rule("CG-TASKMASTER-102", "dialogs1", None)
index_2 = index_rule("CG-TASKMASTER-202", "dialogs2", None)
text_1 = text_rule("CG-TASKMASTER-103", "dialogs1", None)
text_2 = text_rule("CG-TASKMASTER-203", "dialogs2", None)
labelled_1 = labelled_rule("CG-TASKMASTER-104", "dialogs1", None)
labelled_2 = labelled_rule("CG-TASKMASTER-204", "dialogs2", None)
order_1 = order_rule("CG-TASKMASTER-105", "dialogs1", None)
order_2 = order_rule("CG-TASKMASTER-205", "dialogs2", None)
key_1 = key_rule("CG-TASKMASTER-106", "dialogs1", None)
key_2 = key_rule("CG-TASKMASTER-206", "dialogs2", None)

_VERDICTS = (".accept", ".reject")


@rule(
    "CG-TASKMASTER-107",
    "warning",
    "A label is not in the ontology of Taskmaster-1.",
    why="Code that takes its labels from `ontology.json` has no place for it.",
    advice="Add the label, or see which declared one is meant.",
    format="dialogs1",
)
def labels_1(record: PlainDialogue, examined: Examined) -> Iterator[Place]:
    """Compares the labels, without `.accept` and `.reject`, with the ontology."""
    declared = context_of(examined).labels.get("", frozenset())
    for number, below, name in undeclared_labels(record.utterances, declared, _VERDICTS):
        yield place(examined, number, below, expected="a declared label", found=name)


@rule(
    "CG-TASKMASTER-207",
    "note",
    "A label is not in the ontology of its domain.",
    why="Code that takes its labels from the ontology files has no place for it.",
    advice="Add the label, or see which declared one is meant.",
    format="dialogs2",
)
def labels_2(record: PlainDialogue, examined: Examined) -> Iterator[Place]:
    """Compares the labels with the ontology that has the name of their file."""
    domain = file_stem(examined.source_file)
    declared = context_of(examined).labels.get(domain, frozenset())
    for number, below, name in undeclared_labels(record.utterances, declared):
        yield place(examined, number, below, expected="a declared label", found=name)


splits_1 = rule(
    "CG-TASKMASTER-108",
    "error",
    "A dialogue is in more than one released split.",
    why="What is tested on was trained on; the dialogue is given no split.",
    advice="Compare the split files with the released ones.",
    format="dialogs1",
    known=0,
)(check_splits)


@rule(
    "CG-TASKMASTER-131",
    "error",
    "A line of a split list is not one id with a comma behind it.",
    why="The dialogue that it means gets no split.",
    advice="Compare the split file with the released one.",
    format="splits1",
    known=0,
)
def split_line(record: SplitId, _examined: Examined) -> Iterator[Place]:
    """Compares the line with the form of the released ones."""
    if not record.conversation_id.startswith("dlg-") or record.rest != ",":
        yield Place(expected="dlg-…,", found=record.conversation_id + record.rest)
