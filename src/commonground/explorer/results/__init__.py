"""Files of scored instances: what they hold, and where predictions differ from right answers."""
