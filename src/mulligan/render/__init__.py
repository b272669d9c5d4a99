"""The fifth stage: an error becomes the text that the model reads."""
