"""The third stage: the tool runs, in its thread, loop or process, within its deadline."""
