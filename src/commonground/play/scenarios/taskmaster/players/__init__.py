"""The scripted worker, and the phrases it writes."""
