"""Simple ways to do Taskmaster's tasks, one file for each task."""
