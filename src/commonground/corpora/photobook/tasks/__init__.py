"""The benchmark tasks of PhotoBook, one file each."""
