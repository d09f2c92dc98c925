"""Dialogues in free form, as the written half of Taskmaster-1."""
