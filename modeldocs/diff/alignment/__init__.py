"""The matching of two indexed graphs: unique pairs first, then their neighbours."""
