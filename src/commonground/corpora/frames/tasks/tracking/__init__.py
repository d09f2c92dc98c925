"""Task ``frames/tracking``: the frame of every slot and reference of a user turn."""
