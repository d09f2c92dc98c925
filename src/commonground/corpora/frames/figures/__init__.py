"""The tables and figures of Frames, with the numbers that were published of it."""
