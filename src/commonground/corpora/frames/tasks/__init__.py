"""The benchmark tasks of Frames, one file each."""
