"""SIMMC's released files: dialogues and what stands beside them, a module for each kind."""
