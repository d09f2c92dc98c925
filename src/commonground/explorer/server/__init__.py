"""The explorer as a server: its addresses, what it answers, and what runs in the background."""
