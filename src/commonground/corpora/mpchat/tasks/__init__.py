"""The benchmark tasks of MPChat, one file each."""
