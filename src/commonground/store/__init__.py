"""The store: Parquet files of ours on disk, written by imports and read by SQL and Python.

A store is a folder with one folder per imported corpus. In it ``manifest.json`` names the data
folder that is in force; an import writes a new data folder and then replaces the manifest, so
at every moment there is one whole import.
"""
