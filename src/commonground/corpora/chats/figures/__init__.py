"""Tables and charts of one's own chats."""
