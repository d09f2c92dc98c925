"""Small learners for baselines: plain values in, plain models out, no I/O, seeded."""
