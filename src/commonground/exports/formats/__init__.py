"""The export formats, one module each, found by their constant ``EXPORT``.

A format that takes more than one file is a folder, and ``export.py`` in it has the constant.
``chat`` has two modules beside: ``chat_messages`` makes the messages of a dialogue, and
``chat_targets`` brings them into the form that a trainer or a template takes.
"""
