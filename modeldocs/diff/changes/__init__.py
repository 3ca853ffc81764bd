"""The findings of two aligned graphs: one difference of one pair each."""
