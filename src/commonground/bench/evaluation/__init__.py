"""Evaluation: finds tasks, scores predictions, says how sure the numbers are, compares them."""
