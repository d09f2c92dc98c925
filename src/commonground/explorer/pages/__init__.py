"""The pages of the explorer: pure functions from a store and parameters to records."""
