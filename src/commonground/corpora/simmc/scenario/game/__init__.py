"""What both shopping games share: their course, what users know, how shoppers are audited."""
