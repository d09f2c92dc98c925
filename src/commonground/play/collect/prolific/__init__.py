"""A study at Prolific: its draft, its submissions, what is paid, all through Prolific's API."""
