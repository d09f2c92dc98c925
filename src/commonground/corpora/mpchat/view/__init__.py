"""How a thread of MPChat is shown: on its page, and in a terminal."""
