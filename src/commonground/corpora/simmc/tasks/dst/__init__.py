"""Task ``simmc/dst``: belief states (sub-task 3)."""
