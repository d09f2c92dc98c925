"""The store: Parquet files of ours on disk, written by imports and read by SQL and Python.

A store is a folder with one folder per imported corpus. In it ``manifest.json`` names the data
folder that is in force; an import writes a new data folder and then replaces the manifest, so
at every moment there is one whole import.

- :mod:`~commonground.store.importing`: from released files to a new data folder.
- :mod:`~commonground.store.tables`: dialogues as rows, rows as Parquet files, and back.
- :mod:`~commonground.store.layout`: what lies where; which data folder is in force, which may go,
  and whether it is whole.
- :mod:`~commonground.store.opening`, ``corpus``: what is opened for reading, as Python objects.
- :mod:`~commonground.store.sql`: what is asked of the tables.
- :mod:`~commonground.store.index`: what makes them quick to browse.
"""
