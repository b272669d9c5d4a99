"""What nobody may read: secrets are known by value, by shape or by name, and taken out of foreign text."""
