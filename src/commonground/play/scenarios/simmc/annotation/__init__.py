"""The second step: somebody marks what each utterance of a dialogue does and speaks of."""
