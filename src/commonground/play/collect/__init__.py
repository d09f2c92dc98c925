"""Collecting dialogues: a study's folder, its event log, its people and their sessions.

Nothing here knows of sockets or pages; ``rooms`` does.
"""
