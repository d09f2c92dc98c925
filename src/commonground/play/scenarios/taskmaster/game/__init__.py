"""The writing that all three generations share: its rules and state."""
