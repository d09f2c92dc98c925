"""The furniture game: a row of up to three things, or one that can be turned."""
