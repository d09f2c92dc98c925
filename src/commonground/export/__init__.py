"""Exports: the data in the formats of other tools.

``cg.export("csv", "tables")`` calls :func:`commonground.export.access.export`.

A format is one module of ``formats/`` with a constant ``EXPORT``, or a folder there with an
``export.py`` that has it; nothing else needs an edit. It says which columns it carries, and
:func:`commonground.export.run.run_export` counts every other value that is there: what does not
fit is never dropped silently but stands in ``loss.json``, with a place and the reason.

- :mod:`~commonground.export.format`: what a format is, and which there are.
- :mod:`~commonground.export.run`: runs one, and writes the report.
- :mod:`~commonground.export.selection`: the dialogues chosen, as dialogues, Arrow tables or SQL.
- :mod:`~commonground.export.loss`: what did not fit.

What formats share:

- :mod:`~commonground.export.dialogue_rows`: dialogues with their annotations, as plain rows.
- :mod:`~commonground.export.point_of_view`: the speaker whose side a format takes.
- :mod:`~commonground.export.files`: a file per table, a file per split, JSON files.
- :mod:`~commonground.export.formats.hf.nesting`: flat tables as one row per dialogue, and back.
- :mod:`~commonground.export.tool_schemas`: JSON Schemas of tools, worked out from their calls.
"""

from commonground.callable_packages import make_callable

make_callable(__name__, "access", "export")
