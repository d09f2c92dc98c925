"""Taskmaster 1 to 4: people order, book and ask, and an assistant calls APIs for them."""
