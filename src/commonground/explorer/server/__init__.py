"""The explorer as a server: its addresses, what it answers, and what goes on behind its pages."""
