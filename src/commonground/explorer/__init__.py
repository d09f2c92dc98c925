"""Dialogues as people see them: the explorer, its static site, single pages, transcripts."""
