"""The matching of two indexed graphs: unique pairs first, then outwards from what is matched."""
