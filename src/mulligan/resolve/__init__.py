"""The first stage finds the tool that a call names, or suggests tools that the model may have meant."""
