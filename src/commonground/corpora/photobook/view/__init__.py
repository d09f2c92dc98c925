"""How a game of PhotoBook is shown: on its page, in a terminal, and as its authors print it."""
