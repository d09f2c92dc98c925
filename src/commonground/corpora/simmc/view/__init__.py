"""How a dialogue of SIMMC is shown: on its page, and in a terminal."""
