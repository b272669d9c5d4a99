"""What the tests of mulligan's own packages share: a server on this machine, and the scenes of the dominance table."""
