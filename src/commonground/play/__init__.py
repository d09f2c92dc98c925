"""What a game is: its rules, who plays it, a session of it; and games without a server."""
