"""Exports: the data in the formats of other tools.

``cg.export("csv", "tables")`` calls :func:`commonground.exports.access.export`.

A format is one module of ``formats/`` with a constant ``EXPORT``, or a folder there with an
``export.py`` that has it; nothing else needs an edit. It says which columns it carries, and
:func:`commonground.exports.run.run_export` counts every other value that is there: what does not
fit is never dropped silently but stands in ``loss.json``, with a place and the reason.

- :mod:`~commonground.exports.format`: what a format is, and which there are.
- :mod:`~commonground.exports.run`: runs one, and writes the report.
- :mod:`~commonground.exports.selection`: the dialogues chosen, as dialogues, Arrow tables or SQL.
- :mod:`~commonground.exports.loss`: what did not fit.

What formats share:

- :mod:`~commonground.exports.dialogue_rows`: dialogues with their annotations, as plain rows.
- :mod:`~commonground.exports.point_of_view`: the speaker whose side a format takes.
- :mod:`~commonground.exports.files`: a file per table, a file per split, JSON files.
- :mod:`~commonground.exports.formats.hf.nesting`: flat tables as one row per dialogue.
- :mod:`~commonground.exports.tool_schemas`: JSON Schemas of tools, worked out from their calls.
"""
