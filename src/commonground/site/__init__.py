"""Dialogues as people see them: transcripts today, pages later."""
