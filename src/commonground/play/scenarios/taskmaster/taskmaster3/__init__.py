"""Tickets bought at a desk, as in Taskmaster-3: the dialect, invented scripts, released ones."""
