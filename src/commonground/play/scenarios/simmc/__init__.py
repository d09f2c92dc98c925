"""The shopping games: their rules, their shops, who plays them, and how dialogues are labelled."""
