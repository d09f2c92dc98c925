"""The tables and figures of Taskmaster 1 to 4, with the numbers that were published of them."""
