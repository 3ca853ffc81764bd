"""What a layer computes, however its source spells it."""
