"""Scripted dialogues: the language of their scripts, the rules, and the scripted workers."""
