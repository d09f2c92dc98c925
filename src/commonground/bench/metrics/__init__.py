"""The metrics: one per file, plain values in, additive counts of one example out."""
