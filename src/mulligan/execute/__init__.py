"""The third stage runs the tool, in a thread, event loop or process, within its deadline."""
