"""Measuring: tasks' metrics, scoring, learners, and language models in Inspect."""
