"""A study while it runs: who waits, who plays with whom, what their acts do, how it all stands."""
