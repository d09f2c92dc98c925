"""SQL over the tables of a store: queries, read-only and confined, and what they may take."""
