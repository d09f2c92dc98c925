"""What can be had and what is wanted: the database of travel packages, and the task cards."""
