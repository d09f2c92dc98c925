"""Task ``taskmaster3/spans``: which stretches of an utterance are entities."""
