"""The scripts that dialogues are written by: their language, and what helps their authors."""
