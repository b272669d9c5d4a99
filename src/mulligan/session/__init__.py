"""What is remembered of a conversation: failures, repeated calls, budgets and answers."""
