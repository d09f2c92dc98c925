"""The export formats, one module each, found by their constant ``EXPORT``.

A format that takes more than one file is a folder, and ``export.py`` in it has the constant.

``chat`` has two more: ``chat_messages`` makes the messages of a dialogue, ``chat_reading`` reads
them back. ``templates/`` has files that formats write as they stand, but for a few names.
"""
