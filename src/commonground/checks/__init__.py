"""Checks: rules that corpora share, and reports of what the rules found."""
