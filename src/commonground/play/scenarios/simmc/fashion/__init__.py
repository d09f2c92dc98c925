"""The fashion game: one image in focus, others in memory or to be found."""
