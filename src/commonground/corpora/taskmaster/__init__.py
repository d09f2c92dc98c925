"""Taskmaster 1 to 4: native files, the tag language of the split rows, conversion, simulator."""
