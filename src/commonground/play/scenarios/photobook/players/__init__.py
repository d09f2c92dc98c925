"""Scripted players of the PhotoBook game: what they say, what they understand, what they do."""
