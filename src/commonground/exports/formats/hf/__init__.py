"""Data sets of Hugging Face: instances or whole dialogues, with the card that describes them."""
