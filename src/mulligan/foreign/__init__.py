"""What tools and libraries wrote, raised or returned, read without trusting it."""
