"""What simulated corpora are made of: errands, scenes, and the files derived of dialogues."""
