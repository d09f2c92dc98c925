"""Task ``taskmaster3/actions``: what the agent says or calls next."""
