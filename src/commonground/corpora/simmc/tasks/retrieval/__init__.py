"""Task ``simmc/retrieval``: the assistant's answer among candidates (sub-task 2)."""
