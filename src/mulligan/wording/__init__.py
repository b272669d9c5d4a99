"""What the model is told: the parts of a feedback, the next step, the corrected call, all within the limit."""
