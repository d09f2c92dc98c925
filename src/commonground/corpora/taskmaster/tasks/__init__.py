"""The benchmark tasks of Taskmaster, one file each."""
