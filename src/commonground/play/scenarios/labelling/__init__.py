"""A labelling study of one's own: a question about events of any corpus in the store."""
