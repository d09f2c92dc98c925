"""The tables and figures of MPChat, with the numbers that were published of it."""
