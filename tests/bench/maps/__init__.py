"""Maps of weights applied: A's own checkpoint converted, loaded into B in its framework, and run."""
