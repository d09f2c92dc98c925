"""Scenarios of no corpus: a folder each, as in the folder of a corpus."""
