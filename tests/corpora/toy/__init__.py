"""A corpus of one folder, for tests."""
