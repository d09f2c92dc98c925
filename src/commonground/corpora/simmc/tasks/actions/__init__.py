"""Task ``simmc/actions``: the assistant's next API call and its attributes (sub-task 1)."""
