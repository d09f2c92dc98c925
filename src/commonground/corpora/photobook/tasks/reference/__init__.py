"""Task ``photobook/reference``: which of the displayed images a segment is about."""
