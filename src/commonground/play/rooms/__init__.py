"""The pages of a collection: what participants and researchers see, and the sockets after it."""
