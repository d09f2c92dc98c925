"""Orders at a coffee bar, as in Taskmaster-4: the dialect, invented scripts, released ones."""
