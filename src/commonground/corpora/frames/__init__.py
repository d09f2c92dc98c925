"""Frames: people book trips by chat while several options stay open at once."""
