"""What scripted users and assistants of both games share: pace, turns, and how they put things."""
