"""How a call ends: errors are completed, classified, worded and rendered as results."""
