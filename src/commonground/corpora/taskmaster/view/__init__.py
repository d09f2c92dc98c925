"""How a dialogue of Taskmaster is shown: on its page, and in a terminal."""
