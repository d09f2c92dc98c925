"""What simulated corpora are made of: dialogues of SIMMC 2, and the files of all splits."""
