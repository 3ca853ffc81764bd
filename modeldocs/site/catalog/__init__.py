"""The pages of the whole catalog: home, proofs, any two ports."""
