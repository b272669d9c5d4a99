"""What a conversation remembers: what failed and how often, and how much of its budget is used."""
