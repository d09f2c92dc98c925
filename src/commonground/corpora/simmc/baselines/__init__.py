"""Simple ways to do SIMMC's tasks, one file for each task."""
