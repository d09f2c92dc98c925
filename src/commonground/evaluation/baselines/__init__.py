"""Baselines: finds them, trains them, saves them, answers with them, and scores the answers."""
