"""Taskmaster's released files: dialogues, split rows, declarations, and how calls are written."""
