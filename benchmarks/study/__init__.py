"""A study played by scripted people through the real server."""
