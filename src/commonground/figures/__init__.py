"""Runs and draws the figures of the corpora, and compares the corpora with each other.

``cg.stats("frames")`` calls :func:`commonground.figures.access.stats`.
"""
