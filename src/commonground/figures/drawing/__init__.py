"""Figures and reports as charts, for the screen and for papers."""
