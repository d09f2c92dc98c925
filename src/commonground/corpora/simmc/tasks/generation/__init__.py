"""Task ``simmc/generation``: the assistant's words (sub-task 2)."""
