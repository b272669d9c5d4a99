"""The first stage: the tool that a call names, or which one may be meant."""
