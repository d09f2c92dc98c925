"""What the authors of a corpus released beside it, under the names that they gave it.

Code that was written for theirs goes on with another line of import.
"""
