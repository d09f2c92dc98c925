"""Checks: running rules on records."""
