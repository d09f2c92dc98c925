"""Exports: the data handed on to other tools, one file per format.

A format is one module of this folder with a constant ``EXPORT``; nothing else needs an edit. It
says which columns it carries, and :func:`commonground.export.running.run_export` counts every
other value that is there: what does not fit is never dropped silently but stands in
``loss.json``, with a place and the reason.

- :mod:`~commonground.export.selection`: the dialogues chosen, as dialogues, Arrow tables or SQL.
- :mod:`~commonground.export.loss`: what did not fit.
- :mod:`~commonground.export.base`: what a format is.
- :mod:`~commonground.export.output`: the report, which marks the folder as an export.
"""
