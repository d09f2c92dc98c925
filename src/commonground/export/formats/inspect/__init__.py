"""Data sets and tasks of inspect_ai as files."""
