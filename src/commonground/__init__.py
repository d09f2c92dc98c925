"""commonground: grounded dialogue corpora, read, checked, queried, shown and scored."""

__version__ = "0.1.0"
