"""The scripted user and the scripted wizard, and what they say to each other."""
