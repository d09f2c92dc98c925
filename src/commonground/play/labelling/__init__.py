"""Labelling: people answer a question of candidates, whichever corpus these are of.

Scenarios make of it what they need: their own units, and what becomes of the ballots.
"""
