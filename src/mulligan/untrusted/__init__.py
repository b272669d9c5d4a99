"""What comes from outside: foreign objects, texts and values are read without trusting them."""
