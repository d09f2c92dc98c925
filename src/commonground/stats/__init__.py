"""Runs and draws the figures of the corpora, and compares the corpora with each other."""
