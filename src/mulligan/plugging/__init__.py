"""Plugins: found, checked, guarded one by one, and compiled into the stages of a pipeline."""
