"""Dialogues as rows of tables, rows as Parquet files, and both ways back.

- :mod:`.columns`: from dialogues to Arrow columns.
- :mod:`.writing`: columns as the part files of an import.
- :mod:`.rows`: the rows of events, for going through a whole corpus.
- :mod:`.rebuild`: from rows, wherever they are read, to dialogues.
"""
