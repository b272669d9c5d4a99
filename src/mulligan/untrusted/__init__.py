"""Foreign objects, texts and values, read without trusting them."""
