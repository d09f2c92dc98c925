"""Chats of one's own: a table with a row for each message."""
