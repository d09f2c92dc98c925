"""Runs and draws the figures of the corpora, and compares the corpora with each other.

``cg.stats("frames")`` calls :func:`commonground.stats.access.stats`.
"""

from commonground.callable_packages import make_callable

make_callable(__name__, "access", "stats")
