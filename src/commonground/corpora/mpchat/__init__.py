"""MPChat: Reddit threads whose main author has a persona of pictures and titles."""
