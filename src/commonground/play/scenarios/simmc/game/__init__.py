"""What both shopping games share: their course, and what users know."""
