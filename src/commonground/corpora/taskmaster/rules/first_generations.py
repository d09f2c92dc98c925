"""Rules of generations 1 and 2: their dialogues, and the split lists of generation 1."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.taskmaster.convert import file_stem
from commonground.corpora.taskmaster.native.dialogues import PlainDialogue
from commonground.corpora.taskmaster.native.rows import SplitId
from commonground.corpora.taskmaster.rules._shared import several_splits, undeclared_labels
from commonground.findings import Examined, Place, Ruleset

dialogs1 = Ruleset("CG-TASKMASTER-", "dialogs1")
dialogs2 = Ruleset("CG-TASKMASTER-", "dialogs2")
splits1 = Ruleset("CG-TASKMASTER-", "splits1")


# What generation 1 writes after a label: whether what was asked for worked out.
_VERDICTS = (".accept", ".reject")


@dialogs1.warning(107)
def labels_1(record: PlainDialogue, examined: Examined) -> Iterator[Place]:
    """A label is not in the ontology of Taskmaster-1.

    Code that takes its labels from `ontology.json` cannot handle it.

    Add the label, or see which declared one is meant.
    """
    return undeclared_labels(record, examined, endings=_VERDICTS)


@dialogs2.note(207)
def labels_2(record: PlainDialogue, examined: Examined) -> Iterator[Place]:
    """A label is not in the ontology of its domain.

    Code that takes its labels from the ontology files cannot handle it.

    Add the label, or see which declared one is meant.
    """
    return undeclared_labels(record, examined, file_stem(examined.source_file))


@dialogs1.error(108, known=0)
def in_several_splits(record: PlainDialogue, examined: Examined) -> Iterator[Place]:
    """A dialogue is in more than one released split.

    Test data were seen in training; the dialogue is given no split.

    Compare the split files with the released ones.
    """
    return several_splits(record, examined)


@splits1.error(131, known=0)
def split_line(record: SplitId) -> Iterator[Place]:
    """A line of a split list is not one id followed by a comma.

    The dialogue that it means gets no split.

    Compare the split file with the released one.
    """
    if not record.conversation_id.startswith("dlg-") or record.rest != ",":
        yield Place(expected="dlg-…,", found=record.conversation_id + record.rest)
