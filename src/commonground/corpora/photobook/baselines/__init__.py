"""Simple ways to do the tasks of PhotoBook, one file a task."""
