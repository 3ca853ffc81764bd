"""Maps of weights, applied: A's own checkpoint is converted, loaded into B, and both are run."""
