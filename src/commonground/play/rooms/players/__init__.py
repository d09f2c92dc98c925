"""Who takes part in a served study without a browser: scripted players and language models."""
