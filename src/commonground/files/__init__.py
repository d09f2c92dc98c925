"""Files in and out: where they are, what they hold, how they are read and how written whole."""
