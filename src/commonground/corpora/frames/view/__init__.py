"""How a dialogue of Frames is shown: on its page, and in a terminal."""
