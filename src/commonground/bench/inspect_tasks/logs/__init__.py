"""Logs of inspect_ai read again: results of tasks, games, and lines of a report."""
