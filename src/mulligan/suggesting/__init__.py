"""Which existing name is meant by one that does not exist: by spelling, by words and by what words mean."""
