"""The labelling that MPChat's groundings come from: its rules, material, players and release."""
