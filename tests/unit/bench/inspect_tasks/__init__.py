"""Tasks as inspect_ai runs them; no test asks a model that is not on this machine."""
