"""What a failure means: what reasons, statuses and words stand for, and the rules of a plugin that classifies."""
