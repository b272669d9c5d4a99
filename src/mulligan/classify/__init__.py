"""The fourth stage: what an exception or a returned value means, as one of mulligan's errors."""
