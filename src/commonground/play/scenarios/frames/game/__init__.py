"""What the rules of the chat are made of: its state, frames and gestures, and what is shown."""
