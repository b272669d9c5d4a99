"""The fourth stage of a call: maps an exception or a returned value to one of mulligan's errors."""
