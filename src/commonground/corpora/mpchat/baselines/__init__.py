"""Simple ways to do the tasks of MPChat, one file a task."""
