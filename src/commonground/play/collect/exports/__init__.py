"""What a study gives: dialogues as released, what they cannot hold, payments, a data sheet."""
