"""The PhotoBook game: its rules, what it is played with, who plays it, and released games again."""
