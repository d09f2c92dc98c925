"""What replies are worth: by the task's own metrics, and by a model as judge."""
