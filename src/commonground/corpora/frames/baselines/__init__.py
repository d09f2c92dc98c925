"""Simple ways to do the tasks of Frames, one file a task."""
