"""Sentence encoders: texts as vectors, from files of this machine and nothing else.

- :mod:`.encoder`: an encoder by name or folder, and what it makes of texts.
- :mod:`.folders`: which files an encoder is made of.
- :mod:`.cache`: vectors kept in the folder of a store, since making them takes minutes.
"""
