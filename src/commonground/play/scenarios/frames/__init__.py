"""The Wizard of Oz game that made Frames: a user plans a trip, a wizard searches for it."""
