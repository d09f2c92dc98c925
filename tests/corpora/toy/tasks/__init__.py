"""The tasks of the toy corpus."""
