"""What differs between two aligned graphs: one finding a pair, each of one kind."""
