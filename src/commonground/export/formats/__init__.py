"""The export formats, one module each, found by their constant ``EXPORT``.

``chat`` has two more: ``chat_messages`` makes the messages of a dialogue, ``chat_reading`` reads
them back.
"""
