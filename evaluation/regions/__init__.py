"""What running decides of ports with planted bugs."""
