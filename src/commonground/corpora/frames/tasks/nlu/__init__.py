"""Task ``frames/nlu``: the acts, slots and values of a user turn."""
