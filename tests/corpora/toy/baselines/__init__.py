"""Baselines of the toy tasks."""
